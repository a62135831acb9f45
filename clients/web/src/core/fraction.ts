/** Rational numbers in lowest terms: the draw computes with nothing else. */

export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** numerator/denominator in lowest terms; neither is negative, and the denominator is not zero. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  let [a, b] = [numerator, denominator];
  while (b) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}
