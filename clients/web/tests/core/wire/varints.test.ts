import { expect, test } from "vitest";
import { fold, unfold, write } from "../../../src/core/wire/varints.ts";

test("numbers take as few bytes as they need", () => {
  expect(write(0)).toEqual([0]);
  expect(write(127)).toEqual([127]);
  expect(write(128)).toEqual([0x80, 1]);
  expect(write(2 ** 27)).toEqual([0x80, 0x80, 0x80, 0x40]);
});

test("folding loses nothing", () => {
  expect([0, -1, 1, -2].map(fold)).toEqual([0, 1, 2, 3]);
  for (const value of [-(2 ** 27), -5, 0, 7, 2 ** 27 - 1]) expect(unfold(fold(value))).toBe(value);
});
