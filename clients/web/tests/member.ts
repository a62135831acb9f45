/**
 * A member's browser without a browser, driven by another program: what pages may call, over a vault in memory and a
 * clock of its own. A line of JSON in, a line of JSON out.
 *
 *     {"entropy": a byte or null}                            -> null: a fresh browser, with this randomness
 *     {"call": "report", "values": […], "tab": 0, "slow": …} -> {"value": …} or {"trouble": …}, and when a report left
 *     {"file": the text of friends.txt, "where": …}          -> the same of "match"
 *     {"kept": true}                                         -> the fields that are kept with reports
 *
 * `slow` is how many milliseconds longer the draw takes; after `stop` writes of reports the device is stopped. Protocol, vault and requests are those of the page; what
 * IndexedDB and the page itself do is tested in Chromium.
 */

import { createInterface } from "node:readline";
import type { Api } from "../src/app/api.ts";
import { made } from "../src/app/calls.ts";
import type { Where } from "../src/app/views.ts";
import { Client } from "../src/protocol/client.ts";
import { asTrouble, TROUBLES } from "../src/vault/trouble.ts";
import { Memory, Stopped } from "./memory.ts";

let now = 0;
let slow = 0;
let entropy: number | null = null;
let began = 0;
let left: number | null = null;

Object.defineProperty(performance, "now", { value: () => now });
const timer = globalThis.setTimeout;
// a pause is the one timer whose work is a promise's own; Node's are left as they are
globalThis.setTimeout = ((work: () => void, pause: number) => {
  if (!String(work).includes("[native code]")) return timer(work, pause);
  now += pause;
  return timer(work, 0);
}) as typeof setTimeout;
const random = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = ((array: Uint8Array) => {
  now += slow;
  slow = 0;
  return entropy === null ? random(array as Uint8Array<ArrayBuffer>) : array.fill(entropy);
}) as typeof crypto.getRandomValues;
const send = globalThis.fetch;
globalThis.fetch = (address, options) => {
  if (options?.method === "PUT") left ??= now - began;
  return send(address, options);
};

/** The tabs of one browser: workers over one vault. */
class Browser {
  private readonly database = new Memory();
  private readonly tabs: Api[] = [];

  /** What a page calls with a file of hers, whose text came in JSON. */
  async match(where: Where, text: string): Promise<unknown> {
    return this.call(0, "match", [where, [{ name: "friends.txt", data: new TextEncoder().encode(text) }]]);
  }

  /** What a page calls, and what its worker would reply. */
  async call(tab: number, method: keyof Api, values: readonly unknown[], stop = 0): Promise<unknown> {
    [began, left] = [now, null];
    const api = (this.tabs[tab] ??= await this.started());
    this.database.stop = stop;
    try {
      const work = api[method] as (...values: readonly unknown[]) => Promise<unknown>;
      return { value: (await work(...values)) ?? null, waited: left };
    } catch (error) {
      if (error instanceof Stopped) {
        this.tabs.length = 0;
        return { trouble: "stopped", waited: left };
      }
      const { kind } = asTrouble(error);
      if (kind === "unexpected" || !TROUBLES.some((each) => each === kind)) throw error;
      return { trouble: kind, waited: left };
    }
  }

  /** What a worker does first. */
  private async started(): Promise<Api> {
    const client = new Client(this.database);
    await client.tidy();
    return made(client);
  }

  /** The fields that are kept with reports. */
  async kept(): Promise<string[]> {
    const records = (await this.database.all("reports")) as Record<string, unknown>[];
    return records.flatMap((record) => Object.keys(record).filter((field) => record[field] !== null));
  }
}

let browser = new Browser();
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const given = JSON.parse(line);
  let answer: unknown = null;
  if ("entropy" in given) [browser, entropy] = [new Browser(), given.entropy];
  else if ("kept" in given) answer = await browser.kept();
  else if ("file" in given) answer = await browser.match(given.where, given.file);
  else {
    slow = given.slow;
    answer = await browser.call(given.tab, given.call, given.values, given.stop);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
