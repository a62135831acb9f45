import { expect, test } from "vitest";
import { newDraft } from "../../src/app/screens/draft.ts";
import { communityView, differences } from "../../src/app/views.ts";
import { de } from "../../src/app/words/de.ts";
import { en } from "../../src/app/words/en.ts";
import type { Published } from "../../src/core/wire/community.ts";
import type { Membership } from "../../src/vault/membership.ts";

function member(published: Partial<Published>, groups: number[] | null): Membership {
  const named = { id: "cats", name: "Cats", epoch: 1, rosterDigest: "0".repeat(64), hubFrom: null, groupNames: [], inquiry: null, dealt: false, retention: null, answerUntil: null };
  const choices = [{ name: "one", epsilon1: 1, epsilon2: 0 }];
  const all: Published = { ...named, mechanism: "friend-counts", n: 5, user: 0, choices, ...published };
  const roster = ["ann", "bob", "cid", "dora", "eve"];
  return { invitation: { server: "https://a.example", community: "cats", token: "t" }, published: all, roster, groups, accepted: null };
}

test("groups with one person beside the member are named, the member's own too", () => {
  const groupNames = ["north", "south", "east"];
  expect(communityView(member({ groupNames }, [0, 0, 1, 2, 2])).single).toEqual(["north", "south"]);
  expect(communityView(member({ groupNames, user: 3 }, [0, 0, 1, 2, 2])).single).toEqual(["south", "east"]);
  expect(communityView(member({ groupNames: [] }, null)).single).toEqual([]);
});

test("what is true of two reports, of groups of one and of withdrawals is said in both languages", () => {
  for (const [words, models] of [[en, "backups"], [de, "Sicherungskopien"]] as const) {
    expect(words.tells.one("10%", "23.2%", "45.1%")).toMatch(/23\.2%(.*ε.*45\.1%|.*45\.1%.*ε)/); // another friend may have taken another ε
    expect(words.leaves.hubs("2")).toMatch(/ 2 /); // which may be nearly everybody
    expect(words.home.withdrawWhy).toContain(models);
    expect(words.agree.back("")).toContain(models);
    expect(words.tells.single("north")).toContain("north");
    expect(words.tells.hubCounts.everybody).not.toMatch(/very many|sehr viele/);
  }
});

test("a list as it is is never what is chosen for her where there is another choice", () => {
  const [all, one] = [{ name: "open", epsilon1: Infinity, epsilon2: Infinity }, { name: "one", epsilon1: 1, epsilon2: 0 }];
  expect(newDraft(communityView(member({ choices: [all, one] }, null))).choice.name).toBe("one");
  expect(newDraft(communityView(member({ choices: [all] }, null))).choice.name).toBe("open");
});

test("that chance deals the groups, or does no longer, is said in both languages", () => {
  const groupNames = ["1", "2", "3"];
  const [chosen, dealt] = [member({ groupNames }, [0, 1, 2, 0, 1]), member({ groupNames, dealt: true }, [0, 1, 2, 0, 1])];
  expect(communityView(dealt).dealt).toBe(true);
  expect(differences(chosen, dealt)).toEqual([{ what: "dealt", was: "", now: "" }]);
  expect(differences(dealt, chosen)).toEqual([{ what: "chosen", was: "", now: "" }]);
  for (const [words, said] of [[en, ["12 blurred numbers", "no name", "nobody chooses"]], [de, ["12 unscharfe Zahlen", "kein Name", "niemand kann das Los beeinflussen"]]] as const) {
    for (const each of said) expect(`${words.leaves.groups("12")} ${words.tells.dealt}`).toContain(each);
  }
});

test("who reads blurred lists, and until when a list waits, is said in both languages", () => {
  const choices = [{ name: "one", epsilon1: 0.25, epsilon2: 0.75 }];
  const asked = { mechanism: "closed-pairs" as const, choices };
  const [before, after] = ["2026-12-30", "2026-12-31"].map((answerUntil) => member({ ...asked, answerUntil }, null)) as [Membership, Membership];
  expect(communityView(after).answerUntil).toBe("2026-12-31");
  expect(differences(before, after)).toEqual([{ what: "until", was: "2026-12-30", now: "2026-12-31" }]);
  for (const [words, said] of [[en, ["every member gets everybody’s blurred list, yours too", "nobody can call it back", "for all of it together"]], [de, ["jedes Mitglied die unscharfen Listen aller, auch deine", "niemand kann sie zurückholen", "für alles zusammen"]]] as const) {
    for (const each of said) expect(words.tells.closedPairs).toContain(each);
    expect(words.agree.listWaitsUntil("2026-12-31")).toContain("2026-12-31");
    expect(words.home.answered("53a9 92dd")).toContain("53a9 92dd");
  }
});
