/** The page: read the link, clear it from the address, and go where it leads. */

import "./style.css";
import { App } from "./app.ts";
import { h } from "./dom.ts";
import { startWorker } from "./remote.ts";
import { showHome, takingBack } from "./screens/home.ts";
import { receipt } from "./screens/receipt.ts";
import { renewal } from "./screens/renewal.ts";
import { setOut } from "./screens/way.ts";
import { asTrouble, Trouble, type TroubleKind } from "../vault/trouble.ts";
import type { Api } from "./api.ts";

/** What this browser lacks, or null. */
function lacking(): TroubleKind | null {
  if (!isSecureContext || typeof crypto === "undefined" || !("subtle" in crypto)) return "no-crypto";
  if (typeof indexedDB === "undefined") return "no-storage";
  if (!("locks" in navigator) || typeof Worker === "undefined") return "no-locks";
  return null;
}

/** The link, if the page was opened by one. The address keeps nothing of it: it holds the token. */
function takeLink(): string | null {
  const { href, hash, pathname, search } = location;
  if (hash.length < 2) return null;
  history.replaceState(null, "", pathname + search);
  return href;
}

async function open(app: App, link: string): Promise<void> {
  try {
    const opened = await app.api.open(link);
    const { standing } = opened;
    if (opened.renewal !== null) app.show(renewal(app, opened));
    else if (standing.state === "sent") app.show(receipt(app, standing));
    else if (standing.state === "joined" || standing.state === "charged") setOut(app, standing.community);
    else await showHome(app);
  } catch (error) {
    const lost = ["used-link", "forgotten"].includes(asTrouble(error).kind);
    app.show(() => [
      h("h1", {}, app.words.title),
      h("p", { role: "alert", class: "alert" }, app.inWords(error)),
      h("div", { class: "buttons" }, h("button", { click: () => void app.act(() => open(app, link)) }, app.words.again)),
      lost && takingBack(app, new URL(link).hash.split("/")[1] ?? "", () => app.api.withdrawByLink(link).then(() => gone(app))),
    ]);
  }
}

function gone(app: App): void {
  app.show(() => [h("h1", {}, app.words.title), h("p", { class: "good" }, app.words.home.states.deleted)]);
}

function start(): void {
  const link = takeLink();
  const missing = lacking();
  const app: App = new App(missing === null ? startWorker(() => app.say(app.words.waiting)) : ({} as Api));
  app.start(() => void (missing === null && showHome(app)));
  if (missing !== null) {
    app.show(() => [
      h("h1", {}, app.words.title),
      h("p", { role: "alert", class: "alert" }, app.inWords(new Trouble(missing))),
    ]);
    return;
  }
  app.show(() => [h("h1", {}, app.words.title), h("p", {}, app.words.working)]);
  void (link === null ? showHome(app) : open(app, link));
  addEventListener("hashchange", () => {
    const another = takeLink();
    if (another !== null) void open(app, another);
  });
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault()); // beside the field
}

start();
