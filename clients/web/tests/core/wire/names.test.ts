/** The rule of names against its vectors, which Python reads too: every character, and rosters of both kinds. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WireError } from "../../../src/core/errors.ts";
import { checkNames, isShown, look, plain } from "../../../src/core/wire/names.ts";

interface Vectors {
  shown: string;
  looks: string;
  plain: string;
  valid: { roster: string[] }[];
  invalid: { name: string; roster: string[]; reason: string }[];
}
const path = new URL("../../../../../tests/wire/vectors/names.json", import.meta.url);
const vectors = JSON.parse(readFileSync(path, "utf8")) as Vectors;
const digest = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");
const characters = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
const shown = characters.filter(isShown);

test("every character may stand in a name, or not, as the vectors have it", () => {
  expect(digest(Uint8Array.from(characters, (each) => Number(isShown(each))))).toBe(vectors.shown);
});

test("every character is compared, and looks, as the vectors have it", () => {
  expect(digest(shown.map((each) => `${plain(each)}\n`).join(""))).toBe(vectors.plain);
  expect(digest(shown.map((each) => `${look(each)}\n`).join(""))).toBe(vectors.looks);
});

test.each(vectors.valid)("$roster", ({ roster }) => {
  expect(() => checkNames(roster)).not.toThrow();
});

test.each(vectors.invalid)("$name", ({ roster, reason }) => {
  expect(() => checkNames(roster)).toThrow(new WireError(reason));
});

test("a name of any length is refused before it is looked at", () => {
  expect(() => checkNames(["ann", `bob${" ".repeat(50_000_000)}x`])).toThrow("name 2 does not have");
});
