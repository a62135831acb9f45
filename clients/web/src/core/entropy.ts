/**
 * Uniform numbers from the browser's entropy, and from nowhere else. There is no seed. The byte source is an argument
 * that only tests give.
 */

import { type Fraction, fraction } from "./fraction.ts";

/** So many random bytes. */
export type Source = (size: number) => Uint8Array;

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
   * True with probability e^(−γ) exactly, for 0 ≤ γ ≤ 1 (Canonne, Kamath & Steinke 2020, Algorithm 1).
   *
   * The first k at which a coin of γ/k falls on its false side is odd with probability 1 − γ + γ²/2! − … = e^(−γ).
   */
  expCoin(gamma: Fraction): boolean {
    let k = 1n;
    while (this.coin(gamma.numerator, gamma.denominator * k)) k += 1n;
    return k % 2n === 1n;
  }
}

/**
 * Draw Z of the discrete Laplace law, Pr(Z = z) = (e^ε − 1)/(e^ε + 1) · e^(−ε|z|), exactly on whole numbers
 * (Canonne, Kamath & Steinke 2020, Algorithm 2). With ε = s/t the scale of the noise is t/s.
 */
export function discreteLaplace(epsilon: Fraction, entropy: Entropy): number {
  for (;;) {
    const drawn = attempt(epsilon, entropy);
    if (drawn !== null) return Number(drawn);
  }
}

function attempt({ numerator: s, denominator: t }: Fraction, entropy: Entropy): bigint | null {
  const u = entropy.below(t);
  if (!entropy.expCoin(fraction(u, t))) return null;
  let v = 0n;
  while (entropy.expCoin(ONE)) v += 1n;
  const size = (u + t * v) / s; // u + t·v is geometric with ratio e^(−1/t), its quotient by s with ratio e^(−s/t)
  const negative = entropy.coin(1n, 2n);
  if (negative && size === 0n) return null; // zero would otherwise be drawn by both signs
  return negative ? -size : size;
}

const ONE = fraction(1n, 1n);

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
