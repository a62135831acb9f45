/** What the page may ask of the worker. Every call is done under the lock that all tabs share. */

import type { Terms } from "../protocol/client.ts";
import type { TroubleKind } from "../vault/trouble.ts";
import type { CommunityView, Difference, MatchView, Receipt, StandingView, StatusView, Where } from "./views.ts";

export interface OpenedView {
  readonly standing: StandingView;
  /** What the community publishes now, where that is something else than what was pinned. */
  readonly renewal: { readonly community: CommunityView; readonly differences: readonly Difference[] } | null;
}

export interface Api {
  /** Take a link. */
  open(url: string): Promise<OpenedView>;
  /** See whether the community publishes something new. */
  look(where: Where): Promise<OpenedView>;
  /** Agree to what `open` or `look` showed. */
  renew(shown: Terms): Promise<StandingView>;
  /** Find the friends of some files among the members. */
  match(where: Where, files: readonly { readonly name: string; readonly data: Uint8Array }[]): Promise<MatchView>;
  /** Members whose names hold some text. */
  search(where: Where, text: string): Promise<readonly { readonly number: number; readonly name: string }[]>;
  /** Draw for invented people, as this community draws. */
  example(where: Where, choice: string): Promise<Receipt>;
  /** Draw and send, in one step, by the terms that she was shown and no others. */
  report(shown: Terms, choice: string, friends: readonly number[]): Promise<StandingView>;
  send(where: Where): Promise<StandingView>;
  answer(where: Where): Promise<StandingView>;
  /** Do without the second question, so that the list is deleted. */
  decline(where: Where): Promise<StandingView>;
  withdraw(where: Where): Promise<StandingView>;
  /** Take back what this browser no longer knows of. */
  withdrawByLink(url: string): Promise<void>;
  /** Her own link again, for the page at an address: whoever has it can report in her place. */
  link(where: Where, page: string): Promise<string>;
  status(): Promise<StatusView>;
  forget(where: Where): Promise<void>;
  exportLedger(): Promise<string>;
  addLedger(text: string): Promise<StatusView>;
  setCap(epsilon: number): Promise<StatusView>;
}

export type Call = { readonly id: number; readonly method: keyof Api; readonly values: readonly unknown[] };
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly trouble: TroubleKind; readonly facts: Readonly<Record<string, number | string>> }
  | { readonly waiting: true };
