/**
 * A report or an answer, sealed to the collector's key by HPKE (RFC 9180): whoever carries it sees neither it nor its
 * token. docs/reference/wire.md has the layout. In one community all sealed messages have the same length, whatever they hold.
 */

import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import { WireError } from "../errors.ts";
import { checkWhole, joined } from "./bytes.ts";
import { MAX_EPOCH } from "./community.ts";
import { MAX_USERS, maxSize } from "./report.ts";

const FIRST_BYTE = 0xe4;
const KEY_ID_SIZE = 8;
const HEAD_SIZE = 1 + 4 + 4 + 1 + 64 + 4;
const MAX_ANSWER = 45;
const KINDS = ["report", "answer"] as const;
const TOKEN = /^[!-~]{1,64}$/;

/** What is sealed: a report or an answer, and all that its own request would carry. */
export interface Inner {
  readonly kind: (typeof KINDS)[number];
  /** The epoch that it was drawn for. */
  readonly epoch: number;
  /** The slot. */
  readonly user: number;
  /** The slot's secret. */
  readonly token: string;
  readonly body: Uint8Array;
}

/** Seal a message to a community of n users, and so many groups; every call gives other bytes. */
export async function seal(
  inner: Inner,
  community: string,
  n: number,
  publicKey: Uint8Array<ArrayBuffer>,
  groups = 0,
): Promise<Uint8Array<ArrayBuffer>> {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });
  const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey).catch(() => {
    throw new WireError("The collector's key is no key.");
  });
  const info = new TextEncoder().encode(`graphldp sealed 1\0${community}`);
  const { enc, ct } = await suite.seal({ recipientPublicKey, info }, encodeInner(inner, n, groups));
  return joined([FIRST_BYTE], await keyId(publicKey), new Uint8Array(enc), new Uint8Array(ct));
}

/** The bytes to seal, for a community of n users and so many groups. */
export function encodeInner({ kind, epoch, user, token, body }: Inner, n: number, groups = 0): Uint8Array<ArrayBuffer> {
  checkWhole("sealed message", "epoch", epoch, 1, MAX_EPOCH);
  checkWhole("sealed message", "user", user, 0, MAX_USERS - 1);
  if (!TOKEN.test(token)) throw new WireError("A token that is sealed has 64 printable characters at most.");
  const out = new Uint8Array(HEAD_SIZE + Math.max(maxSize(n, groups), MAX_ANSWER));
  if (HEAD_SIZE + body.length > out.length) {
    throw new WireError("What is to be sealed is longer than any report of this community.");
  }
  const view = new DataView(out.buffer);
  view.setUint8(0, 1 + KINDS.indexOf(kind));
  view.setUint32(1, epoch);
  view.setUint32(5, user);
  view.setUint8(9, token.length);
  out.set(new TextEncoder().encode(token), 10);
  view.setUint32(74, body.length);
  out.set(body, HEAD_SIZE);
  return out;
}

/** The id of a key: the first bytes of its SHA-256. */
async function keyId(publicKey: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey)).subarray(0, KEY_ID_SIZE);
}
