/**
 * Where a word of 64 bits is cut: randomized response and edge sampling as one comparison. With E a rational number at
 * most e^ε₂,
 *
 *     q/(1 + E) = d* / (d*(E − 1) + n − 1) for 0 < d* < (n − 1)/2,    q = 1 above,    q = 0 for d* ≤ 0
 *     T₀ = ⌈2⁶⁴ q/(1 + E)⌉,    T₁ = ⌊2⁶⁴ q E/(1 + E)⌋,    T₁ = T₀ where rounding left it below
 *
 * T₀ is rounded up and T₁ down: towards each other, so that the odds of any two answers stay within E ≤ e^ε₂.
 * docs/guides/client.md has the proof.
 */

import { ParameterError } from "./errors.ts";
import type { Fraction } from "./fraction.ts";

const WHOLE = 1n << 64n;
const FINE = 1n << 128n;

export interface Thresholds {
  /** T₀: a stranger is listed if her word is below. */
  readonly stranger: bigint;
  /** T₁: a neighbour is. */
  readonly neighbour: bigint;
}

/** T₀ and T₁; a noisy degree of null is plain randomized response, q = 1. */
export function thresholds(epsilon2: Fraction, n: number, noisyDegree: number | null): Thresholds {
  const e = expBelow(epsilon2); // E = e/FINE
  const degree = BigInt(Math.max(noisyDegree ?? 0, 0));
  const others = BigInt(n - 1);
  const all = noisyDegree === null || 2n * degree >= others;
  const share = all ? FINE : degree * FINE;
  const of = all ? FINE + e : degree * (e - FINE) + others * FINE;
  const stranger = (WHOLE * share + of - 1n) / of;
  const rounded = (WHOLE * share * e) / (of * FINE);
  const neighbour = rounded < stranger ? stranger : rounded;
  for (const [less, more] of [
    [stranger, neighbour],
    [WHOLE - neighbour, WHOLE - stranger],
  ] as const) {
    if (more * FINE > less * e) throw new ParameterError("The thresholds do not keep ε₂; no report is drawn.");
  }
  return { stranger, neighbour };
}

/**
 * The numerator over 2¹²⁸ of a number at most e^x, within a relative 2⁻¹⁰⁰ of it, for 0 ≤ x ≤ 17.
 *
 * The partial sums of e^x = Σ xⁱ/i! grow towards it, and every term is rounded down: no error can push it above.
 */
export function expBelow(x: Fraction): bigint {
  let [term, total, i] = [FINE, 0n, 0n];
  while (term) {
    total += term;
    i += 1n;
    term = (term * x.numerator) / (x.denominator * i);
  }
  return total;
}
