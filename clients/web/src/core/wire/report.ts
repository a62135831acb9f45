/**
 * One user's report as bytes: docs/reference/wire.md has the layout. Every report has exactly one encoding; whatever else arrives
 * is refused with a reason.
 */

import { WireError } from "../errors.ts";
import { checkWhole, joined, Reader } from "./bytes.ts";
import { checkCounts, mostGroups, readCounts, writeCounts } from "./counts.ts";
import * as golomb from "./golomb.ts";
import * as varints from "./varints.ts";

export const MEDIA_TYPE = "application/vnd.graphldp.report";
export const MECHANISMS = [
  "dprr",
  "rr",
  "noisy-degrees",
  "public",
  "hub-counts",
  "hub-lists",
  "friend-counts",
  "closed-pairs",
] as const;
export type Mechanism = (typeof MECHANISMS)[number];
export const MAX_USERS = 2 ** 27;
export const MILLION = 1_000_000;
export const DEGREE_RANGE = [-(2 ** 27), 2 ** 27 - 1] as const;

const MAX_EPSILON = (2 ** 24 - 1) / MILLION;
const MAX_HEADER = 24;
const FIRST_BYTE = 0xe1;

const WITH_DEGREE: readonly Mechanism[] = ["dprr", "noisy-degrees", "hub-counts", "hub-lists", "closed-pairs"];
const WITH_EDGES: readonly Mechanism[] = ["dprr", "rr", "hub-lists", "closed-pairs"];
export const withDegree = (mechanism: Mechanism) => WITH_DEGREE.includes(mechanism);
/** Whether friends are counted by public group. */
export const withCounts = (mechanism: Mechanism) => mechanism === "friend-counts";
/** Whether reports carry an ε₁. */
export const withEpsilon1 = (mechanism: Mechanism) => withDegree(mechanism) || withCounts(mechanism);
export const withEdges = (mechanism: Mechanism) => WITH_EDGES.includes(mechanism);
/** Whether hubs do something else than everybody else. */
export const withHubs = (mechanism: Mechanism) => mechanism === "hub-counts" || mechanism === "hub-lists";
/** Whether everybody is asked a second question. */
export const asksAll = (mechanism: Mechanism) => mechanism === "closed-pairs";
/** Whether some or all are. */
export const withSecond = (mechanism: Mechanism) => mechanism === "hub-counts" || asksAll(mechanism);
/** Whether reports have a list or have none, as each device finds out: ε₂ is 0 where there is none. */
export const mayLackList = (mechanism: Mechanism) => mechanism === "hub-lists";
export const isMechanism = (name: unknown): name is Mechanism => MECHANISMS.some((each) => each === name);

/** One user's report, as it leaves her device. */
export interface Report {
  readonly mechanism: Mechanism;
  /** Users in the community. */
  readonly n: number;
  /** The reporting user's number in the roster. */
  readonly user: number;
  /** ε₁, a whole number of millionths; 0 where the mechanism spends nothing on it, Infinity for public. */
  readonly epsilon1: number;
  /** ε₂, likewise; 0 where there is no list, as for who is no hub of hub-lists. By closed-pairs it is for the answer, too. */
  readonly epsilon2: number;
  /** d*, or null where the mechanism has none. */
  readonly noisyDegree: number | null;
  /** Sorted, distinct, in range, without the user herself; empty where ε₂ is 0. */
  readonly neighbours: Int32Array;
  /** For hub-counts, whether the user looks like a hub, and is to be asked again; else null. */
  readonly asked: boolean | null;
  /** For friend-counts, the noisy number of her friends in each group; else null. */
  readonly counts: readonly number[] | null;
}

/** Whether a report's user is asked a second question. */
export const askedAgain = ({ mechanism, asked }: Report) => asked === true || asksAll(mechanism);

/** The report itself, where the wire format has it; refused otherwise. */
export function checkReport(report: Report): Report {
  const { mechanism, n, user, noisyDegree } = report;
  if (!isMechanism(mechanism)) {
    throw new WireError(`A report's mechanism must be one of ${MECHANISMS.join(", ")}.`);
  }
  checkWhole("report", "n", n, 1, MAX_USERS);
  checkWhole("report", "user", user, 0, n - 1);
  const unspent = mechanism === "public" ? Infinity : 0;
  for (const [name, value, spends, mayBe0] of [
    ["ε₁", report.epsilon1, withEpsilon1(mechanism), false],
    ["ε₂", report.epsilon2, withEdges(mechanism), mayLackList(mechanism)],
  ] as const) {
    if (spends) toMillionths(value, mayBe0);
    else if (value !== unspent) throw new WireError(`The ${name} of a report by ${mechanism} is ${unspent}.`);
  }
  if (withDegree(mechanism)) checkWhole("report", "noisy_degree", noisyDegree, ...DEGREE_RANGE);
  else if (noisyDegree !== null) throw new WireError(`A report by ${mechanism} has no noisy degree.`);
  if (mechanism === "hub-counts" ? typeof report.asked !== "boolean" : report.asked !== null) {
    throw new WireError("A report by hub-counts, and no other, says whether its user is asked again.");
  }
  if (withCounts(mechanism)) checkCounts(report.counts, n, DEGREE_RANGE);
  else if (report.counts !== null) throw new WireError(`A report by ${mechanism} has no counts.`);
  checkList(report.neighbours, n, user);
  if (!report.epsilon2 && report.neighbours.length) {
    throw new WireError("A report that spends no ε₂ has an empty list.");
  }
  return report;
}

/** Refuse a list that is not sorted, distinct and of others in the community. */
export function checkList(list: Int32Array, n: number, user: number): void {
  let before = -1;
  for (const each of list) {
    if (each <= before || each >= n) {
      throw new WireError("A report's list must be sorted, distinct and within the community.");
    }
    if (each === user) throw new WireError("A report's list must not name the user herself.");
    before = each;
  }
}

/** ε as the whole number of millionths it stands for; one that is not the float nearest to one is refused. */
export function toMillionths(epsilon: number, mayBe0 = false): number {
  if (typeof epsilon !== "number" || !(epsilon <= MAX_EPSILON && (epsilon > 0 || (mayBe0 && epsilon === 0)))) {
    throw new WireError(`The ε of a report must be above 0 and at most ${MAX_EPSILON}.`);
  }
  const units = Math.round(epsilon * MILLION);
  if (units / MILLION !== epsilon) {
    throw new WireError("The ε of a report must be a whole number of millionths, such as 0.1 or 0.046001.");
  }
  return units;
}

/** The cap on an encoded report in a community of n users, and of so many groups where it has any. */
export function maxSize(n: number, groups = 0): number {
  return MAX_HEADER + Math.max(Math.ceil((n - 1) / 8), varints.MOST_BYTES * groups);
}

/** The one encoding of a report. */
export function encode(report: Report): Uint8Array<ArrayBuffer> {
  const { mechanism, n, user } = checkReport(report);
  let [k, payload] = [report.asked ? 1 : 0, new Uint8Array()];
  if (report.epsilon2) {
    const listed = report.neighbours.map((each) => each - (each > user ? 1 : 0));
    const written = 2 * listed.length > n - 1 ? complement(listed, n - 1) : listed;
    ({ k, payload } = golomb.pack(written));
  }
  return joined(
    [FIRST_BYTE, (MECHANISMS.indexOf(mechanism) << 5) | k],
    varints.write(n),
    varints.write(user),
    withEpsilon1(mechanism) ? threeBytes(report.epsilon1) : [],
    withEdges(mechanism) ? threeBytes(report.epsilon2) : [],
    report.noisyDegree === null ? [] : varints.write(varints.fold(report.noisyDegree)),
    report.counts === null ? [] : writeCounts(report.counts),
    report.epsilon2 ? varints.write(report.neighbours.length) : [],
    payload,
  );
}

/** Read a report; anything that `encode` would not have written is refused. */
export function decode(data: Uint8Array, n?: number): Report {
  const reader = new Reader(data, "report");
  if (reader.byte() !== FIRST_BYTE) throw new WireError("These bytes are not a report of a known version.");
  const code = reader.byte();
  const mechanism = MECHANISMS[code >> 5] as Mechanism; // each code has one
  const users = reader.varint("n");
  if (n !== undefined && users !== n) throw new WireError(`The report is for a community of ${users} users, not ${n}.`);
  checkWhole("report", "n", users, 1, MAX_USERS);
  const most = maxSize(users, withCounts(mechanism) ? mostGroups(users) : 0);
  if (data.length > most) throw new WireError(`A report in a community of ${users} users has at most ${most} bytes.`);
  const user = reader.varint("user");
  checkWhole("report", "user", user, 0, users - 1);
  const unspent = mechanism === "public" ? Infinity : 0;
  const epsilon1 = withEpsilon1(mechanism) ? readEpsilon(reader) : unspent;
  const epsilon2 = withEdges(mechanism) ? readEpsilon(reader, mayLackList(mechanism)) : unspent;
  const noisyDegree = withDegree(mechanism) ? reader.signed("noisy degree") : null;
  const counts = withCounts(mechanism) ? readCounts(reader, users) : null;
  const count = epsilon2 ? reader.varint("count") : 0;
  checkWhole("report", "count", count, 0, users - 1);
  let [k, asked]: [number, boolean | null] = [code & 31, null];
  if (mechanism === "hub-counts") {
    checkWhole("report", "code of who is asked", k, 0, 1);
    [k, asked] = [0, k === 1];
  }
  const neighbours = unpacked(reader.rest(), k, count, users - 1).map((each) => each + (each >= user ? 1 : 0));
  return checkReport({ mechanism, n: users, user, epsilon1, epsilon2, noisyDegree, neighbours, asked, counts });
}

/** The positions of a list, of so many others. */
function unpacked(payload: Uint8Array, k: number, count: number, others: number): Int32Array {
  const found = golomb.unpack(payload, k, Math.min(count, others - count), others);
  return 2 * count > others ? complement(found, others) : found;
}

function threeBytes(epsilon: number): number[] {
  const units = toMillionths(epsilon, true);
  return [units & 0xff, (units >> 8) & 0xff, units >> 16];
}

function readEpsilon(reader: Reader, mayBe0 = false): number {
  const [low = 0, middle = 0, high = 0] = reader.take(3);
  const units = low | (middle << 8) | (high << 16);
  if (!units && !mayBe0) throw new WireError(`The ε of a report must be above 0 and at most ${MAX_EPSILON}.`);
  return units / MILLION;
}

/** The positions below `size` that are not among these. */
function complement(positions: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const out = new Int32Array(size - positions.length);
  let [at, next] = [0, 0];
  for (let place = 0; place < size; place += 1) {
    if (positions[next] === place) next += 1;
    else out[at++] = place;
  }
  return out;
}
