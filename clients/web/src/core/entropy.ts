/**
 * Uniform numbers from the browser's entropy, and from nowhere else. There is no seed. The byte source is an argument
 * that only tests give.
 */

import { type Fraction, fraction } from "./fraction.ts";

/** So many random bytes. */
export type Source = (size: number) => Uint8Array;

const ONE = fraction(1n, 1n);
const MOST = 65_536; // bytes that getRandomValues gives at once

function systemSource(size: number): Uint8Array {
  const out = new Uint8Array(size);
  for (let at = 0; at < size; at += MOST) crypto.getRandomValues(out.subarray(at, at + MOST));
  return out;
}

/** Exactly uniform draws. */
export class Entropy {
  readonly bytes: Source;

  constructor(source: Source = systemSource) {
    this.bytes = source;
  }

  /** A whole number, uniform over 0, …, bound − 1: draws of just enough bits until one is below. */
  below(bound: bigint): bigint {
    const bits = bitLength(bound - 1n);
    const size = Math.ceil(bits / 8);
    for (;;) {
      let drawn = 0n;
      this.bytes(size).forEach((byte, place) => {
        drawn |= BigInt(byte) << BigInt(8 * place);
      });
      drawn >>= BigInt(8 * size - bits);
      if (drawn < bound) return drawn;
    }
  }

  /** True with probability numerator/denominator exactly. */
  coin(numerator: bigint, denominator: bigint): boolean {
    return this.below(denominator) < numerator;
  }

  /**
   * True with probability e^(−γ) exactly, for γ ≥ 0 (Canonne, Kamath & Steinke 2020, Algorithm 1).
   *
   * The first k at which a coin of γ/k falls on its false side is odd with probability 1 − γ + γ²/2! − … = e^(−γ) for
   * γ ≤ 1. Above, e^(−γ) is e^(−1) as often as 1 goes into γ, times the rest.
   */
  expCoin({ numerator, denominator }: Fraction): boolean {
    for (; numerator > denominator; numerator -= denominator) if (!this.expCoin(ONE)) return false;
    let k = 1n;
    while (this.coin(numerator, denominator * k)) k += 1n;
    return k % 2n === 1n;
  }
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
