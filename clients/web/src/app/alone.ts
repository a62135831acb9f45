/**
 * Whether this page has its address and its window to itself. Every page of one origin can read what this one keeps, and
 * a page that opened or frames this one can talk to it. What a careful foreigner hides is not found: this is for
 * addresses that have another use, and for what an earlier owner left behind.
 */

import { VAULT } from "../vault/database.ts";
import type { TroubleKind } from "../vault/trouble.ts";

export async function company(): Promise<TroubleKind | null> {
  if (top !== self || opener !== null) return "held-page";
  // a cookie is no sign of it: other addresses of the same domain may set one here
  const kept = [localStorage.length, sessionStorage.length, (await caches.keys()).length];
  const workers = "serviceWorker" in navigator ? await navigator.serviceWorker.getRegistrations() : [];
  const databases = "databases" in indexedDB ? await indexedDB.databases() : [];
  const foreign = databases.some(({ name }) => name !== VAULT);
  return foreign || workers.length > 0 || kept.some((count) => count > 0) ? "shared-address" : null;
}
