/** Her communities: what was sent and spent, and what she can still do. Nothing is sent by looking at it. */

import type { App } from "../app.ts";
import { h, save, type Child } from "../dom.ts";
import type { StandingView, StatusView } from "../views.ts";
import { receipt, saveLink, sendAgain } from "./receipt.ts";
import { renewal } from "./renewal.ts";
import { setOut } from "./way.ts";

export async function showHome(app: App): Promise<void> {
  let status: StatusView;
  try {
    status = await app.api.status();
  } catch (error) {
    app.show(() => [h("h1", {}, app.words.home.heading), h("p", { role: "alert", class: "alert" }, app.inWords(error))]);
    return;
  }
  const [first, ...others] = status.standings;
  app.inquiry = first !== undefined && others.length === 0 ? first.community.inquiry : null; // of several: which one?
  app.show(() => {
    const { words, format } = app;
    const cards = status.standings.map((standing) => card(app, standing));
    return [
      h("h1", {}, words.home.heading),
      ...(cards.length === 0 ? [h("p", {}, words.home.none)] : cards),
      h("p", {}, words.home.spent(format.epsilon(status.spent), format.epsilon(status.cap))),
      ledger(app, status),
      h("p", { class: "note" }, words.home.cleared),
    ];
  });
}

function card(app: App, standing: StandingView): HTMLElement {
  const { words } = app;
  const { community, state, receipt: left } = standing;
  const said = words.home;
  const button = (text: string, click: () => void): HTMLElement => h("button", { class: "quiet", click }, text);
  const check = (): Promise<void> =>
    app.act(async () => {
      await app.api.send(community);
      app.say(said.checked);
    });
  const actions: Child[] = [];
  if (state === "joined" || state === "charged") {
    actions.push(h("button", { click: () => setOut(app, community) }, said.continue));
  }
  if (state === "drawn") actions.push(h("button", { click: () => void sendAgain(app, community) }, said.send));
  if (left !== null) actions.push(button(said.show, () => app.show(receipt(app, standing))));
  if (state === "sent") actions.push(button(said.check, () => void check()));
  actions.push(button(said.look, () => void look(app, standing)));
  actions.push(button(words.receipt.saveLink, () => void app.act(() => saveLink(app, community))));
  return h(
    "section",
    { class: "card", "aria-label": community.name },
    h("h2", {}, community.name),
    h("p", {}, said.states[state]),
    standing.answered !== null && h("p", {}, said.answered(standing.answered)),
    h("div", { class: "buttons" }, ...actions),
    standing.asked && standing.answered === null && state === "sent" && secondQuestion(app, standing),
    standing.reported && withdraw(app, standing),
    forget(app, standing),
  );
}

function look(app: App, { community }: StandingView): Promise<void> {
  return app.act(async () => {
    const opened = await app.api.look(community);
    if (opened.renewal !== null) app.show(renewal(app, opened));
    else app.say(app.words.home.nothingNew);
  });
}

/** Do something, and show what her communities are then. */
function thenHome(app: App, work: () => Promise<unknown>): void {
  void app.act(async () => {
    await work();
    await showHome(app);
  });
}

function secondQuestion(app: App, { community, keepsList }: StandingView): HTMLElement {
  return h(
    "div",
    {},
    h("p", {}, community.answerUntil === null ? app.words.home.answerWhy : app.words.home.answerPairsWhy),
    keepsList && h("p", {}, app.words.home.declineWhy),
    h(
      "div",
      { class: "buttons" },
      h("button", { click: () => thenHome(app, () => app.api.answer(community)) }, app.words.home.answer),
      keepsList && h("button", { class: "quiet", click: () => thenHome(app, () => app.api.decline(community)) }, app.words.home.decline),
    ),
  );
}

function withdraw(app: App, { community }: StandingView): HTMLElement {
  return takingBack(app, community.name, async () => {
    await app.api.withdraw(community);
    await showHome(app);
  });
}

/** What it means to take a report back, and a button that does it. */
export function takingBack(app: App, name: string, work: () => Promise<void>): HTMLElement {
  return h(
    "details",
    { class: "danger" },
    h("summary", {}, app.words.home.withdraw),
    h("p", {}, app.words.home.withdrawWhy),
    h("button", { class: "quiet", click: () => void app.act(work) }, app.words.home.withdrawYes(name)),
  );
}

function forget(app: App, { community }: StandingView): HTMLElement {
  return h(
    "details",
    { class: "danger" },
    h("summary", {}, app.words.home.forget),
    h("p", {}, app.words.home.forgetWhy),
    h("button", { class: "quiet", click: () => thenHome(app, () => app.api.forget(community)) }, app.words.home.forgetYes(community.name)),
  );
}

function ledger(app: App, status: StatusView): HTMLElement {
  const said = app.words.home;
  const cap = h("input", { id: "cap", type: "number", required: true, min: "0.000001", max: "1000000", step: "any", value: String(status.cap) });
  const setCap = (): void => {
    if (cap.reportValidity()) thenHome(app, () => app.api.setCap(Number(cap.value)));
  };
  const write = (): Promise<void> => app.act(async () => save("ledger.json", await app.api.exportLedger()));
  const add = (event: Event): void => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (file === undefined) return;
    void app.act(async () => {
      await app.api.addLedger(await file.text());
      await showHome(app);
      app.say(said.added);
    });
  };
  return h(
    "details",
    {},
    h("summary", {}, said.ledger),
    h("label", { for: "cap" }, said.cap),
    cap,
    h("button", { class: "quiet", click: setCap }, said.setCap),
    h("p", {}, said.ledgerWhy),
    h("button", { class: "quiet", click: () => void write() }, said.export),
    h("label", { for: "add" }, said.add),
    h("input", { id: "add", type: "file", accept: ".json", change: add }),
    h("ul", {}, ...status.entries.filter((entry) => !known(status, entry)).map((entry) => forgotten(app, entry))),
  );
}

const known = ({ standings }: StatusView, entry: StatusView["entries"][number]): boolean =>
  standings.some(({ community }) => community.server === entry.server && community.community === entry.community);

function forgotten({ words, format }: App, entry: StatusView["entries"][number]): HTMLElement {
  const spent = entry.millionths === null ? "∞" : format.epsilon(entry.millionths / 1e6);
  return h("li", {}, `${words.home.forgotten(entry.community)}: ε = ${spent}`);
}
