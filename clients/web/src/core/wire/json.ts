/**
 * JSON, read strictly: one object, each field once, no number that JSON does not have. A number that is written with a
 * point or an exponent is a `Real`: where a whole number is wanted, 3.0 is none.
 */

import { WireError } from "../errors.ts";

export class Real {
  constructor(readonly value: number) {}
}

export type Json = null | boolean | string | number | Real | Json[] | Fields;
export type Fields = Map<string, Json>;

const DEEPEST = 500;
const SPACES = Array.from(" \t\n\r", (each) => each.charCodeAt(0));
const TEXT = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const WORDS: [string, Json][] = [
  ["null", null],
  ["true", true],
  ["false", false],
];
const ESCAPES = new Map(Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));

/** The object that a text is. */
export function readObject(text: string): Fields {
  const found = new Reader(text).whole();
  if (!(found instanceof Map)) throw new WireError("The text is not an object in JSON.");
  return found;
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  whole(): Json {
    const found = this.value();
    this.skip();
    if (this.at !== this.text.length) this.fail();
    return found;
  }

  private value(): Json {
    this.skip();
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first === "{" || first === "[") {
      this.depth += 1;
      if (this.depth > DEEPEST) this.fail();
      const found = first === "{" ? this.object() : this.array();
      this.depth -= 1;
      return found;
    }
    for (const [word, meaning] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return meaning;
      }
    }
    return this.number();
  }

  private object(): Fields {
    const fields: Fields = new Map();
    this.at += 1;
    if (this.next("}")) return fields;
    do {
      this.skip();
      const name = this.string();
      if (fields.has(name)) throw new WireError("An object in JSON names each field once.");
      if (!this.next(":")) this.fail();
      fields.set(name, this.value());
    } while (this.next(","));
    if (!this.next("}")) this.fail();
    return fields;
  }

  private array(): Json[] {
    const values: Json[] = [];
    this.at += 1;
    if (this.next("]")) return values;
    do values.push(this.value());
    while (this.next(","));
    if (!this.next("]")) this.fail();
    return values;
  }

  private string(): string {
    if (this.text[this.at] !== '"') this.fail();
    this.at += 1;
    for (let found = ""; ; ) {
      TEXT.lastIndex = this.at;
      TEXT.test(this.text);
      found += this.text.slice(this.at, TEXT.lastIndex);
      this.at = TEXT.lastIndex;
      const mark = this.text[this.at];
      this.at += 1;
      if (mark === '"') return found;
      if (mark !== "\\") this.fail();
      found += this.escaped();
    }
  }

  private escaped(): string {
    const kind = this.text[this.at] ?? "";
    this.at += 1;
    if (kind !== "u") return ESCAPES.get(kind) ?? this.fail();
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail();
    this.at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private number(): number | Real {
    const [text, point, exponent] = this.match(NUMBER);
    return point || exponent ? new Real(Number(text)) : Number(text);
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? this.fail();
    this.at += found[0].length;
    return found;
  }

  private next(mark: string): boolean {
    this.skip();
    const found = this.text[this.at] === mark;
    if (found) this.at += 1;
    return found;
  }

  private skip(): void {
    while (SPACES.includes(this.text.charCodeAt(this.at))) this.at += 1;
  }

  private fail(): never {
    throw new WireError("The text is not JSON.");
  }
}

/** Refuse what is no whole number from `low` to `high`. */
export function whole(value: Json | undefined, low: number, high: number, refuse: () => never): number {
  return typeof value === "number" && low <= value && value <= high ? value : refuse();
}
