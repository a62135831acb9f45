/**
 * The core, driven by another program: a line of JSON in, a line of JSON out, for each thing that is asked.
 *
 *     {"thresholds": {"epsilon2": …, "n": …, "degree": …}}       -> ["T₀", "T₁"]
 *     {"draw": {"published": …, "choice": …, "friends": […], "groups": […], "entropy": "hex"}}
 *                                                               -> {"bytes": "hex", "noise": …, "used": bytes of entropy}
 *     {"answer": {"question": "hex", "report": "hex", "friends": […], "noise": …}}    -> "hex"
 *     {"decode": {"hex": …, "n": …}}    {"publication": "text"}    {"link": …}    -> what was read
 *     {"seal": {"kind": …, "epoch": …, "user": …, "token": …, "body": "hex", "community": …, "n": …, "key": "hex"}}   -> "hex"
 *     {"plain": […]}    {"look": […]}    {"shown": […]}          -> […]
 *     {"roster": […]}                                            -> nothing, where all of it are names
 *
 * What is refused answers {"refused": "the reason"}.
 */

import { createInterface } from "node:readline";
import { answer, draw, exact } from "../src/core/draw.ts";
import { Entropy } from "../src/core/entropy.ts";
import { WireError } from "../src/core/errors.ts";
import { thresholds } from "../src/core/thresholds.ts";
import { encodeAnswer } from "../src/core/wire/answer.ts";
import { fromHex, toHex } from "../src/core/wire/bytes.ts";
import { readPublication, readPublished, writePublished } from "../src/core/wire/community.ts";
import { readLink } from "../src/core/wire/invitation.ts";
import { readObject } from "../src/core/wire/json.ts";
import { decodeQuestion } from "../src/core/wire/question.ts";
import { decode, encode } from "../src/core/wire/report.ts";
import { reportToJson } from "../src/core/wire/reportJson.ts";
import { checkNames, isShown, look, plain } from "../src/core/wire/names.ts";
import { seal } from "../src/core/wire/sealed.ts";

/** Bytes by a script; who asks for more than there are has asked for something else than the script was made for. */
class Script {
  used = 0;
  constructor(private readonly bytes: Uint8Array) {}
  readonly take = (size: number): Uint8Array => {
    const taken = this.bytes.slice(this.used, this.used + size);
    this.used += size;
    if (taken.length !== size) throw new WireError("The script is over.");
    return taken;
  };
}

const ASKED: Record<string, (given: any) => unknown> = {
  thresholds: ({ epsilon2, n, degree }) => {
    const { stranger, neighbour } = thresholds(exact(epsilon2), n, degree);
    return [String(stranger), String(neighbour)];
  },
  draw: ({ published, choice, friends, groups, entropy }) => {
    const community = readPublished(readObject(published));
    const chosen = community.choices.find((each) => each.name === choice);
    if (!chosen) throw new WireError("There is no such choice.");
    const script = new Script(fromHex(entropy));
    const { bytes, noise } = draw(community, chosen, friends, groups, new Entropy(script.take));
    return { bytes: toHex(bytes), noise, used: script.used };
  },
  answer: async ({ question, report, friends, noise }) => {
    const sent = decode(fromHex(report));
    return toHex(encodeAnswer(answer(await decodeQuestion(sent.mechanism, fromHex(question), sent.n), friends, sent, noise)));
  },
  decode: ({ hex, n }) => {
    const report = decode(fromHex(hex), n ?? undefined);
    return { json: reportToJson(report), hex: toHex(encode(report)) };
  },
  publication: async (text) => writePublished((await readPublication(text)).published),
  link: (link) => readLink(link),
  seal: async ({ body, community, n, key, groups, ...inner }) =>
    toHex(await seal({ ...inner, body: fromHex(body) }, community, n, fromHex(key), groups)),
  plain: (names) => names.map(plain),
  shown: (names) => names.map(isShown),
  look: (names) => names.map(look),
  roster: (names) => checkNames(names),
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const [[kind, given]] = Object.entries(JSON.parse(line)) as [[string, unknown]];
  try {
    const asked = ASKED[kind];
    if (!asked) throw new Error(`Nobody knows how to answer ${kind}.`);
    process.stdout.write(`${JSON.stringify({ ok: await asked(given) })}\n`);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`);
  }
}
