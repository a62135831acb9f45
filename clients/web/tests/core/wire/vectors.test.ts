/** All vectors of the wire format: what must be read and written, and what must be refused, with the same reasons. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WireError } from "../../../src/core/errors.ts";
import { answerFromJson, answerToJson, decodeAnswer, encodeAnswer } from "../../../src/core/wire/answer.ts";
import { fromHex, toHex } from "../../../src/core/wire/bytes.ts";
import { readPublication, readPublished, writePublished } from "../../../src/core/wire/community.ts";
import { deal, dealSeed } from "../../../src/core/wire/deal.ts";
import { invitationFromJson, invitationToJson, readLink } from "../../../src/core/wire/invitation.ts";
import { readObject } from "../../../src/core/wire/json.ts";
import { decodeQuestion } from "../../../src/core/wire/question.ts";
import { decode, encode } from "../../../src/core/wire/report.ts";
import { reportFromJson, reportToJson } from "../../../src/core/wire/reportJson.ts";

type Vector = Record<string, any>;

function file(name: string): any {
  return JSON.parse(readFileSync(new URL(`../../../../../tests/wire/vectors/${name}.json`, import.meta.url), "utf-8"));
}

function vectors(name: string, kind: "valid" | "invalid"): Vector[] {
  const found = file(name)[kind];
  if (!found.length) throw new Error(`${name} has no ${kind} vectors`);
  return found;
}

describe("reports", () => {
  test.each(vectors("valid", "valid"))("$name", ({ hex, report }) => {
    const read = decode(fromHex(hex), report.n);
    expect(JSON.parse(reportToJson(read))).toEqual(report);
    expect(toHex(encode(read))).toBe(hex);
    expect(reportFromJson(JSON.stringify(report))).toEqual(read);
  });
  test.each(vectors("invalid", "invalid"))("$name", ({ hex, n, reason }) => {
    expect(() => decode(fromHex(hex), n)).toThrow(new WireError(reason));
  });
});

describe("what a community publishes", () => {
  test.each(vectors("community", "valid"))("$name", async ({ message }) => {
    const { published, held, roster } = await readPublication(JSON.stringify(message));
    expect({ held, roster }).toEqual({ held: message.held, roster: message.roster });
    expect(message).toMatchObject(writePublished(published));
    expect(readPublished(readObject(JSON.stringify(writePublished(published))))).toEqual(published);
  });
  test.each(vectors("community", "invalid"))("$name", async ({ message }) => {
    await expect(readPublication(JSON.stringify(message))).rejects.toThrow(WireError);
  });
});

describe("deals", () => {
  test.each(file("deals") as Vector[])("$n to $groups", async ({ community, epoch, roster_digest, n, groups, seed, deal: dealt }) => {
    expect(toHex(await dealSeed(community, epoch, roster_digest))).toBe(seed);
    expect(await deal(fromHex(seed), n, groups)).toEqual(dealt);
  });
});

describe("invitations", () => {
  test.each(vectors("invitation", "valid"))("$name", ({ message, address }) => {
    const read = invitationFromJson(JSON.stringify(message));
    expect(invitationFromJson(invitationToJson(read))).toEqual(read);
    expect(read.server).toBe(address);
  });
  test.each(vectors("invitation", "invalid"))("$name", ({ message }) => {
    expect(() => invitationFromJson(JSON.stringify(message))).toThrow(WireError);
  });
  test.each(vectors("links", "valid"))("$name", ({ link, invitation }) => {
    expect(readLink(link)).toEqual(invitation);
  });
  test.each(vectors("links", "invalid"))("$name", ({ link }) => {
    expect(() => readLink(link)).toThrow(WireError);
  });
});

describe("questions and answers", () => {
  test.each(vectors("questions", "valid"))("$name", async ({ hex, n, busy, digest }) => {
    const read = await decodeQuestion("hub-counts", fromHex(hex), n);
    expect(Array.from(read.busy ?? []).flatMap((bit, user) => (bit ? [user] : []))).toEqual(busy);
    expect(read.digest).toBe(digest);
  });
  test.each(vectors("questions", "invalid"))("$name", async ({ hex, n, reason }) => {
    await expect(decodeQuestion("hub-counts", fromHex(hex), n)).rejects.toThrow(new WireError(reason));
  });
  test.each(vectors("noisy-lists", "valid"))("$name", async ({ hex, n, lists, digest }) => {
    const { listed, digest: read } = await decodeQuestion("closed-pairs", fromHex(hex), n);
    const rows = Array.from({ length: n }, (_, user) => Array.from(listed?.subarray(user * n, (user + 1) * n) ?? []));
    expect(rows.map((row) => row.flatMap((bit, other) => (bit ? [other] : [])))).toEqual(lists);
    expect(read).toBe(digest);
  });
  test.each(vectors("noisy-lists", "invalid"))("$name", async ({ hex, n, reason }) => {
    await expect(decodeQuestion("closed-pairs", fromHex(hex), n)).rejects.toThrow(new WireError(reason));
  });
  test.each(vectors("answers", "valid"))("$name", ({ hex, answer }) => {
    const read = decodeAnswer(fromHex(hex), answer.n);
    expect(JSON.parse(answerToJson(read))).toEqual(answer);
    expect(toHex(encodeAnswer(read))).toBe(hex);
    expect(answerFromJson(JSON.stringify(answer))).toEqual(read);
  });
  test.each(vectors("answers", "invalid"))("$name", ({ hex, n, reason }) => {
    expect(() => decodeAnswer(fromHex(hex), n)).toThrow(new WireError(reason));
  });
});
