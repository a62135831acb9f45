/**
 * Names of a roster: which ones it may hold, by the rule of `wire/roster.py`, so that every client takes it or refuses it.
 *
 * A name has 1 to 200 characters, counted as code points. Each can be seen and is one of Unicode 14.0, which every
 * browser that runs this knows and no later version changes. No two names of a roster look alike.
 */

import { WireError } from "../errors.ts";
import type { Json } from "./json.ts";
import { RUNS } from "./unicode14.ts";

export const LONGEST_NAME = 200;
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const ENDS = new RegExp(`^${SPACE}|${SPACE}$`, "g");
const NOT_PLAIN = /[A-Z\x80-\u{10ffff}]/gu;
const FOLDED = new Map([["ı", "ı"]]); // what was folded before; and the one letter whose capital belongs to another
const CHEROKEE = /^[\u13a0-\u13f5]$/;
const NOT_ASCII = /[^\0-\x7f]/;
const HIDDEN = hidden(RUNS);
const FROM =
  "АВЕЅІЈКМНОРСТХаеіјорсухѕԁԛԝһѴѵӀӏԌЗҮԚԜәӘӕӔӡӠԑԐ" + // Cyrillic
  "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναικρυωϲϜϹϳͿϺεͻ" + // Greek
  "օսոհզցյՕՍՏԼ" + // Armenian
  "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃꮯꮃꮪꮩꮓ" + // Cherokee
  "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ" + // Lisu
  "ⲞⲟⲢⲣⲤⲥⵔⵝ" + // Coptic, Tifinagh
  "へロカニトハエタオー" + // Hiragana, Katakana
  "ɑɡᴄᴏᴠᴡᴢꜱᴑɩǝÐƉ" +
  "‐‒–−⁃˗ⲻ’‘ʼ′ʹꞌˈ՚‧⁄∕∶꞉ǃ" +
  "\u0305\u0326\u0332"; // lines and a comma at a letter
const TO =
  "ABESIJKMHOPCTXaeijopcyxsdqwhVvIlG3YQWəƏæÆʒƷɛƐ" +
  "ABEZHIKMNOPTYXovaikpuwcFCjJMɛɔ" +
  "ounhqgjOUSL" +
  "ABCDEGHJKLMPRSTVWZcwsvz" +
  "BPDTGKJCZFMNLSRVHWXYAEIOU" +
  "OoPpCcOX" +
  "ヘ口力二卜八工夕才一" +
  "agcovwzsoiəĐĐ" +
  "-------''''''''·//::!" +
  "\u0304\u0327\u0331";
const LOOKS = new Map(Array.from(FROM, (letter, place) => [letter, TO.charAt(place)]));
const UNDER_MARK = /[\u0131\u0237](?=[\u0300-\u036f])/g; // an i or j has no dot under a mark either
const DOTTED_TWICE = /([ij][\u0316-\u0333]*)\u0307/g; // drawn with one dot
const [BARE, STRUCK] = ["bdhilotzBDHILOTZ", "ƀđħɨłøŧƶɃĐĦƗŁØŦƵ"];
const STRIKE = new RegExp(`([${BARE}])[\\u0335-\\u0338]`, "g"); // a stroke that is a mark of its own

/** A text without the spaces around it, as Python has them. */
export const stripped = (text: string): string => text.replace(ENDS, "");

/** A name as it is compared: without regard to case, an @ in front, and the ways Unicode has to write one letter. */
export function plain(name: string): string {
  const trimmed = stripped(name).replace(/^@/, "").normalize("NFC");
  return trimmed.replace(NOT_PLAIN, folded);
}

/** A name by its look: two names with the same one can hardly be told apart. */
export function look(name: string): string {
  const latin = (text: string): string => Array.from(text, (letter) => LOOKS.get(letter) ?? letter).join("");
  // before letters fall apart, which makes others of some, and after it, where their marks stand apart
  const apart = latin(latin(name).normalize("NFKD")).replace(STRIKE, (_, letter: string) => STRUCK.charAt(BARE.indexOf(letter)));
  const dotted = apart.replace(UNDER_MARK, (letter) => (letter === "\u0131" ? "i" : "j"));
  return plain(dotted.replace(DOTTED_TWICE, "$1"));
}

/** Whether every character of a text can be seen, and does nothing else to a screen. */
export function isShown(text: string): boolean {
  return !HIDDEN.test(text);
}

/** A text that people are shown; what hides text is refused. */
export function checkText(what: string, value: Json | undefined, most = LONGEST_NAME): string {
  if (typeof value !== "string") throw new WireError(`${what} is not text.`);
  const fault = faultOf(value, most);
  if (fault !== null) throw new WireError(`${what} ${fault}.`);
  return value;
}

/** The name of a community, a group or a choice. */
export const checkName = (value: Json | undefined): string => checkText("A name", value);

/** Refuse a roster that holds what is no name, or two names that clients or people could not tell apart. */
export function checkNames(names: readonly string[]): void {
  const seen = new Map<string, number>();
  names.forEach((name, place) => {
    const fault = faultOf(name);
    if (fault !== null) throw new WireError(`${DISTINCT}; name ${shown(place)} ${fault}.`);
    const compared = plain(name);
    for (const seems of NOT_ASCII.test(name) ? [compared, look(name)] : [compared]) {
      const first = seen.get(seems) ?? place;
      if (first !== place) {
        const why = plain(names[first] ?? "") === compared ? SAME : ALIKE;
        throw new WireError(`${DISTINCT}; names ${shown(first)} and ${shown(place)} ${why}.`);
      }
      seen.set(seems, place);
    }
  });
}

const DISTINCT = "A roster must hold distinct, printable names";
const SAME = "are the same to every client: case, an @ in front and how a letter is written do not count";
const ALIKE = "look alike and are spelled with other characters, so members would take one for the other";

function faultOf(name: string, most = LONGEST_NAME): string | null {
  if (!name || !fits(name, most)) return `does not have 1 to ${most} characters`;
  if (!isShown(name)) return "is not printable";
  if (/^@?\p{M}/u.test(name)) return "begins with a mark that belongs to a letter before it";
  if (/^ | $| {2}|^@ |^@$/.test(name)) return "has a space too many, or nothing but an @";
  return name.normalize("NFC") === name ? null : "is not in Unicode's normal form C";
}

/** The length is bounded before it is counted: a string's own counts some characters twice, and none more often. */
const fits = (text: string, most: number): boolean => text.length <= 2 * most && Array.from(text).length <= most;

const shown = (place: number): string => String(place + 1).replace(/\B(?=(\d{3})+$)/g, ",");

/** Unicode's full case folding of one letter, which browsers do not offer; a test compares all letters with Python's. */
function folded(letter: string): string {
  const known = FOLDED.get(letter);
  if (known !== undefined) return known;
  const capital = letter.toLowerCase().toUpperCase();
  const found = CHEROKEE.test(capital) // the one script that folds to its capitals
    ? capital
    : Array.from(capital, (each) => each.toLowerCase()).join("");
  FOLDED.set(letter, found);
  return found;
}

/** Every second run of characters, beginning with the first. */
function hidden(runs: string): RegExp {
  let at = 0;
  const ranges = runs.split(" ").map((run, place) => {
    const first = at;
    at += parseInt(run, 36);
    return place % 2 === 0 ? `\\u{${first.toString(16)}}-\\u{${(at - 1).toString(16)}}` : "";
  });
  return new RegExp(`[${ranges.join("")}]`, "u");
}
