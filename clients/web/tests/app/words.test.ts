import { expect, test } from "vitest";
import { Format, believed } from "../../src/app/format.ts";
import { keeping } from "../../src/app/keeping.ts";
import { de } from "../../src/app/words/de.ts";
import { en } from "../../src/app/words/en.ts";
import { TROUBLES } from "../../src/vault/trouble.ts";

function texts(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, each]) => texts(each, `${path}.${key}`));
}

test("both languages say the same things, and none is empty or left in the other's words", () => {
  const [english, german] = [texts(en), texts(de)];
  expect(german.map(([path]) => path)).toEqual(english.map(([path]) => path));
  expect(german.filter(([, text]) => text === "")).toEqual([]);
  const same = german.filter(([path, text]) => typeof text === "string" && english.some((each) => each[0] === path && each[1] === text));
  expect(same.map(([path]) => path)).toEqual([".renewal.what.name"]);
});

test("dice that changed nothing are not said to have changed something", () => {
  expect(en.people.degree("6", "6")).not.toContain("changed");
  expect(de.people.degree("6", "6")).not.toContain("verändert");
  expect(en.people.degree("7", "6")).toContain("The true number is 6; dice changed it.");
});

test("how long reports are kept is a sentence, whatever becomes of models", () => {
  const kept = keeping({ words: de, format: new Format("de") }, { days: 90, keepsModels: true });
  expect(de.agree.back(kept)).toMatch(/^Aufbewahrt werden Berichte 90 Tage lang; was daraus gelernt wurde, darf länger benutzt werden\. Du kannst/);
  expect(en.agree.back(keeping({ words: en, format: new Format("en") }, null))).toMatch(/^Reports are kept without a promised end\. You can/);
});

test("a number below zero has a minus sign, not a hyphen", () => {
  expect(new Format("de").whole(-1234)).toBe("−1.234");
});

test("every trouble is a sentence or two", () => {
  for (const words of [en, de]) {
    for (const kind of TROUBLES) {
      const said = words.trouble[kind];
      expect(typeof said === "string" ? said : said({ cost: 1, before: 2, cap: 3 })).toMatch(/^[A-ZÄÖÜ].*\.$/);
    }
  }
});

test("the numbers are those of the other clients", () => {
  expect(new Format("en").percent(believed(0.1, 1))).toBe("23.2%");
  expect(new Format("en").percent(believed(0.5, 1))).toBe("73.1%");
});
