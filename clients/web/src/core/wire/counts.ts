/**
 * Friends counted by public group, as bytes: how many groups there are, then a zigzag varint for each. How long it is
 * depends on the noisy numbers alone.
 */

import { WireError } from "../errors.ts";
import { checkWhole, type Reader } from "./bytes.ts";
import * as varints from "./varints.ts";

export const MAX_GROUPS = 256;

/** How many groups a community of n users can have: nobody is in two, and none is empty. */
export const mostGroups = (n: number): number => Math.min(MAX_GROUPS, n);

/** Refuse what is no whole number within a range for each group of a community of n users. */
export function checkCounts(counts: readonly number[] | null, n: number, range: readonly [number, number]): void {
  if (!Array.isArray(counts)) throw new WireError("A report's counts must be one whole number for each group.");
  checkWhole("report", "number of groups", counts.length, 2, mostGroups(n));
  for (const count of counts) checkWhole("report", "count of friends", count, ...range);
}

/** The one form of counts. */
export function writeCounts(counts: readonly number[]): number[] {
  return [counts.length, ...counts.map(varints.fold)].flatMap((each) => [...varints.write(each)]);
}

/** Counts of a community of n users; a few bytes cannot claim more groups than it can have. */
export function readCounts(reader: Reader, n: number): number[] {
  const groups = reader.varint("number of groups");
  checkWhole("report", "number of groups", groups, 2, mostGroups(n));
  return Array.from({ length: groups }, () => reader.signed("count of friends"));
}
