/** What a community publishes to its members: who is in it, how reports are drawn, and the choices of ε. */

import { WireError } from "../errors.ts";
import { fromHex } from "./bytes.ts";
import { type Choice, isPublic, readChoice, writeChoice } from "./choice.ts";
import { mostGroups } from "./counts.ts";
import { deal, dealSeed } from "./deal.ts";
import { type Fields, type Json, readObject, whole } from "./json.ts";
import { checkName, checkNames, checkText } from "./names.ts";
import { MOST_LISTED } from "./question.ts";
import { asksAll, DEGREE_RANGE, isMechanism, MAX_USERS, type Mechanism, withCounts, withHubs, withSecond } from "./report.ts";
import { rosterDigest } from "./roster.ts";

export const MAX_EPOCH = 2 ** 31 - 1;
const MAX_RETENTION = 36_500;
// of the whole message, checked before it is read: nothing in it costs a client more than it has
export const MOST_BYTES = 1 << 27; // three million names of forty bytes
const MOST_BRACKETS = 1 << 16; // brackets cost a reader the most memory a byte, and an honest message has few
const MOST_COMMAS = 1 << 23;
export const ID_PATTERN = /^[a-z0-9-]{1,64}$/;
const KEY_PATTERN = /^04[0-9a-f]{128}$/; // a point of P-256, uncompressed
const DAY_PATTERN = /^2[0-9]{3}-[0-9]{2}-[0-9]{2}$/;
const DIGEST_PATTERN = /^[0-9a-f]{64}$/;

/** How long reports are kept, where that is promised. */
export interface Retention {
  /** After how many days a report is deleted. */
  readonly days: number;
  /** Whether what was learned from it may be used after that. */
  readonly keepsModels: boolean;
}

const LONGEST_TEXTS = { purpose: 500, operator: 200, contact: 200 };

/** Who asks a community's members, what for, and whom they can write to. */
export type Inquiry = Readonly<Record<keyof typeof LONGEST_TEXTS, string>>;

/** A community, as the holder of one slot sees it. */
export interface Published {
  readonly id: string;
  readonly name: string;
  /** Null where nobody said so. */
  readonly inquiry: Inquiry | null;
  /** How many users the roster names. */
  readonly n: number;
  /** The slot that the token opens. */
  readonly user: number;
  readonly mechanism: Mechanism;
  readonly choices: readonly Choice[];
  /** Which collection this is of the same people. */
  readonly epoch: number;
  readonly rosterDigest: string;
  /** For hub-counts and hub-lists, the noisy degree from which on a user is a hub; null where nobody is. */
  readonly hubFrom: number | null;
  /** For friend-counts, what the groups are called, in the order of their numbers; else empty. */
  readonly groupNames: readonly string[];
  /** Whether users were dealt into these groups; only of friend-counts. */
  readonly dealt: boolean;
  /** Null where no end is promised. */
  readonly retention: Retention | null;
  /** For closed-pairs, the last day on which lists are kept for the second question; else null. */
  readonly answerUntil: string | null;
}

/** The whole message of a community to a member. */
export interface Publication {
  readonly published: Published;
  /** The epochs in which the collector has her report, or had it deleted. */
  readonly held: readonly number[];
  /** Where there is a second question, the epochs in which it has her answer. */
  readonly answered: readonly number[];
  /** The users' names, in the order of their numbers. */
  readonly roster: readonly string[];
  /** For friend-counts, the number of each user's group; else null. */
  readonly groups: readonly number[] | null;
  /** The collector's key, where it takes sealed reports. */
  readonly sealingKey: Uint8Array<ArrayBuffer> | null;
}

/** The mechanism of a report by a choice. */
export function drawnBy(published: Published, choice: Choice): Mechanism {
  return isPublic(choice) ? "public" : published.mechanism;
}

/** Read what a collector answered; its roster must have the digest that it publishes. */
export async function readPublication(text: string): Promise<Publication> {
  if (marks(text, "[{") > MOST_BRACKETS || marks(text, ",") > MOST_COMMAS) refuse();
  const fields = readObject(text);
  const published = readPublished(fields);
  const held = epochs(fields.get("held"));
  const answered = withSecond(published.mechanism) ? epochs(fields.get("answered")) : [];
  const key = fields.get("sealing_key");
  const sealingKey = key === undefined ? null : fromHex(matching(KEY_PATTERN, key));
  const roster = fields.get("roster");
  const isName = (name: Json): name is string => typeof name === "string";
  if (!Array.isArray(roster) || roster.length !== published.n || !roster.every(isName)) {
    throw new WireError("The roster must be a list of as many names as the community has users.");
  }
  checkNames(roster);
  const groups = published.groupNames.length > 0 ? partition(published, fields.get("groups")) : null;
  const digest = await rosterDigest(roster, published.groupNames, groups ?? []);
  if (digest !== published.rosterDigest) {
    throw new WireError("The roster is not the one that the community was opened with.");
  }
  if (published.dealt) await checkDeal(published, roster, groups ?? []);
  return { published, held, answered, roster, groups, sealingKey };
}

/** Read what a collector answered, or what `writePublished` wrote, but for the roster. */
export function readPublished(fields: Fields): Published {
  const mechanism = fields.get("mechanism");
  const choices = fields.get("choices");
  if (typeof mechanism !== "string" || !Array.isArray(choices)) refuse();
  if (!isMechanism(mechanism) || mechanism === "public") {
    throw new WireError("The community publishes an unknown mechanism, or two choices of one name.");
  }
  const found: Published = {
    id: matching(ID_PATTERN, fields.get("id")),
    name: checkName(fields.get("name")),
    inquiry: inquiry(fields),
    n: whole(fields.get("n"), 1, MAX_USERS, refuse),
    user: whole(fields.get("user"), 0, MAX_USERS - 1, refuse),
    mechanism,
    choices: choices.map((each) => readChoice(each, mechanism)),
    epoch: whole(fields.get("epoch"), 1, MAX_EPOCH, refuse),
    rosterDigest: matching(DIGEST_PATTERN, fields.get("roster_digest")),
    hubFrom: hubFrom(mechanism, fields.get("hub_from")),
    groupNames: groupNames(mechanism, fields.get("group_names"), fields.get("n")),
    dealt: dealt(mechanism, fields.get("dealt")),
    retention: retention(fields.get("retention_days"), fields.get("keeps_models")),
    answerUntil: asksAll(mechanism) ? day(fields.get("answer_until")) : null,
  };
  if (found.user >= found.n || !choices.length) {
    throw new WireError("The community publishes a slot that it does not have, or no choice.");
  }
  if (found.dealt && found.groupNames.some((name, number) => name !== String(number + 1))) {
    throw new WireError("Groups that users are dealt into are called by their numbers, from 1 on.");
  }
  if (new Set(found.choices.map((each) => each.name)).size !== choices.length) {
    throw new WireError("The community publishes an unknown mechanism, or two choices of one name.");
  }
  const [choice, ...others] = found.choices;
  if (found.answerUntil !== null && (others.length > 0 || choice === undefined || isPublic(choice) || found.n > MOST_LISTED)) {
    throw new WireError("A community by closed-pairs has 2,000 users at most, and one choice, which is private.");
  }
  return found;
}

/** What `readPublished` reads, as fields of JSON. */
export function writePublished(published: Published): Record<string, unknown> {
  const { id, name, n, user, mechanism, epoch } = published;
  const choices = published.choices.map(writeChoice);
  const until = published.answerUntil === null ? {} : { answer_until: published.answerUntil };
  const asks = withHubs(mechanism) ? { hub_from: published.hubFrom } : until;
  const deal = published.dealt ? { dealt: true } : {};
  const counts = withCounts(mechanism) ? { group_names: [...published.groupNames], ...deal } : {};
  const { retention: kept, rosterDigest: roster_digest } = published;
  const promises = kept === null ? {} : { retention_days: kept.days, keeps_models: kept.keepsModels };
  return { id, name, ...published.inquiry, n, user, mechanism, choices, epoch, roster_digest, ...asks, ...counts, ...promises };
}

/** All three texts, or none of them. */
function inquiry(fields: Fields): Inquiry | null {
  const text = (name: keyof Inquiry): string => checkText(`The ${name} of a community`, fields.get(name), LONGEST_TEXTS[name]);
  if (!Object.keys(LONGEST_TEXTS).some((name) => fields.has(name))) return null;
  return { purpose: text("purpose"), operator: text("operator"), contact: text("contact") };
}

function hubFrom(mechanism: Mechanism, value: Json | undefined): number | null {
  return !withHubs(mechanism) || value === null ? null : whole(value, ...DEGREE_RANGE, refuse);
}

function groupNames(mechanism: Mechanism, value: Json | undefined, n: Json | undefined): string[] {
  if (!withCounts(mechanism)) return [];
  const names = Array.isArray(value) ? value.map(checkName) : refuse();
  if (new Set(names).size !== names.length || names.length < 2 || names.length > mostGroups(Number(n))) {
    throw new WireError("A community by friend-counts publishes two groups or more, by distinct names.");
  }
  return names;
}

function dealt(mechanism: Mechanism, value: Json = false): boolean {
  if (!withCounts(mechanism)) return false;
  return typeof value === "boolean" ? value : refuse();
}

/** Refuse groups that are not those of the deal, which the community's id, epoch and names decide. */
async function checkDeal({ id, epoch, groupNames }: Published, roster: readonly string[], groups: readonly number[]): Promise<void> {
  const made = await deal(await dealSeed(id, epoch, await rosterDigest(roster)), roster.length, groupNames.length);
  if (made.some((group, user) => group !== groups[user])) {
    throw new WireError("The groups are not those of the deal, which the community's id, epoch and names decide.");
  }
}

function retention(days: Json | undefined, keepsModels: Json = true): Retention | null {
  if (typeof keepsModels !== "boolean") refuse();
  return days === undefined ? null : { days: whole(days, 1, MAX_RETENTION, refuse), keepsModels };
}

/** The number of each user's group: each of n users is in one, and none of them is empty. */
function partition({ n, groupNames: names }: Published, value: Json | undefined): number[] {
  const inside = (each: Json): each is number => typeof each === "number" && each >= 0 && each < names.length;
  if (!Array.isArray(value) || value.length !== n || !value.every(inside) || new Set(value).size !== names.length) {
    throw new WireError("The groups must say of each user in which one she is, and none may be empty.");
  }
  return value;
}

/** A day that there is, as text. */
function day(value: Json | undefined): string {
  const text = matching(DAY_PATTERN, value);
  const found = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(text) ? text : refuse();
}

function epochs(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.map((epoch) => whole(epoch, 1, MAX_EPOCH, refuse)) : refuse();
}

function matching(pattern: RegExp, value: Json | undefined): string {
  return typeof value === "string" && pattern.test(value) ? value : refuse();
}

function marks(text: string, some: string): number {
  let count = 0;
  for (const mark of some) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count += 1;
  }
  return count;
}

function refuse(): never {
  throw new WireError("What the community publishes is not as the wire format has it.");
}
