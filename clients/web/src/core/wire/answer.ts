/** A hub's answer to the second question, as bytes; it has exactly one encoding. */

import { WireError } from "../errors.ts";
import { checkWhole, fromHex, joined, Reader, toHex } from "./bytes.ts";
import { type Fields, readObject } from "./json.ts";
import { DEGREE_RANGE, MAX_USERS } from "./report.ts";
import * as varints from "./varints.ts";

export const ANSWER_TYPE = "application/vnd.graphldp.answer";
const FIRST_BYTE = 0xe2;

/** One hub's answer, as it leaves her device. */
export interface Answer {
  /** Users in the community. */
  readonly n: number;
  /** Her number in the roster. */
  readonly user: number;
  /** The digest of the question, in hex. */
  readonly question: string;
  /** What she counted by the question, with noise. */
  readonly count: number;
}

/** The one encoding of an answer. */
export function encodeAnswer(answer: Answer): Uint8Array<ArrayBuffer> {
  const { n, user, question, count } = checkAnswer(answer);
  const head = [FIRST_BYTE, ...varints.write(n), ...varints.write(user)];
  return joined(head, fromHex(question), varints.write(varints.fold(count)));
}

/** Read an answer of a community of n users. */
export function decodeAnswer(data: Uint8Array, n: number): Answer {
  const reader = new Reader(data, "answer");
  if (reader.byte() !== FIRST_BYTE) throw new WireError("These bytes are not an answer of a known version.");
  const users = reader.varint("n");
  if (users !== n) throw new WireError(`The answer is for a community of ${users} users, not ${n}.`);
  const user = reader.varint("user");
  const question = toHex(reader.take(32));
  const found = checkAnswer({ n, user, question, count: reader.signed("count") });
  if (reader.rest().length) throw new WireError("The answer is followed by bytes that mean nothing.");
  return found;
}

/** The form for people. */
export function answerToJson({ n, user, question, count }: Answer): string {
  return JSON.stringify({ n, user, question, count });
}

/** Read the form for people, as strictly as bytes. */
export function answerFromJson(text: string): Answer {
  const fields: Fields = readObject(text);
  const names = ["n", "user", "question", "count"];
  if (fields.size !== names.length || !names.every((name) => fields.has(name))) {
    throw new WireError(`An answer in JSON is an object with the fields ${names.join(", ")}.`);
  }
  const [n, user, question, count] = names.map((name) => fields.get(name)) as [number, number, string, number];
  return checkAnswer({ n, user, question, count });
}

function checkAnswer(answer: Answer): Answer {
  checkWhole("answer", "n", answer.n, 1, MAX_USERS);
  checkWhole("answer", "user", answer.user, 0, answer.n - 1);
  checkWhole("answer", "count", answer.count, ...DEGREE_RANGE);
  if (typeof answer.question !== "string" || !/^[0-9a-f]{64}$/.test(answer.question)) {
    throw new WireError("An answer's question must be 64 hexadecimal digits.");
  }
  return answer;
}
