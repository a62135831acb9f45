/**
 * The second round of closed-pairs: the cap C on an answer, by what was sent alone, and how many pairs are counted under
 * it. All is whole numbers, so that no rounding decides how far one friend moves an answer.
 * docs/mechanisms/closed-pairs.md has the proof.
 */

import { type Fraction, fraction } from "./fraction.ts";
import { expBelow } from "./thresholds.ts";
import { MILLION, toMillionths } from "./wire/report.ts";

const FINE = 1n << 128n;
const PARTS = 1 << 16; // of a published probability
const SLACK = 2; // how far a degree's noise is followed, in 1/ε₀

/** Of what is spent on list and answer together, the list's part and the answer's. */
export function parts(epsilon2: number): { list: Fraction; answer: Fraction } {
  const [units, whole] = [BigInt(toMillionths(epsilon2)), BigInt(MILLION)];
  return { list: fraction(8n * units, 15n * whole), answer: fraction(7n * units, 15n * whole) };
}

/** C, by what a report says. */
export function cap(report: { n: number; epsilon1: number; epsilon2: number; noisyDegree: number | null }): number {
  const e = expBelow(parts(report.epsilon2).list);
  const right = Number((BigInt(2 * PARTS) * e + e + FINE) / (2n * (e + FINE)));
  const slack = Math.max(1, Math.ceil(Math.min((SLACK * MILLION) / toMillionths(report.epsilon1), report.n)));
  const far = Math.min(Math.max(report.noisyDegree ?? 0, 0) + slack, report.n - 1);
  return Math.max(Math.ceil((2 * right * far) / PARTS), 1);
}

/**
 * The sum of a symmetric matrix, of which each row and each column may give so much at most: a maximum flow, by Dinic's
 * algorithm. It goes from rows to columns; what a row has given it may take back for another one.
 */
export function capped(matrix: Uint8Array, size: number, most: number): number {
  const [left, sent] = [matrix.slice(), new Uint8Array(matrix.length)];
  const [gives, takes] = [new Int32Array(size).fill(most), new Int32Array(size).fill(most)];
  const [rowLevel, columnLevel, rowAt, columnAt] = Array.from({ length: 4 }, () => new Int32Array(size)) as [Int32Array, Int32Array, Int32Array, Int32Array];

  /** How far rows and columns are from a row that has something to give; whether a column takes it. */
  const levels = (): boolean => {
    rowLevel.fill(-1);
    columnLevel.fill(-1);
    let rows: number[] = [];
    for (let row = 0; row < size; row += 1) {
      if ((gives[row] as number) > 0) {
        rowLevel[row] = 0;
        rows.push(row);
      }
    }
    for (let level = 1, ends = false; rows.length > 0; level += 2) {
      const columns: number[] = [];
      for (const row of rows) {
        for (let column = 0; column < size; column += 1) {
          if (columnLevel[column] !== -1 || !left[row * size + column]) continue;
          columnLevel[column] = level;
          columns.push(column);
          ends ||= (takes[column] as number) > 0;
        }
      }
      if (ends) return true;
      rows = [];
      for (const column of columns) {
        for (let row = 0; row < size; row += 1) {
          if (rowLevel[row] !== -1 || !sent[row * size + column]) continue;
          rowLevel[row] = level + 1;
          rows.push(row);
        }
      }
    }
    return false;
  };
  /** Send one more from a row, by a way of rows and columns in turn; false where there is none left. */
  const one = (start: number): boolean => {
    const way = [start];
    for (;;) {
      const place = way[way.length - 1] as number;
      const back = way.length % 2 === 0;
      if (back && (takes[place] as number) > 0) break;
      const [at, level, levels] = back ? [columnAt, columnLevel, rowLevel] : [rowAt, rowLevel, columnLevel];
      const further = (level[place] as number) + 1;
      const open = (next: number): boolean =>
        levels[next] === further && (back ? sent[next * size + place] : left[place * size + next]) !== 0;
      while ((at[place] as number) < size && !open(at[place] as number)) at[place] = (at[place] as number) + 1;
      if ((at[place] as number) < size) {
        way.push(at[place] as number);
      } else if (way.length > 1) {
        way.pop(); // a dead end
        const before = back ? rowAt : columnAt;
        const from = way[way.length - 1] as number;
        before[from] = (before[from] as number) + 1;
      } else {
        return false;
      }
    }
    const end = way[way.length - 1] as number;
    takes[end] = (takes[end] as number) - 1;
    for (let step = 0; step + 1 < way.length; step += 1) {
      const [here, there] = [way[step] as number, way[step + 1] as number];
      const place = step % 2 ? there * size + here : here * size + there;
      const change = step % 2 ? -1 : 1;
      sent[place] = (sent[place] as number) + change;
      left[place] = (left[place] as number) - change;
    }
    return true;
  };
  let total = 0;
  while (levels()) {
    rowAt.fill(0);
    columnAt.fill(0);
    for (let row = 0; row < size; row += 1) {
      while ((gives[row] as number) > 0 && one(row)) {
        gives[row] = (gives[row] as number) - 1;
        total += 1;
      }
    }
  }
  return total;
}
