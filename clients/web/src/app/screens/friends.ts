/** A member's friends, from files of hers or by ticking names. All is looked up in this browser. */

import type { App } from "../app.ts";
import { h, shown, UNSEEN, UNTRANSLATED, type Child } from "../dom.ts";
import { apart } from "../format.ts";
import type { Cause } from "../../protocol/friends.ts";
import { Trouble } from "../../vault/trouble.ts";
import type { MatchView } from "../views.ts";
import type { Draft } from "./draft.ts";

const MOST_BYTES = 1 << 26;
const FEW = 500;

export function friends(app: App, draft: Draft, next: HTMLButtonElement): Child[] {
  const { words } = app;
  const result = h("div", { "aria-live": "polite", ...UNTRANSLATED });
  const list = h("div", UNTRANSLATED);
  const search = h("input", { type: "search", id: "search", ...UNSEEN, input: () => void find() });

  const update = (cause: Cause | null): void => {
    result.replaceChildren(...shown(outcome(app, draft, cause, () => update(cause))));
    const ready = draft.friends.size > 0 || draft.nobody;
    next.disabled = !ready;
    next.dataset["off"] = String(!ready);
  };
  const find = async (): Promise<void> => {
    const found = await app.api.search(draft.community, search.value);
    list.replaceChildren(...shown(ticks(app, draft, found, () => update(null))));
  };
  const take = (files: readonly File[]): Promise<void> =>
    app.act(async () => {
      const matched = await matchFiles(app, draft, files);
      draft.friends.clear();
      matched.numbers.forEach((number, at) => draft.friends.set(number, matched.names[at] ?? ""));
      draft.total = matched.total;
      draft.nobody = false;
      update(matched.cause);
      await find();
      result.scrollIntoView({ block: "center" });
    });
  update(null);
  void find();
  return [
    h("h1", {}, words.friends.heading),
    h("p", { class: "lead" }, words.friends.lead),
    dropZone(app, (files) => void take(files)),
    h("details", {}, h("summary", {}, words.friends.where), h("p", {}, words.friends.path)),
    result,
    h("label", { for: "search" }, words.friends.search),
    search,
    list,
  ];
}

async function matchFiles(app: App, draft: Draft, files: readonly File[]): Promise<MatchView> {
  if (files.some((file) => file.size > MOST_BYTES)) throw new Trouble("not-a-list");
  const read = files.map(async (file) => ({ name: file.name, data: new Uint8Array(await file.arrayBuffer()) }));
  return app.api.match(draft.community, await Promise.all(read));
}

function dropZone({ words }: App, take: (files: File[]) => void): HTMLElement {
  const given = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (input.files !== null && input.files.length > 0) take([...input.files]);
    input.value = ""; // so that the same file can be chosen again
  };
  const zone = h(
    "label",
    { class: "drop" },
    h("strong", {}, words.friends.drop),
    h("span", { class: "note" }, words.friends.formats),
    h("input", { type: "file", multiple: true, class: "hidden", accept: ".csv,.json,.txt,text/*", change: given }),
  );
  const over = (on: boolean) => (event: Event) => {
    event.preventDefault(); // a browser would open the file instead
    zone.classList.toggle("over", on);
  };
  zone.addEventListener("dragover", over(true));
  zone.addEventListener("dragleave", over(false));
  zone.addEventListener("drop", (event) => {
    over(false)(event);
    take([...(event.dataTransfer?.files ?? [])]);
  });
  return zone;
}

/** What was found, and what stops her where nothing was. */
function outcome(app: App, draft: Draft, cause: Cause | null, update: () => void): Child[] {
  const { words, format } = app;
  const count = draft.friends.size;
  const parts: Child[] = [];
  if (draft.total !== null && count > 0) {
    parts.push(h("p", { class: "good" }, words.friends.found(format.whole(count), format.whole(Math.max(draft.total, count)))));
  } else if (draft.total !== null) {
    parts.push(h("p", { class: "alert" }, words.friends.none(format.whole(draft.total))), h("p", {}, words.friends.noneHelp));
  } else if (count > 0) {
    parts.push(h("p", { class: "good" }, words.friends.ticked(format.whole(count))));
  }
  if (cause !== null) {
    const why = cause.kind === "hosts" ? words.friends.hosts(format.whole(cause.count)) : words.friends.causes[cause.kind];
    parts.push(h("p", { class: "note" }, why));
  }
  if (count > 0) {
    const names = [...draft.friends.values()].slice(0, FEW);
    parts.push(h("ul", { class: "people", tabindex: "0" }, ...names.map((name) => h("li", { class: "person kept" }, apart(name)))));
    if (count > FEW) parts.push(h("p", {}, words.people.more(format.whole(count - FEW))));
  } else {
    const said = (event: Event): void => {
      draft.nobody = (event.target as HTMLInputElement).checked;
      update();
    };
    parts.push(
      h("label", { class: "tick" }, h("input", { type: "checkbox", checked: draft.nobody, change: said }), words.friends.noneReally),
    );
  }
  return parts;
}

function ticks(
  { words }: App,
  draft: Draft,
  found: readonly { readonly number: number; readonly name: string }[],
  update: () => void,
): Child[] {
  if (found.length === 0) return [h("p", { class: "note" }, words.friends.nobody)];
  const boxes = found.map(({ number, name }) => {
    const toggled = (event: Event): void => {
      if ((event.target as HTMLInputElement).checked) draft.friends.set(number, name);
      else draft.friends.delete(number);
      draft.nobody = false;
      update();
    };
    const box = h("input", { type: "checkbox", autocomplete: "off", checked: draft.friends.has(number), change: toggled });
    return h("li", {}, h("label", { class: "tick" }, box, apart(name)));
  });
  return [h("ul", { class: "ticks" }, ...boxes), found.length >= FEW && h("p", { class: "note" }, words.friends.more)];
}
