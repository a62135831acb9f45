import { expect, test } from "vitest";
import { Format } from "../../src/app/format.ts";
import { keeping } from "../../src/app/keeping.ts";
import { differences } from "../../src/app/views.ts";
import { de } from "../../src/app/words/de.ts";
import { en } from "../../src/app/words/en.ts";
import type { Published, Retention } from "../../src/core/wire/community.ts";
import { asText } from "../../src/vault/membership.ts";

const PROMISES: readonly (Retention | null)[] = [
  null,
  { days: 90, keepsModels: true },
  { days: 90, keepsModels: false },
  { days: 1000, keepsModels: false },
];

function community(retention: Retention | null): Published {
  const choices = [{ name: "one", epsilon1: 0.1, epsilon2: 0.9 }];
  const named = { id: "cats", name: "Cats", epoch: 1, rosterDigest: "0".repeat(64), hubFrom: null, groupNames: [], inquiry: null, dealt: false, answerUntil: null };
  return { ...named, mechanism: "dprr", n: 2, user: 1, choices, retention };
}

test("how long reports are kept is said in both languages", () => {
  const english = { words: en, format: new Format("en") };
  const german = { words: de, format: new Format("de") };
  expect(keeping(english, null)).toBe("without a promised end");
  expect(keeping(english, { days: 1, keepsModels: true })).toMatch(/^for one day; .* for longer$/);
  expect(keeping(english, { days: 1000, keepsModels: false })).toMatch(/^for 1,000 days; .* is deleted as well$/);
  expect(keeping(german, { days: 1, keepsModels: true })).toMatch(/^einen Tag lang; .* länger benutzt werden$/);
  expect(keeping(german, { days: 1000, keepsModels: false })).toMatch(/^1.000 Tage lang; .* wird auch gelöscht$/);
});

test("another promise is another community to agree to, and its one difference", () => {
  for (const was of PROMISES) {
    for (const now of PROMISES) {
      const [before, after] = [community(was), community(now)];
      expect(asText(before) === asText(after)).toBe(was === now);
      const found = differences(
        { published: before, roster: ["ann", "bob"], groups: null },
        { published: after, roster: ["ann", "bob"], groups: null },
      );
      expect(found).toEqual(was === now ? [] : [{ what: "kept", was, now }]);
    }
  }
});
