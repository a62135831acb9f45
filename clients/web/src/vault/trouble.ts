/** Something went wrong, by kind. The words for people are in `app/words`; a trouble repeats nothing that is private. */

export const TROUBLES = [
  "no-crypto",
  "no-storage",
  "no-locks",
  "shared-address",
  "held-page",
  "other-program",
  "storage-full",
  "storage-failed",
  "damaged",
  "no-link",
  "bad-link",
  "refused-link",
  "used-link",
  "forgotten",
  "other-community",
  "bad-community",
  "changed",
  "unreached",
  "busy-server",
  "odd-answer",
  "closed",
  "epoch-over",
  "slot-taken",
  "deleted",
  "withdrawn",
  "refused-report",
  "not-asked-yet",
  "not-asked",
  "answer-taken",
  "not-sent-yet",
  "answered-before",
  "list-deleted",
  "not-a-list",
  "not-text",
  "not-a-ledger",
  "over-cap",
  "over-accepted",
  "no-new-epoch",
  "unexpected",
] as const;

export type TroubleKind = (typeof TROUBLES)[number];

/** What only those who run the community can mend: the page says whom to ask. */
export const TO_ASK: ReadonlySet<TroubleKind> = new Set([
  "shared-address",
  "other-program",
  "damaged",
  "refused-link",
  "used-link",
  "bad-community",
  "other-community",
  "refused-report",
]);

export class Trouble extends Error {
  /** @param kind what is the matter. @param facts numbers and public words for the sentence that says so. */
  constructor(
    readonly kind: TroubleKind,
    readonly facts: Readonly<Record<string, number | string>> = {},
  ) {
    super(kind);
  }
}

/** Any error as a trouble: what a browser says of full or missing storage, and the rest as unexpected. */
export function asTrouble(error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "QuotaExceededError") return new Trouble("storage-full");
  if (error instanceof DOMException) return new Trouble("storage-failed");
  return new Trouble("unexpected");
}
