/** The discrete Laplace law, drawn exactly on whole numbers: of a noisy degree, and of more noise on one. */

import type { Entropy } from "./entropy.ts";
import { type Fraction, fraction, lcm, less, minus } from "./fraction.ts";

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
  while (entropy.expCoin({ numerator: 1n, denominator: 1n })) v += 1n;
  const size = (u + t * v) / s; // u + t·v is geometric with ratio e^(−1/t), its quotient by s with ratio e^(−s/t)
  const negative = entropy.coin(1n, 2n);
  if (negative && size === 0n) return null; // zero would otherwise be drawn by both signs
  return negative ? -size : size;
}

/**
 * Draw what noise of ε = `fine` lacks to be noise of ε₁ = `coarse`, which is smaller: gradual release, backwards. The step
 * is 0 with probability e^(ε₁ − ε)·((1 − e^(−ε₁))/(1 − e^(−ε)))², else noise of ε₁ of its own. Three chances that coins
 * have exactly: V, one of 0, 1/t, 2/t, … below ε, each as likely as e^(−V), is below ε₁ with the probability in brackets.
 * docs/mechanisms/hub-lists.md has the proof.
 */
export function coarseningStep(fine: Fraction, coarse: Fraction, entropy: Entropy): number {
  for (;;) {
    const stays = staying(fine, coarse, entropy);
    if (stays !== null) return stays ? 0 : discreteLaplace(coarse, entropy);
  }
}

function staying(fine: Fraction, coarse: Fraction, entropy: Entropy): boolean | null {
  const t = lcm(fine.denominator, coarse.denominator);
  let early = true;
  for (let draw = 0; draw < 2; draw += 1) {
    const v = fraction(entropy.below((fine.numerator * t) / fine.denominator), t);
    if (!entropy.expCoin(v)) return null;
    early = early && less(v, coarse);
  }
  return early && entropy.expCoin(minus(fine, coarse));
}
