/**
 * What is kept in this browser. A write is on the disk when its promise resolves ("strict" durability), and whole or not
 * there: the next step of the protocol begins after that. One lock keeps two tabs from drawing at once.
 *
 *     ledger    what was spent, everywhere; never deleted
 *     members   by server and community: invitation, what is published, its roster, what the user accepts
 *     reports   by server, community and epoch: the one report, and the list only until a second question is answered
 */

import { Trouble } from "./trouble.ts";

/** The one database of this page's address. */
export const VAULT = "graphldp";
const VERSION = 1;
const STORES = ["ledger", "members", "reports"] as const;
export type StoreName = (typeof STORES)[number];
export type Key = readonly (string | number)[];

/** What the protocol asks of a database. */
export type Records = Pick<Database, "get" | "all" | "keys" | "put" | "drop">;

export class Database {
  private constructor(private readonly opened: IDBDatabase) {}

  static open(): Promise<Database> {
    return new Promise((resolve, reject) => {
      let asked: IDBOpenDBRequest;
      try {
        asked = indexedDB.open(VAULT, VERSION);
      } catch {
        reject(new Trouble("no-storage"));
        return;
      }
      asked.onupgradeneeded = () => STORES.forEach((name) => asked.result.createObjectStore(name));
      asked.onsuccess = () => resolve(new Database(asked.result));
      asked.onerror = () => reject(asked.error?.name === "QuotaExceededError" ? asked.error : new Trouble("no-storage"));
    });
  }

  /** What was kept under a key, or undefined. */
  get(store: StoreName, key: Key): Promise<unknown> {
    return this.read(store, (records) => records.get([...key]));
  }

  /** All that is kept in a store. */
  all(store: StoreName): Promise<unknown[]> {
    return this.read(store, (records) => records.getAll());
  }

  /** The keys of a store. */
  keys(store: StoreName): Promise<Key[]> {
    return this.read(store, (records) => records.getAllKeys() as IDBRequest<(string | number)[][]>);
  }

  /** Write, so that it is on the disk when this resolves. */
  put(store: StoreName, key: Key, value: unknown): Promise<void> {
    return this.written([store], (transaction) => transaction.objectStore(store).put(value, [...key]));
  }

  /** Delete a membership and all of its reports, at once. */
  drop(server: string, community: string): Promise<void> {
    return this.written(["members", "reports"], (transaction) => {
      transaction.objectStore("members").delete([server, community]);
      const reports = IDBKeyRange.bound([server, community], [server, community, []]);
      transaction.objectStore("reports").delete(reports);
    });
  }

  private read<T>(store: StoreName, work: (records: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const asked = work(this.opened.transaction(store, "readonly").objectStore(store));
    return new Promise((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  }

  private written(stores: StoreName[], work: (transaction: IDBTransaction) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.opened.transaction(stores, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Trouble("storage-failed"));
      work(transaction);
    });
  }
}

/** Wait until no other tab uses the vault; `waiting` is called where one does. */
export async function locked<T>(work: () => Promise<T>, waiting: () => void = () => undefined): Promise<T> {
  const tried = await navigator.locks.request(VAULT, { ifAvailable: true }, async (lock) =>
    lock === null ? null : { value: await work() },
  );
  if (tried !== null) return tried.value;
  waiting();
  return (await navigator.locks.request(VAULT, async () => ({ value: await work() }))).value;
}
