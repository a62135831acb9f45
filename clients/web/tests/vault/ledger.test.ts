import { describe, expect, test } from "vitest";
import { charged, EMPTY, find, lastEpoch, merged, noted, readLedger, spent } from "../../src/vault/ledger.ts";

const slot = (community: string, epoch = 1) => ({ server: "https://a.example", community, epoch });
const TENTH = 100_000;

test("sums are exact, and the cap is reached but not passed", () => {
  let ledger = { ...EMPTY, cap: 1_000_000 };
  for (let number = 0; number < 10; number += 1) ledger = { ...charged(ledger, slot(`c${number}`), "tenth", TENTH) };
  expect(spent(ledger)).toBe(ledger.cap);
  expect(() => charged(ledger, slot("other"), "least", 1)).toThrow("over-cap");
  expect(spent(charged(ledger, slot("open"), "public", null))).toBe(ledger.cap);
});

test("a report that was never drawn is not charged twice", () => {
  const once = charged(EMPTY, slot("c"), "tenth", TENTH);
  expect(spent(charged(once, slot("c"), "tenth", TENTH))).toBe(TENTH);
  expect(spent(charged(once, slot("c", 2), "tenth", TENTH))).toBe(2 * TENTH);
});

test("what was drawn stays marked", () => {
  const ledger = noted(charged(EMPTY, slot("c", 3), "tenth", TENTH), slot("c", 3), { drawn: true });
  expect(lastEpoch(ledger, "https://a.example", "c")).toBe(3);
  expect(lastEpoch(ledger, "https://b.example", "c")).toBe(0);
});

describe("another client's ledger", () => {
  const ours = charged(charged(EMPTY, slot("both"), "tenth", TENTH), slot("ours"), "tenth", TENTH);
  const dear = noted(charged(EMPTY, slot("both"), "dear", 2 * TENTH), slot("both"), { drawn: true, question: "q" });
  const theirs = charged({ ...dear, cap: 3_000_000 }, slot("theirs"), "tenth", TENTH);

  test("adds what it spent and drew, once", () => {
    const both = merged(ours, theirs);
    expect(spent(both)).toBe(4 * TENTH);
    expect(both.cap).toBe(3_000_000);
    expect(find(both, slot("both"))).toMatchObject({ choice: "dear", drawn: true, question: "q" });
    expect(merged(both, theirs)).toEqual(both);
  });

  test("never lowers a cost or takes back a mark", () => {
    const marks = { drawn: true, sent: true, question: "mine", answered: true };
    const open = noted(charged({ ...EMPTY, cap: 1 }, slot("both"), "open", null), slot("both"), marks);
    expect(merged(open, dear)).toEqual(open);
  });
});

test.each([null, [], {}, { cap: 1 }, { cap: 0.5, entries: [] }, { cap: 1, entries: [{ server: "x" }] }])(
  "what is no ledger is refused: %j",
  (value) => {
    expect(() => readLedger(value, "not-a-ledger")).toThrow("not-a-ledger");
  },
);

test("an account of any length is read", () => {
  const [entry] = noted(charged(EMPTY, slot("c"), "tenth", TENTH), slot("c"), { drawn: true }).entries;
  const entries = Array.from({ length: 300_000 }, (_, epoch) => ({ ...entry, epoch: epoch + 1 }));
  expect(lastEpoch(readLedger({ ...EMPTY, entries }, "not-a-ledger"), "https://a.example", "c")).toBe(300_000);
}, 60_000); // a busy machine takes longer than the usual five seconds

test("a report under two ways to write its server counts twice, and is drawn", () => {
  const [first] = noted(charged(EMPTY, slot("c"), "tenth", TENTH), slot("c"), { drawn: true }).entries;
  const [second] = charged(EMPTY, slot("c"), "dear", 2 * TENTH).entries;
  const entries = [first, { ...second, server: "HTTPS://A.example.:443/" }];
  const read = readLedger({ ...EMPTY, entries }, "not-a-ledger");
  expect(read.entries).toMatchObject([{ server: "https://a.example", millionths: 3 * TENTH, drawn: true }]);
  expect(() => readLedger({ ...EMPTY, entries: [{ ...first, server: "a.example" }] }, "damaged")).toThrow("damaged");
});
