/** What the page shows, as plain values: the roster, the vault and the token stay with the worker. */

import { trueCounts } from "../core/draw.ts";
import { cost, type Choice } from "../core/wire/choice.ts";
import type { Published, Retention } from "../core/wire/community.ts";
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
  /** What the groups are called that friends are counted by; empty where they are not. */
  readonly groups: readonly string[];
  /** How long reports are kept; null where no end is promised. */
  readonly retention: Retention | null;
}

export interface Person {
  readonly name: string;
  readonly friend: boolean;
  readonly listed: boolean;
}

/** A group, with what the report says of it and the true number of friends in it. */
export interface GroupCount {
  readonly name: string;
  readonly told: number;
  readonly truth: number;
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
    groups: published.groupNames,
    retention: published.retention,
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
      kept !== null && entry?.sent === true ? receiptOf(kept.report, kept.body, kept.friends, peopleOf(member)) : null,
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
  friends: readonly number[],
  names: readonly string[],
  groups: readonly number[] | null,
): GroupCount[] {
  if (counts === null || groups === null) return [];
  const truth = trueCounts(friends, groups, names.length);
  return names.map((name, group) => ({ name, told: counts[group] ?? 0, truth: truth[group] ?? 0 }));
}

/** A report by name, beside the list that it was drawn from. */
export function receiptOf(
  report: Report,
  body: Uint8Array,
  friends: readonly number[],
  { roster, groupNames, groups }: People,
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
    groups: groupCounts(report, friends, groupNames, groups),
    bytes: Array.from(body, (byte) => byte.toString(16).padStart(2, "0")).join(""),
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
    "name" | "users" | "mechanism" | "choices" | "joined" | "left" | "moved" | "you" | "asks" | "groups" | "regrouped";
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
  const offers = ({ choices }: Published): string =>
    choices.map((choice) => `${choice.name} (ε = ${choiceView(choice).epsilon ?? "∞"})`).join(", ");
  const plainly: Plain[] = [
    { what: "name", was: before.name, now: after.name },
    { what: "users", was: String(before.n), now: String(after.n) },
    { what: "you", was: old[before.user] ?? "", now: fresh[after.user] ?? "" },
    { what: "mechanism", was: before.mechanism, now: after.mechanism },
    { what: "asks", was: String(before.hubFrom), now: String(after.hubFrom) },
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
    ...(same ? [] : [promised]),
    ...changed.map(([what, names]) => ({ what, was: "", now: some(names) })),
  ];
}

const numbers = (names: readonly string[]): Map<string, number> => new Map(names.map((name, number) => [name, number]));
const some = (names: readonly string[]): string =>
  names.slice(0, 12).join(", ") + (names.length > 12 ? ` … (${names.length})` : "");
