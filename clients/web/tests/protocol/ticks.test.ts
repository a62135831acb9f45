import { expect, test } from "vitest";
import { untilTick } from "../../src/protocol/ticks.ts";

test.each([10.3, 11.2, 700, 999.9])("a report leaves a whole second after it was asked for, by a draw of %d ms", (took) => {
  expect(took + untilTick(took, 300)).toBeCloseTo(1000);
});

test("a tick is longer in a community of many users", () => {
  expect(untilTick(0, 49_999)).toBe(1000);
  expect(untilTick(0, 50_000)).toBe(2000);
  expect(20_500 + untilTick(20_500, 1_000_000)).toBe(21_000);
});
