/** What the page shows, as plain values: the roster, the vault and the token stay with the worker. */

import { trueCounts } from "../core/draw.ts";
import { toHex } from "../core/wire/bytes.ts";
import { cost, isPublic, type Choice } from "../core/wire/choice.ts";
import type { Inquiry, Published, Retention } from "../core/wire/community.ts";
import { reportToJson } from "../core/wire/reportJson.ts";
import { askedAgain, type Report } from "../core/wire/report.ts";
import { spoken } from "../core/wire/roster.ts";
import type { Cause } from "../protocol/friends.ts";
import type { Standing, Terms } from "../protocol/client.ts";
import { MILLION, type Entry } from "../vault/ledger.ts";
import { asText, type Kept, type Membership } from "../vault/membership.ts";
import { apart } from "./format.ts";

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
  /** Who asks, what for, whom to write to; null where nobody said so. */
  readonly inquiry: Inquiry | null;
  readonly users: number;
  readonly you: string;
  readonly digest: string;
  readonly mechanism: string;
  readonly epoch: number;
  readonly choices: readonly ChoiceView[];
  /** The largest ε that she accepted here; null for no limit. */
  readonly accepted: number | null;
  /** What the groups are called that friends are counted by; empty where they are not. */
  readonly groups: readonly string[];
  /** Whether users were dealt into them. */
  readonly dealt: boolean;
  /** The groups in which there is one person beside her: their numbers are about that person alone. */
  readonly single: readonly string[];
  /** The noisy degree from which on a user is asked for more; null where nobody is. */
  readonly hubFrom: number | null;
  /** How long reports are kept; null where no end is promised. */
  readonly retention: Retention | null;
  /** For closed-pairs, the last day on which lists wait for the second question; else null. */
  readonly answerUntil: string | null;
}

export interface Person {
  readonly name: string;
  /** Null where the list that the report was drawn from is not kept any more. */
  readonly friend: boolean | null;
  readonly listed: boolean;
}

/** A group, with what the report says of it and the true number of friends in it. */
export interface GroupCount {
  readonly name: string;
  readonly told: number;
  readonly truth: number | null;
}

/** What left: a report; right after the draw and for the example, beside the list that it was drawn from. */
export interface Receipt {
  readonly mechanism: string;
  readonly noisyDegree: number | null;
  readonly asked: boolean;
  /** Whether the report names people at all. */
  readonly lists: boolean;
  /** How many people it names. */
  readonly named: number;
  /** Who is named, and friends who are not; of many the first. */
  readonly people: readonly Person[];
  readonly counts: { readonly kept: number; readonly lost: number; readonly fake: number; readonly none: number } | null;
  /** Friends by group, where the report counts them so; else empty. */
  readonly groups: readonly GroupCount[];
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
  /** Whether the browser still keeps her list, for a second question that she has neither answered nor declined. */
  readonly keepsList: boolean;
  /** The code of the question that was answered; null where none was. */
  readonly answered: string | null;
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
    inquiry: published.inquiry,
    users: published.n,
    you: roster[published.user] ?? "",
    digest: spoken(published.rosterDigest),
    mechanism: published.mechanism,
    epoch: published.epoch,
    choices: published.choices.map(choiceView),
    accepted: accepted === null ? null : accepted / MILLION,
    groups: published.groupNames,
    dealt: published.dealt,
    single: published.groupNames.filter((_, group) => others(member, group) === 1),
    hubFrom: published.hubFrom,
    retention: published.retention,
    answerUntil: published.answerUntil,
  };
}

const others = ({ groups, published: { user } }: Membership, group: number): number =>
  groups?.reduce((count, each, number) => count + (each === group && number !== user ? 1 : 0), 0) ?? 0;

export function choiceView(choice: Choice): ChoiceView {
  const millionths = cost(choice);
  return { name: choice.name, epsilon: millionths === null ? null : millionths / MILLION };
}

export function standingView({ member, reported, entry, kept, list }: Standing): StandingView {
  const chosen = member.published.choices.find(({ name }) => name === (kept?.choice ?? entry?.choice));
  return {
    community: communityView(member),
    state: stateOf(entry, kept),
    reported,
    choice: chosen === undefined ? null : choiceView(chosen),
    asked: kept !== null && (kept.friends !== null || kept.answer !== null),
    keepsList: kept !== null && kept.friends !== null,
    answered: entry?.answered === true ? spoken(entry.question ?? "") : null,
    receipt: kept !== null && entry?.sent === true ? receiptOf(kept.report, kept.body, list, peopleOf(member)) : null,
  };
}

function stateOf(entry: Entry | null, kept: Kept | null): StandingView["state"] {
  if (entry === null) return "joined";
  if (entry.withdrawn) return entry.deleted ? "deleted" : "withdrawn";
  if (entry.sent) return "sent";
  return kept === null ? "charged" : "drawn";
}

/** Who is in a community, by name and group. */
export interface People {
  readonly roster: readonly string[];
  readonly groupNames: readonly string[];
  readonly groups: readonly number[] | null;
}

const peopleOf = ({ roster, published, groups }: Membership): People => ({ roster, groupNames: published.groupNames, groups });

function groupCounts(
  { counts }: Report,
  friends: readonly number[] | null,
  names: readonly string[],
  groups: readonly number[] | null,
): GroupCount[] {
  if (counts === null || groups === null) return [];
  const truth = friends === null ? null : trueCounts(friends, groups, names.length);
  return names.map((name, group) => ({ name, told: counts[group] ?? 0, truth: truth?.[group] ?? null }));
}

/** A report by name, beside the list that it was drawn from where that is at hand. */
export function receiptOf(
  report: Report,
  body: Uint8Array,
  friends: readonly number[] | null,
  { roster, groupNames, groups }: People,
): Receipt {
  const [listed, known] = [new Set(report.neighbours), new Set(friends ?? [])];
  const both = [...new Set([...listed, ...known])].sort((a, b) => a - b);
  const kept = both.filter((number) => listed.has(number) && known.has(number)).length;
  const people = both.slice(0, SHOWN).map((number) => ({
    name: roster[number] ?? "",
    friend: friends === null ? null : known.has(number),
    listed: listed.has(number),
  }));
  return {
    mechanism: report.mechanism,
    noisyDegree: report.noisyDegree,
    asked: askedAgain(report),
    lists: report.epsilon2 > 0,
    named: listed.size,
    people,
    counts:
      friends === null
        ? null
        : { kept, lost: known.size - kept, fake: listed.size - kept, none: report.n - 1 - both.length },
    groups: groupCounts(report, friends, groupNames, groups),
    bytes: toHex(body),
    size: body.length,
    json: reportToJson(report),
  };
}

/** What a community publishes, with who is in it. */
export type Pinned = Pick<Membership, "published" | "roster" | "groups">;

/** Every difference between two publications, by kind: as text, or as a promise that the page puts into words. */
export type Difference = Plain | Promised;

interface Plain {
  readonly what:
    "name" | keyof Inquiry | "users" | "mechanism" | "choices" | "joined" | "left" | "moved" | "you" | "asks" | "until" | "groups" | "regrouped" | "dealt" | "chosen";
  readonly was: string;
  readonly now: string;
}

interface Promised {
  readonly what: "kept";
  readonly was: Retention | null;
  readonly now: Retention | null;
}

export function differences(
  { published: before, roster: old, groups: oldGroups }: Pinned,
  { published: after, roster: fresh, groups: freshGroups }: Pinned,
): Difference[] {
  const offers = ({ choices }: Published): string => choices.map(offer).join(", ");
  const plainly: Plain[] = [
    { what: "name", was: before.name, now: after.name },
    ...(["operator", "purpose", "contact"] as const).map((what) => ({
      what,
      was: before.inquiry?.[what] ?? "–",
      now: after.inquiry?.[what] ?? "–",
    })),
    { what: "users", was: String(before.n), now: String(after.n) },
    { what: "you", was: old[before.user] ?? "", now: fresh[after.user] ?? "" },
    { what: "mechanism", was: before.mechanism, now: after.mechanism },
    { what: "asks", was: String(before.hubFrom), now: String(after.hubFrom) },
    { what: "until", was: before.answerUntil ?? "–", now: after.answerUntil ?? "–" },
    { what: "groups", was: some(before.groupNames), now: some(after.groupNames) },
    { what: "choices", was: offers(before), now: offers(after) },
  ];
  const [was, now] = [numbers(old), numbers(fresh)];
  const inGroup = new Map(old.map((name, number) => [name, before.groupNames[oldGroups?.[number] ?? -1]]));
  const regrouped = (name: string, number: number): boolean =>
    was.has(name) && inGroup.get(name) !== after.groupNames[freshGroups?.[number] ?? -1];
  const groups: [Plain["what"], string[]][] = [
    ["joined", fresh.filter((name) => !was.has(name))],
    ["left", old.filter((name) => !now.has(name))],
    ["moved", fresh.filter((name, number) => was.has(name) && was.get(name) !== number)],
    ["regrouped", oldGroups !== null && freshGroups !== null ? fresh.filter(regrouped) : []],
  ];
  const changed = groups.filter(([, names]) => names.length > 0);
  const promised = { what: "kept", was: before.retention, now: after.retention } as const;
  const same = promised.was?.days === promised.now?.days && promised.was?.keepsModels === promised.now?.keepsModels;
  return [
    ...plainly.filter((each) => each.was !== each.now),
    ...(before.dealt === after.dealt ? [] : [{ what: after.dealt ? "dealt" : "chosen", was: "", now: "" } as const]),
    ...(same ? [] : [promised]),
    ...changed.map(([what, names]) => ({ what, was: "", now: some(names) })),
  ];
}

/** A choice with what it spends on her number of friends and on her list, where it spends on both. */
function offer(choice: Choice): string {
  const parts = choice.epsilon1 && choice.epsilon2 && !isPublic(choice);
  const shares = parts ? `: ε₁ = ${choice.epsilon1}, ε₂ = ${choice.epsilon2}` : "";
  return `${apart(choice.name)} (ε = ${choiceView(choice).epsilon ?? "∞"}${shares})`;
}

const numbers = (names: readonly string[]): Map<string, number> => new Map(names.map((name, number) => [name, number]));
const some = (names: readonly string[]): string =>
  names.slice(0, 12).map(apart).join(", ") + (names.length > 12 ? ` … (${names.length})` : "");
