/** Rational numbers in lowest terms: the draw computes with nothing else. */

export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** numerator/denominator in lowest terms; neither is negative, and the denominator is not zero. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  const common = gcd(numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/** a − b, which is not negative. */
export function minus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);
}

export function less(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

/** The least common multiple. */
export function lcm(a: bigint, b: bigint): bigint {
  return (a / gcd(a, b)) * b;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b) [a, b] = [b, a % b];
  return a;
}
