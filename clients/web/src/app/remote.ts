/** The worker, from the page. */

import { Trouble, type TroubleKind } from "../vault/trouble.ts";
import type { Api, Call, Reply } from "./api.ts";
import address from "./worker.ts?worker&url";

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void };

/** The digest of the worker's program, put in when the page is built. */
const INTEGRITY = "WORKER_INTEGRITY";

/** The program that this page was built with, and none that is served or cached in its place. */
async function program(): Promise<string> {
  if (import.meta.env.DEV) return address;
  let script: ArrayBuffer;
  try {
    script = await (await fetch(address, { integrity: INTEGRITY, credentials: "omit" })).arrayBuffer();
  } catch {
    throw new Trouble("other-program");
  }
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/**
 * Start the worker. `busy` is called where another tab is at work, and this one waits for it.
 *
 * @param unfit why it must not start, if there is a reason: every call says so then.
 */
export function startWorker(unfit: Promise<TroubleKind | null>, busy: () => void): Api {
  const calls = new Map<number, Waiting>();
  const starting = async (): Promise<Worker> => {
    const kind = await unfit;
    if (kind !== null) throw new Trouble(kind);
    const worker = new Worker(await program(), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      if ("waiting" in data) {
        busy();
        return;
      }
      const call = calls.get(data.id);
      calls.delete(data.id);
      if ("trouble" in data) call?.reject(new Trouble(data.trouble, data.facts));
      else call?.resolve(data.value);
    });
    worker.addEventListener("error", () => {
      for (const call of calls.values()) call.reject(new Trouble("unexpected"));
      calls.clear();
    });
    return worker;
  };
  const started = starting();
  let last = 0;
  const call =
    (method: keyof Api) =>
    async (...values: readonly unknown[]): Promise<unknown> => {
      const worker = await started;
      return new Promise((resolve, reject) => {
        last += 1;
        calls.set(last, { resolve, reject });
        worker.postMessage({ id: last, method, values } satisfies Call);
      });
    };
  return new Proxy({} as Api, { get: (_, method) => call(method as keyof Api) });
}
