import { expect, test } from "vitest";
import { charged, EMPTY, noted } from "../../src/vault/ledger.ts";
import { keepMembership, memberships, tidy, type Membership } from "../../src/vault/membership.ts";
import { Memory } from "../memory.ts";

const PLACE = ["https://a.example", "cats"] as const;
const slot = (epoch: number) => ({ server: PLACE[0], community: PLACE[1], epoch });

function member(epoch: number, answerUntil: string | null = null): Membership {
  const named = { id: "cats", name: "Cats", epoch, rosterDigest: "0".repeat(64), hubFrom: 5, groupNames: [], inquiry: null, dealt: false, retention: null, answerUntil };
  const published = { ...named, mechanism: answerUntil === null ? ("hub-counts" as const) : ("closed-pairs" as const), n: 9, user: 1, choices: [{ name: "one", epsilon1: 1, epsilon2: answerUntil === null ? 0 : 1 }] };
  return { invitation: { server: PLACE[0], community: PLACE[1], token: "t" }, published, roster: [], groups: null, accepted: null };
}

/** What an older page kept: the list with every report. */
const record = (more: object = {}) => ({ body: new Uint8Array(), choice: "one", friends: [2, 3], noise: null, question: null, answer: null, ...more });

test.each([
  ["of a report that asks nothing", 2, record(), false, false],
  ["of a report that is asked", 2, record({ noise: 0 }), false, true],
  ["of a report that has answered", 2, record({ noise: 1, answer: new Uint8Array(1) }), false, false],
  ["of a withdrawn report", 2, record({ noise: 1 }), true, false],
  ["of a round that is over", 1, record({ noise: 1 }), false, false],
  ["of a report whose question another copy answered", 2, record({ noise: 1 }), false, false, "a digest"],
])("a list %s in an older vault stays only where a question may follow", async (_, epoch, kept, withdrawn, stays, question: string | null = null) => {
  const vault = new Memory();
  await keepMembership(vault, member(2));
  await vault.put("reports", [...PLACE, epoch], kept);
  await tidy(vault, noted(charged(EMPTY, slot(epoch), "one", 1), slot(epoch), { withdrawn, question }));
  const after = (await vault.get("reports", [...PLACE, epoch])) as Record<string, unknown>;
  expect(after["friends"]).toEqual(stays ? [2, 3] : null);
  expect(after["noise"]).toBe(stays ? 0 : null);
  expect(after["body"]).toEqual(kept.body);
});

test.each([
  [0, true],
  [-1, false],
])("a list for a question to all waits until its last day, and no longer: %i days from today", async (days, stays) => {
  const vault = new Memory();
  const last = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await keepMembership(vault, member(1, last));
  await vault.put("reports", [...PLACE, 1], record({ noise: -3 }));
  await tidy(vault, noted(charged(EMPTY, slot(1), "one", 1), slot(1), {}));
  expect(await vault.get("reports", [...PLACE, 1])).toMatchObject(stays ? { friends: [2, 3], noise: -3 } : { friends: null, noise: null });
});

test("a list that stands in no membership is dropped", async () => {
  const vault = new Memory();
  await vault.put("reports", [...PLACE, 1], record({ noise: 1 }));
  await tidy(vault, EMPTY);
  expect(await vault.get("reports", [...PLACE, 1])).toMatchObject({ friends: null, noise: null });
});

test.each([
  ["published", { published: "{}" }],
  ["invitation", { invitation: null }],
])("a membership whose %s is damaged keeps no list, and no other one from being tidied", async (_, damaged) => {
  const vault = new Memory();
  await keepMembership(vault, member(1));
  const kept = (await vault.get("members", PLACE)) as object;
  await vault.put("members", PLACE, { ...kept, ...damaged });
  const elsewhere = { ...member(1).invitation, server: "https://b.example:443" };
  await keepMembership(vault, { ...member(1), invitation: elsewhere });
  for (const server of [PLACE[0], elsewhere.server]) await vault.put("reports", [server, "cats", 1], record({ noise: 1 }));
  await tidy(vault, EMPTY);
  expect(await vault.get("reports", [...PLACE, 1])).toMatchObject({ friends: null, noise: null });
  expect(await vault.get("reports", ["https://b.example", "cats", 1])).toMatchObject({ friends: [2, 3], noise: 1 });
});

test("what an older page kept under another way to write an address is kept under the one way", async () => {
  const vault = new Memory();
  const older = { ...member(1), invitation: { ...member(1).invitation, server: "https://a.example:443" } };
  await keepMembership(vault, older);
  await vault.put("reports", ["https://a.example:443", "cats", 1], record({ choice: "older" }));
  await tidy(vault, EMPTY);
  expect((await memberships(vault)).map(({ invitation }) => invitation.server)).toEqual([PLACE[0]]);
  expect(await vault.keys("reports")).toEqual([[...PLACE, 1]]);
  await keepMembership(vault, older);
  await vault.put("reports", ["https://a.example:443", "cats", 1], record({ choice: "later" }));
  await tidy(vault, EMPTY);
  expect(await vault.get("reports", [...PLACE, 1])).toMatchObject({ choice: "older", friends: null });
  expect(await memberships(vault)).toHaveLength(1);
});
