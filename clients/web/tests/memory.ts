/** A vault for tests that need no browser. */

import type { Key, Records, StoreName } from "../src/vault/database.ts";

/** The device was stopped: nothing of its program runs on. */
export class Stopped extends Error {}

/** A database in memory: what is kept is a copy, as in a browser. */
export class Memory implements Records {
  /** After how many writes of reports the device is stopped; 0 for never. */
  stop = 0;
  private readonly kept = new Map<string, unknown>();

  async get(store: StoreName, key: Key): Promise<unknown> {
    return structuredClone(this.kept.get(JSON.stringify([store, ...key])));
  }

  async all(store: StoreName): Promise<unknown[]> {
    return Promise.all((await this.keys(store)).map((key) => this.get(store, key)));
  }

  async keys(store: StoreName): Promise<Key[]> {
    const all = [...this.kept.keys()].map((key) => JSON.parse(key) as [StoreName, ...Key]);
    return all.filter(([of]) => of === store).map(([, ...key]) => key);
  }

  async put(store: StoreName, key: Key, value: unknown): Promise<void> {
    this.kept.set(JSON.stringify([store, ...key]), structuredClone(value));
    if (store === "reports" && this.stop > 0 && (this.stop -= 1) === 0) throw new Stopped();
  }

  async drop(server: string, community: string): Promise<void> {
    for (const key of this.kept.keys()) {
      const [store, ...at] = JSON.parse(key) as string[];
      if (store !== "ledger" && at[0] === server && at[1] === community) this.kept.delete(key);
    }
  }
}
