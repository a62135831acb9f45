/**
 * Sorted positions as bits: a Rice code of the gaps (Golomb 1966; Rice 1979). Of m positions below `size`, gap g is the
 * number of positions skipped since the one before. With the parameter k:
 *
 *     the k low bits of every gap, then every ⌊g/2ᵏ⌋ in unary (that many zeros, then a one), then zeros to a whole byte
 *
 * k is the smallest that gives the fewest bits, so every set of positions has exactly one code.
 */

import { WireError } from "../errors.ts";

/** The best k and the bits of sorted, distinct positions. */
export function pack(positions: Int32Array): { k: number; payload: Uint8Array<ArrayBuffer> } {
  const m = positions.length;
  const gaps = positions.map((position, i) => position - (i ? (positions[i - 1] ?? 0) : -1) - 1);
  const k = bestParameter(gaps);
  const unary = gaps.reduce((sum, gap) => sum + (gap >>> k) + 1, 0);
  const payload = new Uint8Array(Math.ceil((m * k + unary) / 8));
  const set = (at: number) => {
    payload[at >>> 3] = (payload[at >>> 3] ?? 0) | (0x80 >>> (at & 7));
  };
  let [low, one] = [0, m * k - 1];
  for (const gap of gaps) {
    for (let place = k - 1; place >= 0; place -= 1, low += 1) if ((gap >>> place) & 1) set(low);
    one += (gap >>> k) + 1;
    set(one);
  }
  return { k, payload };
}

/** The m positions below `size` that bytes hold; anything that `pack` would not have written is refused. */
export function unpack(data: Uint8Array, k: number, m: number, size: number): Int32Array {
  const bits = 8 * data.length;
  const bit = (at: number) => ((data[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1;
  if (m * (k + 1) > bits) throw new WireError("The list is cut short.");
  const gaps = new Float64Array(m); // of a hostile message a gap can have more than 32 bits
  let [count, last] = [0, m * k - 1];
  for (let at = m * k; at < bits; at += 1) {
    if (!bit(at)) continue;
    if (count < m) gaps[count] = at - last - 1;
    count += 1;
    last = at;
  }
  if (count !== m) throw new WireError("The list does not hold as many entries as its header says.");
  if (Math.ceil((m ? last + 1 : 0) / 8) !== data.length) {
    throw new WireError("The list is followed by bytes that mean nothing.");
  }
  let [low, total] = [0, 0];
  for (let i = 0; i < m; i += 1) {
    let gap = gaps[i] ?? 0;
    for (let place = 0; place < k; place += 1, low += 1) gap = 2 * gap + bit(low);
    gaps[i] = gap;
    total += gap + 1;
  }
  if (total > size) throw new WireError("The list names users beyond the community's last.");
  if (bestParameter(gaps) !== k) throw new WireError("The list is not in its shortest code.");
  let position = -1;
  return Int32Array.from(gaps, (gap) => (position += gap + 1));
}

/**
 * The smallest k with the fewest bits, m(k + 1) + Σ⌊g/2ᵏ⌋. One more low bit costs m and saves Σ⌈⌊g/2ᵏ⌋/2⌉, which only
 * shrinks with k: the first that does not pay is the best.
 */
function bestParameter(gaps: Int32Array | Float64Array): number {
  for (let k = 0; ; k += 1) {
    let saved = 0;
    for (const gap of gaps) {
      const high = gap >>> k;
      saved += high - (high >>> 1);
    }
    if (saved <= gaps.length) return k;
  }
}
