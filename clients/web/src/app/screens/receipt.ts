/** After the draw: what left, or that it is not sent yet. */

import type { App, Screen } from "../app.ts";
import { h, save } from "../dom.ts";
import { people } from "../people.ts";
import type { StandingView, Where } from "../views.ts";
import { showHome } from "./home.ts";

/** What left, by name, and coloured. */
export function receipt(app: App, standing: StandingView): Screen {
  app.inquiry = standing.community.inquiry;
  return () => {
    const { words, format } = app;
    const { receipt: left, community } = standing;
    if (left === null) return [h("h1", {}, community.name), h("p", {}, words.sending.failed)];
    const list = ({ listWaits, listGone, listNotKept }: App["words"]["receipt"]): string => {
      if (left.mechanism === "public") return words.agree.listIsReport;
      return standing.keepsList ? listWaits : left.counts === null ? listNotKept : listGone;
    };
    const keep = (): void => save(`report-${community.community}-${community.epoch}.json`, `${left.json}\n`);
    const keepLink = (): Promise<void> => app.act(() => saveLink(app, community));
    return [
      h("h1", {}, words.receipt.heading),
      h("p", { class: "good" }, words.receipt.thanks),
      people(app, left),
      h("p", { class: "note" }, list(words.receipt)),
      left.asked && h("p", {}, community.answerUntil === null ? words.receipt.asked : words.receipt.allAsked),
      h(
        "details",
        {},
        h("summary", {}, words.receipt.bytes(format.whole(left.size))),
        h("p", {}, h("code", {}, left.bytes)),
        h("button", { class: "quiet", click: keep }, words.receipt.save),
      ),
      h("p", {}, words.receipt.later),
      h(
        "div",
        { class: "buttons" },
        h("button", { click: () => void keepLink() }, words.receipt.saveLink),
        h("button", { class: "quiet", click: () => void showHome(app) }, words.yourCommunities),
      ),
    ];
  };
}

/** Give her her link as a file: the page's address has lost it. */
export async function saveLink(app: App, where: Where): Promise<void> {
  save(`link-${where.community}.txt`, `${await app.api.link(where, location.origin + location.pathname)}\n`);
}

/** The report was not acknowledged. Where it is drawn it is kept, and the same bytes are sent again; else she may agree again. */
export async function failedToSend(app: App, where: Where, error: unknown): Promise<void> {
  const { standings } = await app.api.status();
  const found = standings.find(
    ({ community }) => community.server === where.server && community.community === where.community,
  );
  if (found === undefined || found.state !== "drawn") throw error;
  app.show(() => [
    h("h1", {}, found.community.name),
    h("p", {}, app.words.sending.failed),
    h("p", { role: "alert", class: "alert" }, app.inWords(error)),
    h("div", { class: "buttons" }, h("button", { click: () => void sendAgain(app, where) }, app.words.sending.again)),
  ]);
}

/** Send the kept bytes. */
export function sendAgain(app: App, where: Where): Promise<void> {
  return app.act(async () => {
    app.show(receipt(app, await app.api.send(where)));
  });
}
