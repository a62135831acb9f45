/** The page: read the link, clear it from the address, and go where it leads. */

import "./style.css";
import { company } from "./alone.ts";
import { App } from "./app.ts";
import { h } from "./dom.ts";
import { startWorker } from "./remote.ts";
import { showHome, takingBack } from "./screens/home.ts";
import { receipt } from "./screens/receipt.ts";
import { renewal } from "./screens/renewal.ts";
import { setOut } from "./screens/way.ts";
import { asTrouble, type TroubleKind } from "../vault/trouble.ts";

/** What another try may mend. */
const MAY_PASS: ReadonlySet<TroubleKind> = new Set(["unreached", "busy-server", "odd-answer", "storage-full", "storage-failed", "unexpected"]);

/** Why this page must not begin, or null. */
async function unfit(): Promise<TroubleKind | null> {
  if (!isSecureContext || typeof crypto === "undefined" || !("subtle" in crypto)) return "no-crypto";
  if (typeof indexedDB === "undefined") return "no-storage";
  if (!("locks" in navigator) || typeof Worker === "undefined") return "no-locks";
  try {
    return await company();
  } catch {
    return "no-storage"; // a browser that lets a page keep nothing throws where it is asked what is kept
  }
}

/** The link, if the page was opened by one. The address keeps nothing of it: it holds the token. */
function takeLink(): string | null {
  const { href, hash, pathname, search } = location;
  if (hash.length < 2) return null;
  history.replaceState(null, "", pathname + search);
  return href;
}

/** Who asks in a community that was joined before; what a link alone says of it is not enough to know. */
async function known(app: App, link: string): Promise<App["inquiry"]> {
  const { standings } = await app.api.status();
  const id = link.split("/").at(-1);
  return standings.find(({ community }) => community.community === id && link.startsWith(`${community.server}/`))?.community.inquiry ?? null;
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
    app.inquiry = await known(app, link).catch(() => null);
    const { kind } = asTrouble(error);
    const lost = kind === "used-link" || kind === "forgotten";
    const again = h("button", { click: () => void app.act(() => open(app, link)) }, app.words.again);
    const home = h("button", { class: "quiet", click: () => void showHome(app) }, app.words.yourCommunities);
    app.show(() => [
      h("h1", {}, app.words.title),
      h("p", { role: "alert", class: "alert" }, app.inWords(error)),
      h("div", { class: "buttons" }, MAY_PASS.has(kind) && again, home),
      lost && takingBack(app, new URL(link).hash.split("/")[1] ?? "", () => app.api.withdrawByLink(link).then(() => gone(app))),
    ]);
  }
}

function gone(app: App): void {
  app.show(() => [h("h1", {}, app.words.title), h("p", { class: "good" }, app.words.home.states.deleted)]);
}

function start(): void {
  const link = takeLink();
  const app: App = new App(startWorker(unfit(), () => app.say(app.words.waiting)));
  app.start(() => void showHome(app));
  app.show(() => [h("h1", {}, app.words.title), h("p", {}, app.words.working)]);
  void (link === null ? showHome(app) : open(app, link));
  addEventListener("hashchange", () => {
    const another = takeLink();
    if (another !== null) void open(app, another);
  });
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault()); // beside the field
}

start();
