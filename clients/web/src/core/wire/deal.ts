/**
 * The deal: which of G groups each user of a community is in, by a shuffle that everybody can repeat.
 *
 * Users are put into the order of their keys and dealt to the groups one after the other. Four keys of eight bytes are one
 * digest: the key of slot i are bytes 8·(i mod 4) … 8·(i mod 4) + 7 of SHA-256(seed ‖ ⌊i/4⌋ as eight bytes, big-endian).
 * Privacy does not rest on it.
 */

import { fromHex, joined, sha256 } from "./bytes.ts";

const MARK = new TextEncoder().encode("graphldp deal\0");
const KEYS = 4; // in a digest
const AT_ONCE = 4096; // digests

/** The seed of a community's deal; the digest is that of the names alone. */
export async function dealSeed(community: string, epoch: number, rosterDigest: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = new TextEncoder().encode(community);
  return fromHex(await sha256(joined(MARK, long(name.length), name, long(epoch), fromHex(rosterDigest))));
}

/** The number of each user's group, by slot. */
export async function deal(seed: Uint8Array, n: number, groups: number): Promise<number[]> {
  const keys = new DataView(await digests(seed, Math.ceil(n / KEYS)));
  const [high, low] = [0, 4].map((at) => Uint32Array.from({ length: n }, (_, slot) => keys.getUint32(8 * slot + at)));
  const order = Uint32Array.from({ length: n }, (_, slot) => slot);
  const more = (part: Uint32Array | undefined, one: number, other: number): number => (part?.[one] ?? 0) - (part?.[other] ?? 0);
  order.sort((one, other) => more(high, one, other) || more(low, one, other) || one - other);
  const found = new Array<number>(n).fill(0);
  order.forEach((slot, place) => (found[slot] = place % groups));
  return found;
}

/** One after the other, the digests of the seed and each number of a block. */
async function digests(seed: Uint8Array, blocks: number): Promise<ArrayBuffer> {
  const found = new Uint8Array(32 * blocks);
  for (let first = 0; first < blocks; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, blocks - first) }, (_, place) => joined(seed, long(first + place)));
    const made = await Promise.all(some.map((each) => crypto.subtle.digest("SHA-256", each)));
    made.forEach((digest, place) => found.set(new Uint8Array(digest), 32 * (first + place)));
  }
  return found.buffer;
}

/** A whole number as eight bytes, big-endian. */
function long(value: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, BigInt(value));
  return out;
}
