/**
 * Sorted positions as one number: their place among all sets of as many (Cover 1973, enumerative source coding). Of the
 * sets of m positions p₀ < p₁ < … below `size`, this one comes after C(p₀, 1) + C(p₁, 2) + … + C(pₘ₋₁, m) others.
 * Both directions walk down the positions with one binomial coefficient.
 */

import { WireError } from "../errors.ts";

/** The bytes of sorted, distinct positions below `size`. */
export function pack(positions: Int32Array, size: number): Uint8Array<ArrayBuffer> {
  const m = positions.length;
  let [number, left, smaller] = [0n, m, size ? choose(size - 1, m) : 0n];
  for (let place = size - 1; place > 0; place -= 1) {
    if (left && positions[left - 1] === place) {
      number += smaller;
      smaller = (smaller * BigInt(left)) / BigInt(place);
      left -= 1;
    } else {
      smaller = (smaller * BigInt(place - left)) / BigInt(place);
    }
  }
  const out = new Uint8Array(width(choose(size, m)));
  for (let at = out.length - 1; at >= 0; at -= 1, number >>= 8n) out[at] = Number(number & 0xffn);
  return out;
}

/** The m positions below `size` that bytes hold; anything that `pack` would not have written is refused. */
export function unpack(data: Uint8Array, m: number, size: number): Int32Array {
  const total = choose(size, m);
  if (data.length < width(total)) throw new WireError("The list is cut short.");
  if (data.length > width(total)) throw new WireError("The list is followed by bytes that mean nothing.");
  let number = data.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  if (number >= total) throw new WireError("The list's number is beyond that of the last list.");
  const found = new Int32Array(m);
  let [left, smaller] = [m, size ? choose(size - 1, m) : 0n];
  for (let place = size - 1; place >= 0; place -= 1) {
    if (left && number >= smaller) {
      number -= smaller;
      if (place) smaller = (smaller * BigInt(left)) / BigInt(place);
      left -= 1;
      found[left] = place;
    } else if (place) {
      smaller = (smaller * BigInt(place - left)) / BigInt(place);
    }
  }
  return found;
}

/** How many sets of m there are among `size`. */
function choose(size: number, m: number): bigint {
  let found = 1n;
  for (let i = 1; i <= m; i += 1) found = (found * BigInt(size - m + i)) / BigInt(i);
  return found;
}

/** How many bytes the numbers below a total take. */
function width(total: bigint): number {
  return total === 1n ? 0 : Math.ceil((total - 1n).toString(2).length / 8);
}
