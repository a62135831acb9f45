/** The vectors of sealed messages, and that what is sealed here opens for its own community and key alone. */

import { readFileSync } from "node:fs";
import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import { describe, expect, test } from "vitest";
import { WireError } from "../../../src/core/errors.ts";
import { fromHex, toHex } from "../../../src/core/wire/bytes.ts";
import { encodeInner, type Inner, seal } from "../../../src/core/wire/sealed.ts";

const path = new URL("../../../../../tests/wire/vectors/sealed.json", import.meta.url);
const vectors = JSON.parse(readFileSync(path, "utf-8"));
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });
const HEAD = 1 + 8;
const ENC = 65;

async function open(sealed: Uint8Array, community: string): Promise<string> {
  const recipientKey = await suite.kem.deserializePrivateKey(fromHex(vectors.private_key));
  const info = new TextEncoder().encode(`graphldp sealed 1\0${community}`);
  const enc = sealed.slice(HEAD, HEAD + ENC);
  return toHex(new Uint8Array(await suite.open({ recipientKey, enc, info }, sealed.slice(HEAD + ENC))));
}

function innerOf(vector: any): Inner {
  return { ...vector.inner, body: fromHex(vector.inner.body) };
}

describe.each<any>(vectors.valid)("$name", (vector) => {
  test("is written as it should be", () => {
    expect(toHex(encodeInner(innerOf(vector), vector.n))).toBe(vector.plaintext);
  });
  test("opens as it was sealed elsewhere", async () => {
    expect(await open(fromHex(vector.sealed), vector.community)).toBe(vector.plaintext);
  });
  test("opens as it is sealed here, in other bytes each time, of the same length", async () => {
    const key = fromHex(vectors.public_key);
    const one = await seal(innerOf(vector), vector.community, vector.n, key);
    const two = await seal(innerOf(vector), vector.community, vector.n, key);
    expect(toHex(one)).not.toBe(toHex(two));
    expect(one.length).toBe(fromHex(vector.sealed).length);
    expect(toHex(one.slice(0, HEAD))).toBe(`e4${vectors.key_id}`);
    expect(await open(one, vector.community)).toBe(vector.plaintext);
    await expect(open(one, `${vector.community}x`)).rejects.toThrow();
  });
});

test("what does not fit is refused", async () => {
  const inner = innerOf(vectors.valid[0]);
  const n = vectors.valid[0].n;
  expect(() => encodeInner({ ...inner, token: "x".repeat(65) }, n)).toThrow(WireError);
  expect(() => encodeInner({ ...inner, token: "" }, n)).toThrow(WireError);
  expect(() => encodeInner({ ...inner, epoch: 0 }, n)).toThrow(WireError);
  expect(() => encodeInner({ ...inner, user: -1 }, n)).toThrow(WireError);
  expect(() => encodeInner({ ...inner, body: new Uint8Array(1000) }, n)).toThrow(WireError);
  const nowhere = fromHex(`04${"00".repeat(64)}`); // no point of the curve
  await expect(seal(inner, "cats", n, nowhere)).rejects.toThrow(WireError);
});
