/** The digest of a roster, by which members see that they were shown the same one. */

import { joined, sha256 } from "./bytes.ts";

const MARK = new Uint8Array(8).fill(255); // no name is so long

/**
 * SHA-256 of a roster, in hex: of each name its length as eight bytes, big-endian, then its UTF-8 bytes. In a community
 * with groups it goes on: a mark, the groups' names in the same way, a mark, and the number of each user's group.
 */
export async function rosterDigest(
  names: readonly string[],
  groupNames: readonly string[] = [],
  groups: readonly number[] = [],
): Promise<string> {
  if (groupNames.length === 0) return sha256(prefixed(names));
  return sha256(joined(prefixed(names), MARK, prefixed(groupNames), MARK, numbers(groups)));
}

function prefixed(names: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const data = names.map((name) => encoder.encode(name));
  const out = new Uint8Array(data.reduce((size, each) => size + 8 + each.length, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const each of data) {
    view.setBigUint64(at, BigInt(each.length));
    out.set(each, at + 8);
    at += 8 + each.length;
  }
  return out;
}

/** Each number as eight bytes, big-endian. */
function numbers(values: readonly number[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(8 * values.length);
  const view = new DataView(out.buffer);
  values.forEach((value, place) => view.setUint32(8 * place + 4, value));
  return out;
}

/** The first 128 bits of a digest in groups, for two members to compare by voice. */
export function spoken(digest: string): string {
  return digest.slice(0, 32).replace(/(.{4})(?=.)/g, "$1 ");
}
