/** What the page shows, as plain values: the roster, the vault and the token stay with the worker. */

import { cost, type Choice } from "../core/wire/choice.ts";
import type { Published } from "../core/wire/community.ts";
import { reportToJson } from "../core/wire/reportJson.ts";
import type { Report } from "../core/wire/report.ts";
import { spoken } from "../core/wire/roster.ts";
import type { Cause } from "../protocol/friends.ts";
import type { Standing, Terms } from "../protocol/client.ts";
import { MILLION, type Entry } from "../vault/ledger.ts";
import { asText, type Kept, type Membership } from "../vault/membership.ts";

/** More names than this are counted and not shown. */
const SHOWN = 300;

export interface Where {
  readonly server: string;
  readonly community: string;
}

export interface ChoiceView {
  readonly name: string;
  /** ε; null for a public list. */
  readonly epsilon: number | null;
}

/** A community as it is pinned or offered, with its terms in one text. */
export interface CommunityView extends Terms {
  readonly name: string;
  readonly users: number;
  readonly you: string;
  readonly digest: string;
  readonly mechanism: string;
  readonly epoch: number;
  readonly choices: readonly ChoiceView[];
  /** The largest ε that she accepted here; null for no limit. */
  readonly accepted: number | null;
}

export interface Person {
  readonly name: string;
  readonly friend: boolean;
  readonly listed: boolean;
}

/** What left: a report, beside the list that it was drawn from. */
export interface Receipt {
  readonly mechanism: string;
  readonly noisyDegree: number | null;
  readonly asked: boolean;
  /** Whether the report names people at all. */
  readonly lists: boolean;
  /** Friends, and strangers who are listed; of many the first. */
  readonly people: readonly Person[];
  readonly counts: { readonly kept: number; readonly lost: number; readonly fake: number; readonly none: number };
  readonly bytes: string;
  readonly size: number;
  readonly json: string;
}

export interface StandingView {
  readonly community: CommunityView;
  readonly state: "joined" | "charged" | "drawn" | "sent" | "withdrawn" | "deleted";
  /** Whether there is a report to take back, of this round or one before. */
  readonly reported: boolean;
  readonly choice: ChoiceView | null;
  readonly asked: boolean;
  readonly answered: boolean;
  /** Shown once the collector has the report: after a look there must be nothing left to decide. */
  readonly receipt: Receipt | null;
}

export interface StatusView {
  readonly standings: readonly StandingView[];
  readonly entries: readonly Entry[];
  readonly spent: number;
  readonly cap: number;
}

export interface MatchView {
  readonly numbers: readonly number[];
  readonly names: readonly string[];
  readonly total: number;
  readonly cause: Cause | null;
}

export function communityView(member: Membership): CommunityView {
  const { published, roster, accepted, invitation } = member;
  return {
    server: invitation.server,
    community: published.id,
    terms: asText(published),
    name: published.name,
    users: published.n,
    you: roster[published.user] ?? "",
    digest: spoken(published.rosterDigest),
    mechanism: published.mechanism,
    epoch: published.epoch,
    choices: published.choices.map(choiceView),
    accepted: accepted === null ? null : accepted / MILLION,
  };
}

export function choiceView(choice: Choice): ChoiceView {
  const millionths = cost(choice);
  return { name: choice.name, epsilon: millionths === null ? null : millionths / MILLION };
}

export function standingView({ member, reported, entry, kept }: Standing): StandingView {
  const chosen = member.published.choices.find(({ name }) => name === (kept?.choice ?? entry?.choice));
  return {
    community: communityView(member),
    state: stateOf(entry, kept),
    reported,
    choice: chosen === undefined ? null : choiceView(chosen),
    asked: kept?.report.asked === true,
    answered: entry?.answered === true,
    receipt:
      kept !== null && entry?.sent === true ? receiptOf(kept.report, kept.body, kept.friends, member.roster) : null,
  };
}

function stateOf(entry: Entry | null, kept: Kept | null): StandingView["state"] {
  if (entry === null) return "joined";
  if (entry.withdrawn) return entry.deleted ? "deleted" : "withdrawn";
  if (entry.sent) return "sent";
  return kept === null ? "charged" : "drawn";
}

/** A report by name, beside the list that it was drawn from. */
export function receiptOf(
  report: Report,
  body: Uint8Array,
  friends: readonly number[],
  roster: readonly string[],
): Receipt {
  const [listed, known] = [new Set(report.neighbours), new Set(friends)];
  const both = [...new Set([...listed, ...known])].sort((a, b) => a - b);
  const kept = both.filter((number) => listed.has(number) && known.has(number)).length;
  const people = both.slice(0, SHOWN).map((number) => ({
    name: roster[number] ?? "",
    friend: known.has(number),
    listed: listed.has(number),
  }));
  return {
    mechanism: report.mechanism,
    noisyDegree: report.noisyDegree,
    asked: report.asked === true,
    lists: report.epsilon2 > 0,
    people,
    counts: { kept, lost: known.size - kept, fake: listed.size - kept, none: report.n - 1 - both.length },
    bytes: Array.from(body, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    size: body.length,
    json: reportToJson(report),
  };
}

/** Every difference between two publications, by kind. */
export interface Difference {
  readonly what: "name" | "users" | "mechanism" | "choices" | "joined" | "left" | "moved" | "you" | "asks";
  readonly was: string;
  readonly now: string;
}

export function differences(
  before: Published,
  after: Published,
  old: readonly string[],
  fresh: readonly string[],
): Difference[] {
  const offers = ({ choices }: Published): string =>
    choices.map((choice) => `${choice.name} (ε = ${choiceView(choice).epsilon ?? "∞"})`).join(", ");
  const plainly: Difference[] = [
    { what: "name", was: before.name, now: after.name },
    { what: "users", was: String(before.n), now: String(after.n) },
    { what: "you", was: old[before.user] ?? "", now: fresh[after.user] ?? "" },
    { what: "mechanism", was: before.mechanism, now: after.mechanism },
    { what: "asks", was: String(before.hubFrom), now: String(after.hubFrom) },
    { what: "choices", was: offers(before), now: offers(after) },
  ];
  const [was, now] = [numbers(old), numbers(fresh)];
  const groups: [Difference["what"], string[]][] = [
    ["joined", fresh.filter((name) => !was.has(name))],
    ["left", old.filter((name) => !now.has(name))],
    ["moved", fresh.filter((name, number) => was.has(name) && was.get(name) !== number)],
  ];
  const changed = groups.filter(([, names]) => names.length > 0);
  return [
    ...plainly.filter((each) => each.was !== each.now),
    ...changed.map(([what, names]) => ({ what, was: "", now: some(names) })),
  ];
}

const numbers = (names: readonly string[]): Map<string, number> => new Map(names.map((name, number) => [name, number]));
const some = (names: readonly string[]): string =>
  names.slice(0, 12).join(", ") + (names.length > 12 ? ` … (${names.length})` : "");
