/** The page's own bundle, by the list that was built with it. */

const LIST = new URL(/* @vite-ignore */ "./bundle.json", import.meta.url);

/** The SHA-256 of the list of all files of this bundle, in hex; `graphldp client verify-web` shows the same. */
export async function bundleDigest(): Promise<string> {
  const list = await (await fetch(LIST, { credentials: "omit" })).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", list));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
