/** Rosters: how names are compared and shown, and the digest by which members see that they were shown the same ones. */

import { joined, sha256 } from "./bytes.ts";

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"; // as Python has it
const ENDS = new RegExp(`^${SPACE}|${SPACE}$`, "g");
const NOT_PLAIN = /[A-Z\x80-\u{10ffff}]/gu;
const FOLDED = new Map([["ı", "ı"]]); // what was folded before; and the one letter whose capital belongs to another
const CHEROKEE = /^[\u13a0-\u13f5]$/;
const MARK = new Uint8Array(8).fill(255); // no name is so long
const HIDDEN = /[\p{C}\p{Z}]/u;

/** A name as it is compared: without regard to case, an @ in front, and the ways Unicode has to write one letter. */
export function plain(name: string): string {
  const trimmed = name.replace(ENDS, "").replace(/^@/, "").normalize("NFC");
  return trimmed.replace(NOT_PLAIN, folded);
}

/** Unicode's full case folding of one letter, which browsers do not offer; a test compares all letters with Python's. */
function folded(letter: string): string {
  const known = FOLDED.get(letter);
  if (known !== undefined) return known;
  const capital = letter.toLowerCase().toUpperCase();
  const found = CHEROKEE.test(capital) // the one script that folds to its capitals
    ? capital
    : Array.from(capital, (each) => each.toLowerCase()).join("");
  FOLDED.set(letter, found);
  return found;
}

/** Whether a text can be shown: what a terminal would obey, or what hides other text, cannot. */
export function isPrintable(text: string): boolean {
  return !HIDDEN.test(text.replaceAll(" ", ""));
}

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
