/** A report by name, coloured where the list is at hand: who is a friend and who was named by chance. */

import type { App } from "./app.ts";
import { h, UNTRANSLATED } from "./dom.ts";
import { apart } from "./format.ts";
import type { GroupCount, Person, Receipt } from "./views.ts";

const MARKS = { kept: "✓", lost: "?", fake: "+" };

export function people(app: App, receipt: Receipt): HTMLElement {
  const { words, format } = app;
  const { counts, noisyDegree, named } = receipt;
  const parts: HTMLElement[] = [];
  if (receipt.lists) parts.push(h("p", {}, naming(app, receipt)));
  if (noisyDegree !== null) {
    const told = format.whole(noisyDegree);
    const said = counts === null ? words.people.told(told) : words.people.degree(told, format.whole(counts.kept + counts.lost));
    parts.push(h("p", {}, said));
  }
  if (receipt.groups.length > 0) {
    const rows = receipt.groups.map((group) => h("li", {}, inGroup(app, group)));
    parts.push(h("p", {}, words.people.byGroup), h("ul", { class: "points" }, ...rows));
  }
  if (!receipt.lists) parts.push(h("p", {}, words.people.numberOnly));
  if (receipt.lists) {
    parts.push(h("ul", { class: "people", tabindex: "0" }, ...receipt.people.map((person) => chip(app, person))));
    const hidden = named + (counts?.lost ?? 0) - receipt.people.length;
    if (hidden > 0) parts.push(h("p", {}, words.people.more(format.whole(hidden))));
    const chance = counts !== null && receipt.mechanism !== "public"; // else whoever is named is a friend
    if (chance) parts.push(legend(app, counts.none), h("p", { class: "note" }, words.people.colours));
  }
  return h("div", { class: "report", ...UNTRANSLATED }, ...parts);
}

function naming({ words, format }: App, { counts, named }: Receipt): string {
  const { persons, friendsCount, strangers } = words.people;
  const all = persons(named, format.whole(named));
  if (counts === null) return words.people.names(all);
  return words.people.named(
    all,
    friendsCount(counts.kept, format.whole(counts.kept)),
    strangers(counts.fake, format.whole(counts.fake)),
  );
}

function inGroup({ words, format }: App, { name, told, truth }: GroupCount): string {
  if (truth === null) return words.people.toldInGroup(apart(name), format.whole(told));
  return words.people.inGroup(apart(name), format.whole(told), format.whole(truth));
}

function chip(app: App, person: Person): HTMLElement {
  const { name, friend, listed } = person;
  if (friend === null) return h("li", { class: "person" }, apart(name));
  const kind = listed ? (friend ? "kept" : "fake") : "lost";
  return h(
    "li",
    { class: `person ${kind}` },
    h("span", { "aria-hidden": "true" }, `${MARKS[kind]} ${apart(name)}`),
    h("span", { class: "hidden" }, app.words.people.said(name, friend, listed)),
  );
}

function legend({ words, format }: App, none: number): HTMLElement {
  const kinds = (["kept", "lost", "fake"] as const).map((kind) =>
    h("li", {}, h("span", { class: `person ${kind}`, "aria-hidden": "true" }, MARKS[kind]), words.people[kind]),
  );
  return h("ul", { class: "legend", "aria-label": words.people.legend }, ...kinds, h("li", {}, words.people.none(format.whole(none))));
}
