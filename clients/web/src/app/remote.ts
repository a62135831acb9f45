/** The worker, from the page. */

import { Trouble } from "../vault/trouble.ts";
import type { Api, Call, Reply } from "./api.ts";

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void };

/** Start the worker. `busy` is called where another tab is at work, and this one waits for it. */
export function startWorker(busy: () => void): Api {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const calls = new Map<number, Waiting>();
  let last = 0;
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
  const call =
    (method: keyof Api) =>
    (...values: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        last += 1;
        calls.set(last, { resolve, reject });
        worker.postMessage({ id: last, method, values } satisfies Call);
      });
  return new Proxy({} as Api, { get: (_, method) => call(method as keyof Api) });
}
