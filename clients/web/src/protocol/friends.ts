/**
 * The user's friends, from a file of hers, as numbers of the community's roster: as `client/friends.py` reads them, so
 * that a file means the same list in both clients. Names that are not in the roster are counted and shown nowhere.
 */

import { plain } from "../core/wire/roster.ts";
import { Trouble } from "../vault/trouble.ts";

const COLUMNS = ["account address", "account", "acct", "address", "name", "username", "handle", "user", "friend"];
const LINES = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** Why so few names match, where that can be guessed. */
export type Cause =
  | { readonly kind: "empty" | "columns" | "another-network" }
  | { readonly kind: "hosts"; readonly count: number };

export interface Matched {
  readonly numbers: readonly number[];
  readonly unmatched: number;
  readonly cause: Cause | null;
}

/** The names in a file. */
export function readNames(fileName: string, data: Uint8Array): string[] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(data); // leaves out a byte order mark
  } catch {
    throw new Trouble("not-text");
  }
  const suffix = /\.[^.]*$/.exec(fileName)?.[0].toLowerCase();
  if (suffix === ".json") return fromJson(text);
  if (suffix === ".csv") return fromCsv(text);
  const lines = text.split(LINES).filter((line) => !line.startsWith("#"));
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** The numbers of a roster's names, as names are compared. */
export function numbered(roster: readonly string[]): Map<string, number> {
  const numbers = new Map(roster.map((name, number) => [plain(name), number]));
  if (numbers.size !== roster.length) throw new Trouble("bad-community");
  return numbers;
}

/** Look names up in the roster; the user's own name is dropped. */
export function match(names: Iterable<string>, numbers: ReadonlyMap<string, number>, user: number): Matched {
  const found = new Set<number>();
  const missing = new Set<string>();
  for (const name of names) {
    const wanted = plain(name);
    const number = numbers.get(wanted);
    if (number !== undefined) found.add(number);
    else if (wanted !== "") missing.add(wanted);
  }
  found.delete(user);
  const sorted = [...found].sort((a, b) => a - b);
  return { numbers: sorted, unmatched: missing.size, cause: causeOf(sorted.length > 0, missing, numbers) };
}

function causeOf(found: boolean, missing: ReadonlySet<string>, roster: ReadonlyMap<string, number>): Cause | null {
  if (missing.size === 0) return found ? null : { kind: "empty" };
  const split = [...missing].filter((name) => /[;\t|]/.test(name)).length;
  if (2 * split > missing.size) return { kind: "columns" };
  const hosts = new Set([...roster.keys()].map((name) => name.split("@")[0]));
  const count = [...missing].filter((name) => hosts.has(name.split("@")[0])).length;
  if (count > 0) return { kind: "hosts", count };
  return found ? null : { kind: "another-network" };
}

function fromCsv(text: string): string[] {
  const rows = csvRows(text).filter((row) => row.some((cell) => cell.trim() !== ""));
  const header = (rows[0] ?? []).map((cell) => cell.trim().toLowerCase());
  const named = COLUMNS.find((name) => header.includes(name));
  const column = named === undefined ? 0 : header.indexOf(named);
  return rows.slice(named === undefined ? 0 : 1).flatMap((row) => row[column] ?? []);
}

/** Rows and cells; a quote inside a cell is doubled, and what follows a closing quote is a comma or the line's end. */
function csvRows(text: string): string[][] {
  return text.split(LINES).map((line) => {
    const cells: string[] = [];
    for (let rest = line; ; ) {
      const cell = /^(?:"((?:[^"]|"")*)"|([^",][^,]*)?)(,|$)/.exec(rest);
      if (cell === null) throw new Trouble("not-a-list");
      cells.push(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? "");
      if (cell[3] === "") return cells;
      rest = rest.slice(cell[0].length);
    }
  });
}

/** A list of names or of objects with one, or Bluesky's answer to `getFollows`, which holds such a list. */
function fromJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Trouble("not-a-list");
  }
  const list = isRecord(value) ? value["follows"] : value;
  if (!Array.isArray(list)) throw new Trouble("not-a-list");
  return list.map((each: unknown) => {
    const name = isRecord(each) ? COLUMNS.map((column) => each[column]).find((found) => found !== undefined) : each;
    if (typeof name !== "string") throw new Trouble("not-a-list");
    return name;
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
