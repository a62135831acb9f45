/** The page around its screens: the frame, the language, and what went wrong in words. */

import type { Inquiry } from "../core/wire/community.ts";
import { spoken } from "../core/wire/roster.ts";
import { MILLION } from "../vault/ledger.ts";
import { asTrouble, TO_ASK } from "../vault/trouble.ts";
import type { Api } from "./api.ts";
import { bundleDigest } from "./bundle.ts";
import { h, shown, type Child } from "./dom.ts";
import { Format } from "./format.ts";
import { de } from "./words/de.ts";
import { en, type Words } from "./words/en.ts";

export type Screen = () => readonly Child[];

const LANGUAGES: ReadonlyMap<string, Words> = new Map([["en", en], ["de", de]]);

export class App {
  words: Words = en;
  format = new Format("en");
  /** Who asks in the community that is on the screen, for errors that say whom to ask. */
  inquiry: Inquiry | null = null;
  private screen: Screen = () => [];
  private readonly main = h("main", { id: "main" });
  private readonly notice = h("p", { role: "status", class: "notice" });
  private readonly served = h("p", {});
  private digest = "";
  private home: () => void = () => undefined;

  constructor(readonly api: Api) {}

  /** Put the frame into the page. */
  start(home: () => void): void {
    this.home = home;
    const wanted = navigator.languages.map((each) => each.slice(0, 2)).find((each) => LANGUAGES.has(each));
    this.speak(wanted ?? "en");
    // asked for once, when the page is opened: later it would be traffic that has to be thought about
    void bundleDigest().then((digest) => {
      this.digest = spoken(digest);
      this.frame();
    }, () => undefined); // a page without WebCrypto says so elsewhere
  }

  /** Show a screen, and let a screen reader begin at its heading. */
  show(screen: Screen): void {
    this.screen = screen;
    this.say("");
    this.main.replaceChildren(...shown(screen()));
    const heading = this.main.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
    scrollTo(0, 0);
  }

  /** Say something without leaving the screen. */
  say(text: string): void {
    this.notice.textContent = text;
  }

  /** Do something that takes a moment and may fail; what failed is said on the screen, which stays. */
  async act(work: () => Promise<void>): Promise<void> {
    this.main.querySelector("[role=alert]")?.remove();
    this.main.setAttribute("aria-busy", "true");
    for (const button of this.main.querySelectorAll("button")) button.disabled = true;
    try {
      await work();
    } catch (error) {
      const alert = h("p", { role: "alert", class: "alert", tabindex: "-1" }, this.inWords(error));
      this.main.append(alert);
      alert.scrollIntoView({ block: "center" }); // on a phone it may be below what she sees
      alert.focus({ preventScroll: true });
    } finally {
      this.main.removeAttribute("aria-busy");
      for (const button of this.main.querySelectorAll("button")) button.disabled = button.dataset["off"] === "true";
    }
  }

  /** What went wrong, in one sentence or two. */
  inWords(error: unknown): string {
    const { kind, facts } = asTrouble(error);
    const said = this.words.trouble[kind];
    if (typeof said === "string") {
      if (this.inquiry === null || !TO_ASK.has(kind)) return said;
      return `${said} ${this.words.inquiry.ask(this.inquiry.operator, this.inquiry.contact)}`;
    }
    const inEpsilon = Object.entries(facts).map(([name, value]) => [name, this.format.epsilon(Number(value) / MILLION)]);
    return said(Object.fromEntries(inEpsilon));
  }

  private speak(language: string): void {
    this.words = LANGUAGES.get(language) ?? en;
    this.format = new Format(language);
    document.documentElement.lang = language;
    document.title = this.words.title;
    this.frame();
    this.show(this.screen);
  }

  private frame(): void {
    const { words } = this;
    const languages = [...LANGUAGES].map(([code, { language }]) =>
      h("button", { class: "quiet", lang: code, "aria-pressed": String(words === LANGUAGES.get(code)), click: () => this.speak(code) }, language),
    );
    const home = h("button", { class: "quiet", click: () => this.home() }, words.yourCommunities);
    this.served.textContent = this.digest && words.servedBy(location.host, this.digest);
    const top = h("header", { class: "top" }, h("span", { class: "brand" }, "graphldp"), home, h("div", { class: "languages" }, ...languages));
    const foot = h("footer", {}, h("p", {}, h("a", { href: "play", rel: "noreferrer" }, words.play)), this.served);
    document.body.replaceChildren(top, this.main, this.notice, foot);
  }
}
