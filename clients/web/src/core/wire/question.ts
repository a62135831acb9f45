/** The second question, as bytes: who is busy? A community by hub-counts asks it once, and hubs count by it. */

import { WireError } from "../errors.ts";
import { Reader, sha256 } from "./bytes.ts";

export const QUESTION_TYPE = "application/vnd.graphldp.question";
const FIRST_BYTE = 0xe3;

export interface Question {
  /** Users in the community. */
  readonly n: number;
  /** Of each user, whether she is said to be busy: 1 or 0. */
  readonly busy: Uint8Array;
  /** SHA-256 of the question's bytes, in hex: an answer names it. */
  readonly digest: string;
}

/** Read a question to a community of n users. */
export async function decodeQuestion(data: Uint8Array<ArrayBuffer>, n: number): Promise<Question> {
  const reader = new Reader(data, "question");
  if (reader.byte() !== FIRST_BYTE) throw new WireError("These bytes are not a question of a known version.");
  const users = reader.varint("n");
  if (users !== n) throw new WireError(`The question is for a community of ${users} users, not ${n}.`);
  const packed = reader.rest();
  const size = Math.ceil(n / 8);
  if (packed.length !== size) throw new WireError(`A question to ${n} users has ${size} bytes of bits.`);
  const bits = new Uint8Array(8 * size).map((_, i) => ((packed[i >>> 3] ?? 0) >>> (7 - (i & 7))) & 1);
  if (bits.subarray(n).some((bit) => bit)) throw new WireError("A question ends in zeros.");
  return { n, busy: bits.subarray(0, n), digest: await sha256(data) };
}
