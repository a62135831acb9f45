/**
 * The user's friends, from a file of hers, as numbers of the community's roster: as `client/friends.py` reads them, so
 * that a file means the same list in both clients. Names that are not in the roster are counted and shown nowhere.
 */

import { LONGEST_NAME, plain, stripped } from "../core/wire/names.ts";
import { Trouble } from "../vault/trouble.ts";

const COLUMNS = ["account address", "account", "acct", "address", "name", "username", "handle", "user", "friend"];
const MOST = 10 * LONGEST_NAME; // of a name in the file, which may be spelled in more characters than a roster's
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
  return lines.map(stripped).filter((line) => line !== "");
}

/** The numbers of a roster's names, as names are compared. */
export function numbered(roster: readonly string[]): Map<string, number> {
  return new Map(roster.map((name, number) => [plain(name), number]));
}

/** Look names up in the roster; the user's own name is dropped. The same is done for each, whichever of them match. */
export function match(names: Iterable<string>, numbers: ReadonlyMap<string, number>, user: number): Matched {
  const hosts = new Set(Array.from(numbers.keys(), (name) => name.split("@")[0]));
  const wanted = new Set(Array.from(names, (name) => plain(name.length > MOST ? `${name.slice(0, MOST)}\0` : name)));
  wanted.delete("");
  const found: number[] = [];
  const [missing, split, same] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const name of wanted) {
    const number = numbers.get(name);
    if (number === undefined) missing.add(name);
    else found.push(number);
    if (/[;\t|]/.test(name)) split.add(name);
    if (hosts.has(name.split("@")[0])) same.add(name);
  }
  const sorted = found.filter((number) => number !== user).sort((a, b) => a - b);
  const of = (some: ReadonlySet<string>): number => [...some].filter((name) => missing.has(name)).length;
  return { numbers: sorted, unmatched: missing.size, cause: causeOf(sorted.length > 0, missing.size, of(split), of(same)) };
}

function causeOf(found: boolean, missing: number, split: number, same: number): Cause | null {
  if (missing === 0) return found ? null : { kind: "empty" };
  if (2 * split > missing) return { kind: "columns" };
  if (same > 0) return { kind: "hosts", count: same };
  return found ? null : { kind: "another-network" };
}

function fromCsv(text: string): string[] {
  const rows = csvRows(text).filter((row) => row.some((cell) => stripped(cell) !== ""));
  const header = (rows[0] ?? []).map((cell) => stripped(cell).toLowerCase());
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
