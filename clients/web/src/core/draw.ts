/**
 * One report, drawn exactly: the same law as the Python client's, and from the same random bytes the same report.
 *
 *     d* = d + Z,    report j    iff    U_j < T₁ (a neighbour)    or    U_j < T₀ (a stranger)
 *
 * with Z a discrete Laplace noise of ε₁ and one word U_j of 64 bits for each other user. Every user costs the same work.
 * For friend-counts there is one noise for each group, and neither d* nor list. For closed-pairs ε₂ is for the list and
 * for the answer to the second question, whose noise is drawn with the report.
 * Drawn twice, a report costs twice: callers keep what they get.
 */

import { Entropy } from "./entropy.ts";
import { WireError } from "./errors.ts";
import { type Fraction, fraction, plus } from "./fraction.ts";
import { coarseningStep, discreteLaplace } from "./laplace.ts";
import { cap, capped, parts } from "./pairs.ts";
import { type Thresholds, thresholds } from "./thresholds.ts";
import type { Answer } from "./wire/answer.ts";
import { type Choice, checkChoice, cost } from "./wire/choice.ts";
import { drawnBy, type Published } from "./wire/community.ts";
import type { Question } from "./wire/question.ts";
import {
  checkList,
  DEGREE_RANGE,
  encode,
  MILLION,
  type Mechanism,
  type Report,
  toMillionths,
  withDegree,
} from "./wire/report.ts";

const CHUNK = 8192; // words at a time: as many as one call for entropy gives

export interface Drawn {
  readonly report: Report;
  /** What is kept and sent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the user is asked again: the noise N₂ that her answer takes. It is kept, and never sent. */
  readonly noise: number | null;
}

/**
 * Draw one user's report to a community by one of its choices. For friend-counts, `groups` are the numbers of all users'
 * groups. The entropy is the browser's own; tests give another.
 */
export function draw(
  published: Published,
  choice: Choice,
  friends: ArrayLike<number>,
  groups: readonly number[] | null,
  entropy: Entropy = new Entropy(),
): Drawn {
  const { n, user } = published;
  const mine = Int32Array.from(friends);
  checkList(mine, n, user);
  const mechanism = drawnBy(published, choice);
  const { epsilon1, epsilon2 } = choice;
  const empty: Report = {
    ...{ mechanism, n, user, epsilon1, epsilon2 },
    noisyDegree: withDegree(mechanism) ? 0 : null,
    neighbours: new Int32Array(),
    asked: mechanism === "hub-counts" ? false : null,
    counts: null,
  };
  checkChoice(choice, mechanism); // before any draw
  const { noise, ...drawn } = DRAWS[mechanism](mine, published, choice, entropy, groups ?? []);
  const report = { ...empty, ...drawn };
  return { report, bytes: encode(report), noise: noise ?? null };
}

/** Count a user's friends, or pairs of them, with the noise that was drawn with her report. Answered twice, it tells more. */
export function answer(question: Question, friends: ArrayLike<number>, report: Report, noise: number): Answer {
  const { n, busy, listed, digest } = question;
  const mine = Array.from(friends);
  const count = listed === null ? mine.reduce((sum, friend) => sum + (busy?.[friend] ?? 0), 0) : pairs(listed, n, mine, cap(report));
  return { n, user: report.user, question: digest, count: clipped(count + noise) };
}

/** How many published bits say that two of her friends are friends, under the cap, less the cap for each friend. */
function pairs(listed: Uint8Array, n: number, friends: readonly number[], most: number): number {
  const size = friends.length;
  const among = new Uint8Array(size * size);
  friends.forEach((one, row) => {
    friends.forEach((two, column) => {
      among[row * size + column] = (listed[one * n + two] ?? 0) + (listed[two * n + one] ?? 0);
    });
  });
  return capped(among, size, most) - most * size;
}

interface Outcome {
  epsilon1?: number;
  epsilon2?: number;
  noisyDegree?: number;
  neighbours?: Int32Array;
  asked?: boolean;
  counts?: readonly number[];
  noise?: number;
}

type Draw = (
  friends: Int32Array,
  published: Published,
  choice: Choice,
  entropy: Entropy,
  groups: readonly number[],
) => Outcome;

/** How each mechanism draws: the order in which entropy is asked for is part of what the clients agree on. */
const DRAWS: Record<Mechanism, Draw> = {
  public: (friends) => ({ neighbours: friends }),
  rr: drawLists,
  dprr: drawLists,
  "noisy-degrees": (friends, _published, choice, entropy) => ({ noisyDegree: drawDegree(friends, choice, entropy) }),
  "hub-counts": drawHubCounts,
  "hub-lists": drawHubLists,
  "friend-counts": drawCounts,
  "closed-pairs": drawClosedPairs,
};

function drawLists(friends: Int32Array, published: Published, choice: Choice, entropy: Entropy): Outcome {
  const { mechanism, n, user } = published;
  const degree = withDegree(mechanism) ? { noisyDegree: drawDegree(friends, choice, entropy) } : {};
  const limits = thresholds(exact(choice.epsilon2), n, degree.noisyDegree ?? null);
  return { ...degree, neighbours: drawList(friends, n, user, limits, entropy) };
}

function drawDegree(friends: Int32Array, choice: Choice, entropy: Entropy): number {
  return clipped(friends.length + discreteLaplace(exact(choice.epsilon1), entropy));
}

/** With N₁ and N₂ drawn together: r = d + N₁ + N₂ where that reaches the point from which users are asked, else d + N₁. */
function drawHubCounts(friends: Int32Array, published: Published, choice: Choice, entropy: Entropy): Outcome {
  const epsilon = exact(choice.epsilon1);
  const first = discreteLaplace(epsilon, entropy);
  const second = discreteLaplace(epsilon, entropy);
  const rough = friends.length + first + second;
  const asked = published.hubFrom !== null && rough >= published.hubFrom;
  const noisyDegree = clipped(asked ? rough : friends.length + first);
  return asked ? { noisyDegree, asked, noise: second } : { noisyDegree, asked };
}

/** d + Z with Z of ε₁ + ε₂; where that, made coarser, reaches the point from which users are hubs, coarse and with a list. */
function drawHubLists(friends: Int32Array, published: Published, choice: Choice, entropy: Entropy): Outcome {
  const { n, user, hubFrom } = published;
  const coarse = exact(choice.epsilon1);
  const whole = choice.epsilon2 ? plus(coarse, exact(choice.epsilon2)) : coarse;
  const fine = friends.length + discreteLaplace(whole, entropy);
  if (choice.epsilon2 && hubFrom !== null) {
    const rough = fine + coarseningStep(whole, coarse, entropy);
    if (rough >= hubFrom) {
      const limits = thresholds(exact(choice.epsilon2), n, null);
      return { noisyDegree: clipped(rough), neighbours: drawList(friends, n, user, limits, entropy) };
    }
  }
  return { noisyDegree: clipped(fine), epsilon1: (cost(choice) ?? 0) / MILLION, epsilon2: 0 };
}

/** A degree and a list; C follows from the degree, and the noise of the answer from C. */
function drawClosedPairs(friends: Int32Array, published: Published, choice: Choice, entropy: Entropy): Outcome {
  const { n, user } = published;
  const { list, answer: spent } = parts(choice.epsilon2);
  const noisyDegree = drawDegree(friends, choice, entropy);
  const neighbours = drawList(friends, n, user, thresholds(list, n, null), entropy);
  const most = BigInt(cap({ ...choice, n, noisyDegree }));
  const noise = discreteLaplace(fraction(spent.numerator, spent.denominator * most), entropy);
  return { noisyDegree, neighbours, noise };
}

/** For each group, the number of friends in it and a noise of its own. */
function drawCounts(friends: Int32Array, published: Published, choice: Choice, entropy: Entropy, groups: readonly number[]): Outcome {
  const epsilon = exact(choice.epsilon1);
  const counts = trueCounts(friends, groups, published.groupNames.length);
  return { counts: counts.map((count) => clipped(count + discreteLaplace(epsilon, entropy))) };
}

/** How many friends are in each of so many groups; this never leaves the device. */
export function trueCounts(friends: ArrayLike<number>, groups: readonly number[], count: number): number[] {
  const found = new Array<number>(count).fill(0);
  for (const friend of Array.from(friends)) {
    const group = groups[friend];
    if (group === undefined || group >= count) throw new WireError("Everybody must be in one group.");
    found[group] = (found[group] ?? 0) + 1;
  }
  return found;
}

/** One word per other user, compared with the threshold of what she is. */
function drawList(friends: Int32Array, n: number, user: number, limits: Thresholds, entropy: Entropy): Int32Array {
  const others = new Uint8Array(n - 1);
  for (const friend of friends) others[friend - (friend > user ? 1 : 0)] = 1;
  const both = [limits.stranger, limits.neighbour];
  const high = Uint32Array.from(both, (limit) => Number(limit >> 32n));
  const low = Uint32Array.from(both, (limit) => Number(limit & 0xffffffffn));
  const listed = new Int32Array(n - 1);
  let count = 0;
  for (let start = 0; start < n - 1; start += CHUNK) {
    const end = Math.min(start + CHUNK, n - 1);
    const drawn = entropy.bytes(8 * (end - start));
    const words = new DataView(drawn.buffer, drawn.byteOffset, drawn.byteLength);
    for (let place = start; place < end; place += 1) {
      const kind = others[place] as 0 | 1;
      const top = words.getUint32(8 * (place - start) + 4, true);
      const rest = words.getUint32(8 * (place - start), true);
      const [limitTop, limitRest] = [high[kind] as number, low[kind] as number];
      listed[count] = place + (place >= user ? 1 : 0);
      count += top < limitTop || (top === limitTop && rest < limitRest) ? 1 : 0;
    }
  }
  return listed.slice(0, count);
}

/** The ε that a float stands for: a whole number of millionths. */
export function exact(epsilon: number): Fraction {
  return fraction(BigInt(toMillionths(epsilon)), BigInt(MILLION));
}

/** Brought into the range of the wire: work on what is already noisy, which costs no privacy. */
function clipped(value: number): number {
  return Math.min(Math.max(value, DEGREE_RANGE[0]), DEGREE_RANGE[1]);
}
