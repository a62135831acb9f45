import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { match, numbered, readNames } from "../../src/protocol/friends.ts";

interface Case {
  file: string;
  data?: string;
  hex?: string;
  names: string[];
}
const path = new URL("../../../../tests/client/vectors/friends.json", import.meta.url);
const vectors = JSON.parse(readFileSync(path, "utf8")) as { valid: Case[]; invalid: Case[] };
const bytes = ({ data, hex }: Case): Uint8Array => (data === undefined ? Buffer.from(hex ?? "", "hex") : Buffer.from(data));
const ROSTER = ["ann@example.social", "Bob@example.social", "carl", "Dörte", "eve"];
const matched = (names: string[]): ReturnType<typeof match> => match(names, numbered(ROSTER), 2);

test.each(vectors.valid)("$file holds the names that every client reads", (each) => {
  expect(readNames(each.file, bytes(each))).toEqual(each.names);
});

test.each(vectors.invalid)("what no client reads is refused: $file", (each) => {
  expect(() => readNames(each.file, bytes(each))).toThrow(/^not-a-list$|^not-text$/);
});

test("names are matched by letter, without regard to case, doubles or the own name", () => {
  expect(matched(["DO\u0308RTE", "@eve", "EVE", "Carl", "", "nobody"])).toMatchObject({ numbers: [3, 4], unmatched: 1 });
});

test("why nobody matches is guessed", () => {
  expect(matched([]).cause).toEqual({ kind: "empty" });
  expect(matched(["x;y", "z\ty"]).cause).toEqual({ kind: "columns" });
  expect(matched(["bob", "ann@elsewhere", "x"]).cause).toEqual({ kind: "hosts", count: 2 });
  expect(matched(["x"]).cause).toEqual({ kind: "another-network" });
  expect(matched(["eve", "x"]).cause).toBeNull();
});

test("a name that is longer than any of a roster is not looked at whole", () => {
  expect(matched([`${" ".repeat(5_000_000)}eve`, "\ud800".repeat(5_000_000)])).toMatchObject({ numbers: [], unmatched: 2 });
});
