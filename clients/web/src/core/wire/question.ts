/** Second questions, as bytes. By hub-counts: who is busy? By closed-pairs: all noisy lists, for everybody to count by. */

import { WireError } from "../errors.ts";
import { checkWhole, Reader, sha256 } from "./bytes.ts";
import { asksAll, type Mechanism } from "./report.ts";

export const QUESTION_TYPE = "application/vnd.graphldp.question";
/** Users of a community by closed-pairs, at most: each of them reads all noisy lists. */
export const MOST_LISTED = 2000;
const [BUSY_BYTE, LISTS_BYTE] = [0xe3, 0xe5];

export interface Question {
  /** Users in the community. */
  readonly n: number;
  /** Of each user, whether she is said to be busy, 1 or 0; null of closed-pairs. */
  readonly busy: Uint8Array | null;
  /** For closed-pairs, n rows of n: 1 where the row's user lists the column's; else null. */
  readonly listed: Uint8Array | null;
  /** SHA-256 of the question's bytes, in hex: an answer names it. */
  readonly digest: string;
}

/** Read the question of a community by a mechanism, of n users. */
export async function decodeQuestion(mechanism: Mechanism, data: Uint8Array<ArrayBuffer>, n: number): Promise<Question> {
  if (!asksAll(mechanism)) return { n, busy: readBits(data, BUSY_BYTE, n, n), listed: null, digest: await sha256(data) };
  checkWhole("question", "n", n, 1, MOST_LISTED);
  const bits = readBits(data, LISTS_BYTE, n, n * (n - 1));
  const listed = new Uint8Array(n * n);
  for (let user = 0; user < n; user += 1) {
    const row = bits.subarray(user * (n - 1), (user + 1) * (n - 1));
    listed.set(row.subarray(0, user), user * n);
    listed.set(row.subarray(user), user * n + user + 1);
  }
  return { n, busy: null, listed, digest: await sha256(data) };
}

function readBits(data: Uint8Array, first: number, n: number, count: number): Uint8Array {
  const reader = new Reader(data, "question");
  if (reader.byte() !== first) throw new WireError("These bytes are not a question of a known version.");
  const users = reader.varint("n");
  if (users !== n) throw new WireError(`The question is for a community of ${users} users, not ${n}.`);
  const packed = reader.rest();
  const size = Math.ceil(count / 8);
  if (packed.length !== size) throw new WireError(`A question to ${n} users has ${size} bytes of bits.`);
  const bits = new Uint8Array(8 * size).map((_, i) => ((packed[i >>> 3] ?? 0) >>> (7 - (i & 7))) & 1);
  if (bits.subarray(count).some((bit) => bit)) throw new WireError("A question ends in zeros.");
  return bits.subarray(0, count);
}
