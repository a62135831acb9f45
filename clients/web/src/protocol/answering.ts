/**
 * The second question of a community that has one: pinned, answered once, for ever. The write that keeps the answer
 * forgets the list and the noise, without which nothing can be counted again. So the collector can change its question, lie in it or
 * refuse the answer, and hears the same bytes or nothing.
 */

import { answer } from "../core/draw.ts";
import { encodeAnswer } from "../core/wire/answer.ts";
import { decodeQuestion } from "../core/wire/question.ts";
import { askedAgain } from "../core/wire/report.ts";
import type { Entry } from "../vault/ledger.ts";
import { withoutList, type Kept, type Membership } from "../vault/membership.ts";
import { Trouble } from "../vault/trouble.ts";
import type { Standing } from "./client.ts";
import type { Sender } from "./sender.ts";

/** The report of a user who is asked again, and its entry. Nothing has been asked of the network so far. */
export function toAnswer({ kept, entry }: Standing): { kept: Kept; entry: Entry } {
  if (kept === null || entry === null || !askedAgain(kept.report)) throw new Trouble("not-asked");
  if (entry.withdrawn) throw new Trouble("withdrawn");
  if (!entry.sent) throw new Trouble("not-sent-yet");
  if (kept.answer === null && kept.question === null && entry.question !== null) throw new Trouble("answered-before");
  if (kept.answer === null && kept.friends === null) throw new Trouble("list-deleted");
  return { kept, entry };
}

/** The one question that is ever answered: the pinned one, or the first that is seen. */
export async function pinned(
  member: Membership,
  entry: Entry,
  kept: Kept,
  sender: Sender,
): Promise<{ body: Uint8Array<ArrayBuffer>; digest: string }> {
  const body = kept.question ?? (await sender.question(member.published.epoch));
  const { digest } = await asked(member, body, kept.question === null ? "odd-answer" : "damaged");
  if (entry.question !== null && entry.question !== digest) throw new Trouble("answered-before");
  return { body, digest };
}

/** The one answer. The list and the noise are those of the report. */
export async function counted(member: Membership, kept: Kept): Promise<Kept> {
  if (kept.friends === null || kept.noise === null || kept.question === null) throw new Trouble("damaged");
  const told = answer(await asked(member, kept.question, "damaged"), kept.friends, kept.report, kept.noise);
  return { ...withoutList(kept), answer: encodeAnswer(told) };
}

async function asked(
  { published }: Membership,
  body: Uint8Array<ArrayBuffer>,
  kind: "odd-answer" | "damaged",
): ReturnType<typeof decodeQuestion> {
  try {
    return await decodeQuestion(published.mechanism, body, published.n);
  } catch {
    throw new Trouble(kind);
  }
}
