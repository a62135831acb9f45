/** The worker: all that reads the vault, draws or sends, so that the page never waits for it. */

import { Client } from "../protocol/client.ts";
import { Database, locked } from "../vault/database.ts";
import { asTrouble } from "../vault/trouble.ts";
import type { Api, Call, Reply } from "./api.ts";
import { made } from "./calls.ts";

const post = (reply: Reply): void => postMessage(reply);
const waiting = (): void => post({ waiting: true });

async function started(): Promise<Api> {
  const client = new Client(await Database.open());
  await locked(() => client.tidy(), waiting);
  return made(client);
}

const opening = started();
opening.catch(() => undefined); // the first call says it

async function called({ id, method, values }: Call): Promise<void> {
  try {
    const work = (await opening)[method] as (...values: readonly unknown[]) => Promise<unknown>;
    post({ id, value: await locked(() => work(...values), waiting) });
  } catch (error) {
    const { kind, facts } = asTrouble(error);
    post({ id, trouble: kind, facts });
  }
}

// one call after the other, in the order of this page: who waits for the lock then waits for another tab
let last: Promise<void> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Call>) => {
  last = last.then(() => called(data));
});
