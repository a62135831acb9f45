import { expect, test } from "vitest";
import { untilTick } from "../../src/protocol/ticks.ts";

test.each([10.3, 11.2, 700, 999.9])("a report leaves a whole second after it was asked for, by a draw of %d ms", (took) => {
  expect(took + untilTick(took, 300)).toBeCloseTo(1000);
});

test.each([2300, 59_000.5])("a draw of %d ms that takes longer than a tick leaves at a later one, and not at once", (took) => {
  expect((took + untilTick(took, 300)) % 1000).toBeCloseTo(0);
  expect(untilTick(took, 300)).toBeGreaterThan(0);
});

test("a tick is longer in a community of many users", () => {
  expect(untilTick(0, 49_999)).toBe(1000);
  expect(untilTick(0, 50_000)).toBe(2000);
  expect(20_500 + untilTick(20_500, 1_000_000)).toBe(21_000);
});
