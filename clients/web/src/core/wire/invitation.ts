/**
 * An invitation: where a user may report, and the token that lets her. For a program it is JSON, for a person a link,
 * `https://SERVER/join#TOKEN/COMMUNITY`, or `https://PAGE/join#TOKEN/COMMUNITY/https://SERVER` where somebody else hosts
 * the page. A server is reached over https only, but for this machine itself.
 */

import { WireError } from "../errors.ts";
import { ID_PATTERN } from "./community.ts";
import { type Json, readObject } from "./json.ts";

export interface Invitation {
  /** The collector's address. */
  readonly server: string;
  /** The community's id. */
  readonly community: string;
  /** The user's secret, for one slot. */
  readonly token: string;
}

const BEARER = /^[!-~]{1,200}$/;
const LINK = /^([^#]*[^#/])\/join#([A-Za-z0-9._~-]{1,200})\/([^/]*)(?:\/([^]*))?$/;
const HOST = "[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*\\.?";
const PATH = "(?:/(?!\\.{1,2}(?:/|$))[a-z0-9._~-]+)*/*";
const ADDRESS = new RegExp(`^(https?)://(\\[[0-9a-f:]+\\]|${HOST})(?::([0-9]{1,9}))?(${PATH})$`, "i");
const MAPPED = /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/; // an IPv4 address within an IPv6 one
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** Read an invitation from its link. */
export function readLink(link: string): Invitation {
  const [, page, token, community, server] = LINK.exec(link) ?? [];
  if (page === undefined || token === undefined || community === undefined || !ID_PATTERN.test(community)) {
    throw new WireError("An invitation link is https://SERVER/join#TOKEN/COMMUNITY, whole and unchanged.");
  }
  const host = address(page); // checked also where it is not the server: it was shown the token
  return { server: server === undefined ? host : address(server), community, token };
}

/** Read an invitation from JSON. */
export function invitationFromJson(text: string): Invitation {
  const fields = objectOf(text);
  const [server, community, token] = ["server", "community", "token"].map((name) => fields.get(name));
  if (fields.size !== 3 || typeof server !== "string" || typeof community !== "string" || typeof token !== "string") {
    throw new WireError('An invitation is JSON: {"server": "https://…", "community": "…", "token": "…"}.');
  }
  if (!ID_PATTERN.test(community) || !BEARER.test(token)) {
    throw new WireError("The invitation's community or token is not one.");
  }
  return { server: address(server), community, token };
}

/** What `invitationFromJson` reads. */
export function invitationToJson({ server, community, token }: Invitation): string {
  return JSON.stringify({ server, community, token });
}

/**
 * A collector's address in the one way that it is kept: over https, or on this machine. Two ways to write one address
 * give the same text, by which vault and ledger know a server; what programs read in several ways is refused.
 */
export function address(server: string): string {
  const [, scheme = "", host = "", port, path = ""] = ADDRESS.exec(server) ?? [];
  const one = canonical(`https://${host.replace(/\.$/, "")}`); // whose port does not count
  const [protocol, number] = [scheme.toLowerCase(), Number(port ?? 0)];
  if (one === null || (port !== undefined && !(number >= 1 && number < 1 << 16))) {
    throw new WireError("The invitation's server is not an address such as https://reports.example.org.");
  }
  if (protocol !== "https" && !LOCAL.includes(one)) {
    throw new WireError("The invitation's server must be reached over https.");
  }
  const shown = number === 0 || number === (protocol === "https" ? 443 : 80) ? "" : `:${number}`;
  return `${protocol}://${one}${shown}${path.replace(/\/+$/, "")}`;
}

/** A host in its one form. Of IPv4 addresses only that is one already. */
function canonical(url: string): string | null {
  try {
    const { hostname } = new URL(url);
    const same = hostname.startsWith("[") ? !MAPPED.test(hostname) : `https://${hostname}` === url.toLowerCase();
    return same ? hostname : null;
  } catch {
    return null;
  }
}

function objectOf(text: string): Map<string, Json> {
  try {
    return readObject(text);
  } catch {
    return new Map();
  }
}
