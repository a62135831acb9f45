/**
 * Whole numbers in as few bytes as they need: seven bits a byte, low ones first, the top bit set on all but the last.
 * A number has one form: at most four bytes, and no last byte of zero after another.
 */

export const MOST_BYTES = 4;

/** A number's one form. */
export function write(value: number): number[] {
  const out: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) out.push((value % 0x80) | 0x80);
  return [...out, value];
}

/** A number of either sign as one that is not negative: 0, −1, 1, −2, … become 0, 1, 2, 3, …. */
export function fold(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

/** What `fold` folded. */
export function unfold(folded: number): number {
  return folded % 2 ? -(folded + 1) / 2 : folded / 2;
}
