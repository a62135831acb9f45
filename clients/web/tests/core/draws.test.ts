/** The vectors of draws: the same bytes of randomness give the same report, and no byte is left over. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { draw } from "../../src/core/draw.ts";
import { Entropy } from "../../src/core/entropy.ts";
import { fromHex, toHex } from "../../src/core/wire/bytes.ts";
import type { Published } from "../../src/core/wire/community.ts";
import { decode, encode } from "../../src/core/wire/report.ts";

interface Vector {
  name: string;
  mechanism: Published["mechanism"];
  n: number;
  user: number;
  epsilon1: number;
  epsilon2: number;
  hub_from?: number;
  groups?: number[];
  friends: number[];
  randomness: string;
  report: string;
  noise?: number;
}

const path = new URL("../../../../tests/wire/vectors/draws.json", import.meta.url);
const vectors: Vector[] = JSON.parse(readFileSync(path, "utf-8")).draws;

function community(vector: Vector): Published {
  const { mechanism, n, user, epsilon1, epsilon2 } = vector;
  const choices = [{ name: "one", epsilon1, epsilon2 }];
  const named = { id: "cats", name: "Cats", epoch: 1, rosterDigest: "0".repeat(64) };
  const groupNames = [...new Set(vector.groups ?? [])].map((group) => `group ${group}`);
  return { ...named, mechanism, n, user, choices, hubFrom: vector.hub_from ?? null, groupNames, inquiry: null, dealt: false, retention: null, answerUntil: null };
}

test.each(vectors)("$name", (vector) => {
  const published = community(vector);
  const [choice] = published.choices;
  const script = fromHex(vector.randomness);
  let at = 0;
  const entropy = new Entropy((size) => {
    at += size;
    expect(at).toBeLessThanOrEqual(script.length);
    return script.slice(at - size, at);
  });
  const { report, bytes, noise } = draw(published, choice!, vector.friends, vector.groups ?? null, entropy);
  expect(toHex(bytes)).toBe(vector.report);
  expect(noise).toBe(vector.noise ?? null);
  expect(at).toBe(script.length);
  expect(decode(bytes, vector.n)).toEqual(report);
});

test("the browser's own entropy is used, anew each time", () => {
  const published = community({ ...vectors[0]!, mechanism: "rr", n: 600, epsilon1: 0, epsilon2: 0.5 });
  const drawn = Array.from({ length: 3 }, () => toHex(draw(published, published.choices[0]!, [1, 2], null).bytes));
  expect(new Set(drawn).size).toBe(3);
});

test.each([
  ["not sorted", [2, 1]],
  ["twice", [1, 1]],
  ["herself", [4]],
  ["beyond the last", [9]],
  ["negative", [-1]],
])("a list is refused before anything is drawn: %s", (_, friends) => {
  const published = community({ ...vectors[0]!, n: 9, user: 4 });
  const entropy = new Entropy(() => {
    throw new Error("asked for randomness");
  });
  expect(() => draw(published, published.choices[0]!, friends, null, entropy)).toThrow("A report's list must");
});

test.each([
  ["no groups", null],
  ["a friend without a group", [0, 1]],
  ["a group that there is not", [0, 1, 2]],
])("counts are refused before anything is drawn: %s", (_, groups) => {
  const vector = { ...vectors[0]!, mechanism: "friend-counts", n: 3, user: 0, epsilon1: 1, epsilon2: 0 } as Vector;
  const published = community({ ...vector, groups: [0, 1, 1] });
  const entropy = new Entropy(() => {
    throw new Error("asked for randomness");
  });
  expect(() => draw(published, published.choices[0]!, [1, 2], groups, entropy)).toThrow("Everybody must be in one group");
});

test("public lists go out as they are", () => {
  const published = { ...community(vectors[0]!), choices: [{ name: "all", epsilon1: Infinity, epsilon2: Infinity }] };
  const { report, bytes } = draw(published, published.choices[0]!, [0, 2], null);
  expect(report.mechanism).toBe("public");
  expect(Array.from(report.neighbours)).toEqual([0, 2]);
  expect(encode(decode(bytes))).toEqual(bytes);
});
