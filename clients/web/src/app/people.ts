/** A report by name, coloured: who is a friend and who was named. The colours are those of the page to play with. */

import type { App } from "./app.ts";
import { h } from "./dom.ts";
import type { Person, Receipt } from "./views.ts";

const MARKS = { kept: "✓", lost: "?", fake: "+" };

export function people(app: App, receipt: Receipt, truth: number): HTMLElement {
  const { words, format } = app;
  const { counts, noisyDegree } = receipt;
  const parts: HTMLElement[] = [];
  if (receipt.lists) {
    const { persons, friendsCount, strangers } = words.people;
    const all = counts.kept + counts.fake;
    const said = words.people.named(
      persons(all, format.whole(all)),
      friendsCount(counts.kept, format.whole(counts.kept)),
      strangers(counts.fake, format.whole(counts.fake)),
    );
    parts.push(h("p", {}, said));
  }
  if (noisyDegree !== null) parts.push(h("p", {}, words.people.degree(format.whole(noisyDegree), format.whole(truth))));
  if (receipt.groups.length > 0) {
    const rows = receipt.groups.map(({ name, told, truth: real }) =>
      h("li", {}, words.people.inGroup(name, format.whole(told), format.whole(real))),
    );
    parts.push(h("p", {}, words.people.byGroup), h("ul", { class: "points" }, ...rows));
  }
  if (!receipt.lists) parts.push(h("p", {}, words.people.numberOnly));
  if (receipt.lists) {
    parts.push(h("ul", { class: "people", tabindex: "0" }, ...receipt.people.map((person) => chip(app, person))));
    const hidden = counts.kept + counts.lost + counts.fake - receipt.people.length;
    if (hidden > 0) parts.push(h("p", {}, words.people.more(format.whole(hidden))));
    parts.push(legend(app, counts.none), h("p", { class: "note" }, words.people.colours));
  }
  return h("div", { class: "report" }, ...parts);
}

function chip(app: App, person: Person): HTMLElement {
  const kind = kindOf(person);
  return h(
    "li",
    { class: `person ${kind}` },
    h("span", { "aria-hidden": "true" }, `${MARKS[kind]} ${person.name}`),
    h("span", { class: "hidden" }, app.words.people.said(person.name, person.friend, person.listed)),
  );
}

function legend({ words, format }: App, none: number): HTMLElement {
  const kinds = (["kept", "lost", "fake"] as const).map((kind) =>
    h("li", {}, h("span", { class: `person ${kind}`, "aria-hidden": "true" }, MARKS[kind]), words.people[kind]),
  );
  return h("ul", { class: "legend", "aria-label": words.people.legend }, ...kinds, h("li", {}, words.people.none(format.whole(none))));
}

const kindOf = ({ friend, listed }: Person): keyof typeof MARKS => (listed ? (friend ? "kept" : "fake") : "lost");
