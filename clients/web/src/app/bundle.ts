/** The page's own bundle, by the list that was built with it. */

import { sha256 } from "../core/wire/bytes.ts";

const LIST = new URL(/* @vite-ignore */ "./bundle.json", import.meta.url);

/** The SHA-256 of the list of all files of this bundle, in hex; `graphldp client verify-web` shows the same. */
export async function bundleDigest(): Promise<string> {
  return sha256(new Uint8Array(await (await fetch(LIST, { credentials: "omit" })).arrayBuffer()));
}
