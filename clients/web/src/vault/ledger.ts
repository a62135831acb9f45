/**
 * What a user has spent, in all communities together, in whole millionths of ε. The form is that of the Python client's
 * `ledger.json`, so one client reads what the other wrote. An entry is made before a report is drawn, marked when it is
 * drawn, and never deleted: what was sent is known.
 */

import { address } from "../core/wire/invitation.ts";
import { Trouble } from "./trouble.ts";

export const MILLION = 1_000_000;
export const DEFAULT_CAP = 5 * MILLION;

export interface Slot {
  readonly server: string;
  readonly community: string;
  readonly epoch: number;
}

export interface Entry extends Slot {
  readonly choice: string;
  /** ε₁ + ε₂ in millionths; null for a public list. */
  readonly millionths: number | null;
  readonly drawn: boolean;
  readonly sent: boolean;
  /** The digest of the one second question that was answered for it, or will be. */
  readonly question: string | null;
  readonly answered: boolean;
  /** Whether she has taken the report back: it is never sent again, and its ε stays spent. */
  readonly withdrawn: boolean;
  /** Whether the collector has acknowledged that it deleted the report. */
  readonly deleted: boolean;
}

const MARKS = ["drawn", "sent", "answered", "withdrawn", "deleted"] as const;
const UNMARKED = { drawn: false, sent: false, question: null, answered: false, withdrawn: false, deleted: false };

export interface Ledger {
  readonly version: 1;
  readonly cap: number;
  readonly entries: readonly Entry[];
}

export const EMPTY: Ledger = { version: 1, cap: DEFAULT_CAP, entries: [] };

export const sameSlot = (a: Slot, b: Slot): boolean =>
  a.server === b.server && a.community === b.community && a.epoch === b.epoch;

export const spent = (ledger: Ledger): number => total(ledger.entries);

export const find = (ledger: Ledger, slot: Slot): Entry | undefined =>
  ledger.entries.find((entry) => sameSlot(entry, slot));

/** The latest epoch in which a report was drawn for a community; 0 for none. */
export function lastEpoch(ledger: Ledger, server: string, community: string): number {
  const drawn = ledger.entries.filter((e) => e.drawn && e.server === server && e.community === community);
  return drawn.reduce((last, { epoch }) => Math.max(last, epoch), 0); // not spread: an added account may be long
}

/** Enter a report's cost before it is drawn. An entry whose report was never drawn is replaced: it cost nothing. */
export function charged(ledger: Ledger, slot: Slot, choice: string, millionths: number | null): Ledger {
  const others = ledger.entries.filter((entry) => !sameSlot(entry, slot));
  const before = total(others);
  if (millionths !== null && before + millionths > ledger.cap) {
    throw new Trouble("over-cap", { cost: millionths, before, cap: ledger.cap });
  }
  const { server, community, epoch } = slot;
  return { ...ledger, entries: [...others, { server, community, epoch, choice, millionths, ...UNMARKED }] };
}

/** Note something of an entry that is there. */
export function noted(ledger: Ledger, slot: Slot, marks: Partial<Entry>): Ledger {
  const entries = ledger.entries.map((entry) => (sameSlot(entry, slot) ? { ...entry, ...marks } : entry));
  return { ...ledger, entries };
}

/**
 * Two devices' ledgers as one. Where both know a report, its larger cost counts, and a mark of either: so what one of
 * them drew, the other never draws again. The smaller cap holds.
 */
export function merged(ours: Ledger, theirs: Ledger): Ledger {
  const entries = new Map(ours.entries.map((entry) => [keyOf(entry), entry]));
  for (const entry of theirs.entries) {
    const known = entries.get(keyOf(entry));
    entries.set(keyOf(entry), known === undefined ? entry : joined(known, entry));
  }
  return { version: 1, cap: Math.min(ours.cap, theirs.cap), entries: [...entries.values()] };
}

/** Read a ledger that was kept here or exported from a client. */
export function readLedger(value: unknown, kind: "damaged" | "not-a-ledger"): Ledger {
  const { cap, entries: given } = isRecord(value) ? value : ({} as Record<string, unknown>);
  if (!isWhole(cap) || !Array.isArray(given)) throw new Trouble(kind);
  const entries = new Map<string, Entry>();
  for (const entry of given.map((each: unknown) => readEntry(each, kind))) {
    const known = entries.get(keyOf(entry));
    entries.set(keyOf(entry), known === undefined ? entry : both(known, entry));
  }
  return { version: 1, cap, entries: [...entries.values()] };
}

function readEntry(value: unknown, kind: "damaged" | "not-a-ledger"): Entry {
  const fields = isRecord(value) ? value : ({} as Record<string, unknown>);
  const { server, community, epoch, choice, millionths, question } = fields;
  if (typeof server !== "string" || typeof community !== "string" || typeof choice !== "string") throw new Trouble(kind);
  if (!isWhole(epoch) || !(millionths === null || isWhole(millionths))) throw new Trouble(kind);
  if (!(question === null || typeof question === "string")) throw new Trouble(kind);
  if (!MARKS.every((mark) => typeof fields[mark] === "boolean")) throw new Trouble(kind);
  const marks = Object.fromEntries(MARKS.map((mark) => [mark, fields[mark]])) as Pick<Entry, (typeof MARKS)[number]>;
  return { server: oneWay(server, kind), community, epoch, choice, millionths, question, ...marks };
}

function oneWay(server: string, kind: "damaged" | "not-a-ledger"): string {
  try {
    return address(server);
  } catch {
    throw new Trouble(kind);
  }
}

/** Two reports for one slot, under two ways to write its address: both left, so both count. */
function both(first: Entry, second: Entry): Entry {
  const costs = [first.millionths, second.millionths];
  return { ...joined(first, second), millionths: costs.includes(null) ? null : total([first, second]) };
}

function joined(ours: Entry, theirs: Entry): Entry {
  const marks = Object.fromEntries(MARKS.map((mark) => [mark, ours[mark] || theirs[mark]]));
  return { ...(costOf(theirs) > costOf(ours) ? theirs : ours), question: ours.question ?? theirs.question, ...marks };
}

const costOf = (entry: Entry): number => entry.millionths ?? Infinity;
const keyOf = (slot: Slot): string => JSON.stringify([slot.server, slot.community, slot.epoch]);
const total = (entries: readonly Entry[]): number => entries.reduce((sum, entry) => sum + (entry.millionths ?? 0), 0);
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
