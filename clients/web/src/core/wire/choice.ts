/** One ε that a community offers. */

import { WireError } from "../errors.ts";
import { type Json, Real } from "./json.ts";
import { checkName } from "./names.ts";
import { type Mechanism, MILLION, mayLackList, toMillionths, withEdges, withEpsilon1 } from "./report.ts";

export interface Choice {
  /** What users choose by. */
  readonly name: string;
  /**
   * ε₁, in whole millionths; 0 where the mechanism has no noisy degree, Infinity for a public list. By hub-lists ε₁ and ε₂
   * are what a hub spends; everybody else spends both on her degree.
   */
  readonly epsilon1: number;
  /** ε₂, likewise; 0 where the mechanism has no list. */
  readonly epsilon2: number;
}

/** Whether a choice publishes the list as it is. */
export function isPublic(choice: Choice): boolean {
  return choice.epsilon1 === Infinity;
}

/** ε₁ + ε₂ in millionths, exactly; null for a public list, which no ε protects. */
export function cost(choice: Choice): number | null {
  const spent = [choice.epsilon1, choice.epsilon2].filter((value) => value !== 0);
  return isPublic(choice) ? null : spent.reduce((sum, value) => sum + toMillionths(value), 0);
}

/** Read a choice of a community by a mechanism. */
export function readChoice(fields: Json, mechanism: Mechanism): Choice {
  const given = fields instanceof Map ? ["name", "epsilon1", "epsilon2"].map((key) => fields.get(key)) : [];
  if (given.length !== 3 || given.includes(undefined)) {
    throw new WireError("A choice has a name, epsilon1 and epsilon2.");
  }
  const name = checkName(given[0]);
  if (given[1] === null && given[2] === null) return { name, epsilon1: Infinity, epsilon2: Infinity };
  const [epsilon1, epsilon2] = [given[1], given[2]].map((value) => (value instanceof Real ? value.value : value));
  const choice = { name, epsilon1: epsilon1 as number, epsilon2: epsilon2 as number };
  if (isPublic(choice)) throw new WireError("An infinite ε is written as null.");
  checkChoice(choice, mechanism);
  return choice;
}

/** Refuse an ε that no report by a mechanism carries. */
export function checkChoice(choice: Choice, mechanism: Mechanism): void {
  if (mechanism === "public") return;
  for (const [value, spends, mayBe0] of [
    [choice.epsilon1, withEpsilon1(mechanism), false],
    [choice.epsilon2, withEdges(mechanism), mayLackList(mechanism)],
  ] as const) {
    if (spends) toMillionths(value, mayBe0);
    else if (value !== 0) throw new WireError(`It spends ε on what ${mechanism} does not report.`);
  }
  if (mayLackList(mechanism)) toMillionths((cost(choice) ?? 0) / MILLION); // all of it may go to the degree
}

/** A choice as a community publishes it; null stands for an infinite ε, which JSON cannot write. */
export function writeChoice(choice: Choice): { name: string; epsilon1: number | null; epsilon2: number | null } {
  return isPublic(choice) ? { name: choice.name, epsilon1: null, epsilon2: null } : { ...choice };
}
