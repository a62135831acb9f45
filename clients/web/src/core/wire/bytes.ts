/** A message's bytes, written and read one part after the other: what it is called stands in every reason. */

import { WireError } from "../errors.ts";
import * as varints from "./varints.ts";

/** The bytes of several parts. */
export function joined(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Bytes in hex. */
export function toHex(data: Uint8Array): string {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes that an even number of hexadecimal digits stands for. */
export function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/** SHA-256, in hex. */
export async function sha256(data: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", data)));
}

export class Reader {
  private at = 0;

  constructor(
    private readonly data: Uint8Array,
    private readonly what: string,
  ) {}

  /** The next bytes. */
  take(count: number): Uint8Array {
    const taken = this.data.subarray(this.at, this.at + count);
    if (taken.length !== count) this.fail(`The ${this.what} is cut short.`);
    this.at += count;
    return taken;
  }

  /** The next byte. */
  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** All that is left. */
  rest(): Uint8Array {
    return this.data.subarray(this.at);
  }

  /** A number of no sign. */
  varint(name: string): number {
    let value = 0;
    for (let place = 0; place < varints.MOST_BYTES; place += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) {
        if (!byte && place) this.fail(`The ${this.what}'s ${name} is written with more bytes than it needs.`);
        return value;
      }
    }
    return this.fail(`The ${this.what}'s ${name} is too large.`);
  }

  /** A number of either sign. */
  signed(name: string): number {
    return varints.unfold(this.varint(name));
  }

  private fail(reason: string): never {
    throw new WireError(reason);
  }
}

/** Refuse what is no whole number from `low` to `high`. */
export function checkWhole(what: string, name: string, value: unknown, low: number, high: number): void {
  if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) {
    const article = /^[aeiou]/.test(what) ? "An" : "A";
    throw new WireError(`${article} ${what}'s ${name} must be a whole number from ${low} to ${high}.`);
  }
}
