/** A report as JSON, for people: the same fields as its bytes, read as strictly. */

import { WireError } from "../errors.ts";
import { type Json, readObject, Real } from "./json.ts";
import {
  checkReport,
  isMechanism,
  MAX_USERS,
  MECHANISMS,
  type Mechanism,
  type Report,
  withCounts,
  withDegree,
  withEdges,
  withEpsilon1,
} from "./report.ts";

/** The form for people: the fields that the mechanism has, and nothing else. */
export function reportToJson(report: Report): string {
  const values: Record<string, unknown> = {
    ...report,
    noisy_degree: report.noisyDegree,
    neighbours: Array.from(report.neighbours),
  };
  return JSON.stringify(Object.fromEntries(fieldNames(report.mechanism).map((name) => [name, values[name]])));
}

/** Read the form for people, as strictly as bytes. */
export function reportFromJson(text: string): Report {
  const fields = readObject(text);
  const mechanism = fields.get("mechanism");
  if (!isMechanism(mechanism)) {
    throw new WireError(`A report in JSON is an object whose mechanism is one of ${MECHANISMS.join(", ")}.`);
  }
  const names = fieldNames(mechanism);
  if (fields.size !== names.length || !names.every((name) => fields.has(name))) {
    throw new WireError(`A report by ${mechanism} in JSON has the fields ${names.join(", ")}.`);
  }
  const neighbours = fields.get("neighbours");
  const listed = (each: Json): each is number => typeof each === "number" && each >= 0 && each < MAX_USERS;
  if (!Array.isArray(neighbours) || !neighbours.every(listed)) {
    throw new WireError("A report's list must be a flat array of whole numbers.");
  }
  const spent = (name: string) => {
    const value = fields.has(name) ? fields.get(name) : mechanism === "public" ? Infinity : 0;
    return (value instanceof Real ? value.value : value) as number;
  };
  return checkReport({
    mechanism,
    n: fields.get("n") as number,
    user: fields.get("user") as number,
    epsilon1: spent("epsilon1"),
    epsilon2: spent("epsilon2"),
    noisyDegree: (fields.get("noisy_degree") ?? null) as number | null,
    neighbours: Int32Array.from(neighbours),
    asked: (fields.get("asked") ?? null) as boolean | null,
    counts: (fields.get("counts") ?? null) as number[] | null,
  });
}

function fieldNames(mechanism: Mechanism): string[] {
  return [
    ...["mechanism", "n", "user"],
    ...(withEpsilon1(mechanism) ? ["epsilon1"] : []),
    ...(withEdges(mechanism) ? ["epsilon2"] : []),
    ...(withDegree(mechanism) ? ["noisy_degree"] : []),
    ...(mechanism === "hub-counts" ? ["asked"] : []),
    ...(withCounts(mechanism) ? ["counts"] : []),
    "neighbours",
  ];
}
