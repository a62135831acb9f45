/** The way of a member: who asks and why, how much it tells, her friends, and whether she agrees. */

import type { App, Screen } from "../app.ts";
import { h, paragraphs, shown, UNTRANSLATED, type Child } from "../dom.ts";
import { apart, believed } from "../format.ts";
import { keeping } from "../keeping.ts";
import { people } from "../people.ts";
import type { ChoiceView, CommunityView } from "../views.ts";
import { accepts, newDraft, type Draft } from "./draft.ts";
import { friends } from "./friends.ts";
import { showHome } from "./home.ts";
import { failedToSend, receipt } from "./receipt.ts";

const GUESS = 0.1;
const GROUP = 10;
const NEARLY_SURE = 0.9;
const NAMED = 12;
const STEPS = [welcome, tells, friends, agree];

/** Start on the way to a report. */
export function setOut(app: App, community: CommunityView): void {
  app.inquiry = community.inquiry;
  goTo(app, newDraft(community), 0);
}

function goTo(app: App, draft: Draft, at: number): void {
  const step = STEPS[at];
  if (step === undefined) return;
  const screen: Screen = () => {
    const [first, last] = [at === 0, at === STEPS.length - 1];
    const onwards = (): void => (last ? void drawAndSend(app, draft) : goTo(app, draft, at + 1));
    const next = h("button", { click: onwards }, last ? app.words.agree.yes : app.words.next);
    const no = h("button", { click: () => app.show(declined(app)) }, app.words.agree.no);
    const back = h("button", { class: "quiet", click: () => goTo(app, draft, at - 1) }, app.words.back);
    const steps = h("p", { class: "steps" }, app.words.steps(at + 1, STEPS.length));
    return [steps, ...step(app, draft, next), h("div", { class: "buttons" }, next, (first || last) && no, !first && back)];
  };
  app.show(screen);
}

/** She said no. */
const declined = (app: App): Screen => () => [
  h("h1", {}, app.words.declined.heading),
  h("p", {}, app.words.declined.shown),
  h("div", { class: "buttons" }, h("button", { class: "quiet", click: () => void showHome(app) }, app.words.yourCommunities)),
];

function welcome(app: App, { community }: Draft): Child[] {
  const { words, format } = app;
  const said = words.welcome;
  const server = h("a", { href: `${community.server}/`, target: "_blank", rel: "noreferrer" }, new URL(community.server).host);
  return [
    h("h1", {}, community.name),
    inquiry(app, community),
    h("p", { class: "lead" }, leaves(app, community)),
    h("p", {}, said.you(apart(community.you))),
    h(
      "details",
      {},
      h("summary", {}, said.compare),
      h("p", {}, said.members(format.whole(community.users)), server),
      h("p", {}, said.digest(community.digest)),
    ),
  ];
}

/** Who asks and what for, letter by letter: no part of it becomes markup or a link. */
function inquiry({ words }: App, { inquiry: given }: CommunityView): HTMLElement {
  const said = words.inquiry;
  if (given === null) return h("p", { class: "alert" }, said.nobody);
  const rows = (["operator", "purpose", "contact"] as const).map((name) =>
    h("div", {}, h("dt", {}, said[name]), h("dd", { dir: "auto" }, given[name])),
  );
  return h("div", {}, h("dl", { class: "inquiry" }, ...rows), h("p", { class: "note" }, said.own));
}

/** What is asked of her, and what leaves, by this community's mechanism. */
function leaves(app: App, community: CommunityView): string {
  const mayPublish = community.choices.filter(({ epsilon }) => epsilon === null).length;
  if (mayPublish === community.choices.length) return app.words.tells.public;
  return byMechanism(app, community) + (mayPublish > 0 ? ` ${app.words.leaves.orPublic}` : "");
}

function byMechanism({ words, format }: App, { mechanism, groups, hubFrom }: CommunityView): string {
  const said = words.leaves;
  if (groups.length > 0) return said.groups(format.whole(groups.length));
  if (mechanism === "hub-lists" && hubFrom !== null) return said.hubs(format.whole(hubFrom));
  if (mechanism === "hub-counts" && hubFrom !== null) return said.numbers;
  if (mechanism === "dprr" || mechanism === "closed-pairs") return said.listAndNumber;
  return mechanism === "rr" ? said.list : said.number;
}

function tells(app: App, draft: Draft): Child[] {
  const { words, format } = app;
  const { choices } = draft.community;
  const [effect, shows] = [h("div", { "aria-live": "polite" }), h("div", {})];
  const update = (): void => {
    effect.replaceChildren(...paragraphs([...asked(app, draft), ...effectOf(app, draft.choice, choices.length > 1)]));
    shows.replaceChildren(...shown([draft.choice.epsilon !== null && example(app, draft)])); // of a list that nothing changes: none
  };
  const option = (choice: ChoiceView): HTMLElement => {
    const allowed = accepts(draft.community, choice);
    const pick = (): void => {
      draft.choice = choice;
      update();
    };
    const { epsilon, name } = choice;
    const called = apart(name);
    const label =
      epsilon === null ? words.tells.publicChoice(called) : words.tells.choice(level(app, epsilon), format.epsilon(epsilon), called);
    const attributes = { type: "radio", name: "choice", checked: choice === draft.choice, disabled: !allowed, change: pick };
    return h("label", {}, h("input", attributes), allowed ? label : `${label} (${words.tells.tooMuch})`);
  };
  update();
  return [
    h("h1", {}, words.tells.heading),
    choices.length > 1 && h("fieldset", {}, h("legend", {}, words.tells.choose), ...choices.map(option)),
    effect,
    h("p", {}, words.tells.hidden),
    shows,
  ];
}

/** What else is asked of her than one number, and what else is to be known of it. */
function asked(app: App, { community: { groups, dealt, single, hubFrom, mechanism, answerUntil }, choice }: Draft): string[] {
  const { words, format } = app;
  if (choice.epsilon === null) return [];
  const lines: string[] = [];
  if (groups.length > 0) lines.push(dealt ? words.tells.dealt : words.tells.groups(someOf(app, groups)));
  if (single.length > 0) lines.push(words.tells.single(someOf(app, single)));
  if (answerUntil !== null) lines.push(words.tells.closedPairs);
  if (hubFrom !== null) {
    const from = format.whole(hubFrom);
    const more = mechanism === "hub-lists" ? words.tells.hubLists : words.tells.hubCounts;
    lines.push(hubFrom > 0 ? more.from(from) : more.everybody);
  }
  return lines;
}

/** The first of some names, and how many more there are. */
function someOf({ words, format }: App, names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).map(apart).join(", ") + (more > 0 ? ` ${words.agree.more(format.whole(more))}` : "");
}

/** How private an ε is, in words. */
function level({ words }: App, epsilon: number): string {
  const { levels } = words.tells;
  if (epsilon <= 0.25) return levels.veryPrivate;
  if (epsilon <= 0.75) return levels.private;
  if (epsilon <= 1.5) return levels.fairlyPrivate;
  return epsilon <= 3 ? levels.telling : levels.veryTelling;
}

function effectOf(app: App, { epsilon }: ChoiceView, several: boolean): string[] {
  const { words, format } = app;
  const said = words.tells;
  if (epsilon === null) return [said.public];
  const most = (times: number): string => format.percent(believed(GUESS, times * epsilon));
  const together = believed(GUESS, GROUP * epsilon);
  const named = several ? "" : `${said.epsilon(level(app, epsilon), format.epsilon(epsilon))} `;
  return [
    named + said.one(format.percent(GUESS), most(1), most(2)),
    together >= NEARLY_SURE ? said.groupSure(GROUP) : said.group(GROUP, format.percent(GUESS), format.percent(together)),
  ];
}

/** A report of invented people, drawn when somebody opens it. */
function example(app: App, draft: Draft): HTMLElement {
  const { words } = app;
  const drawn = h("div", { "aria-live": "polite" });
  const draw = async (): Promise<void> => {
    drawn.replaceChildren(people(app, await app.api.example(draft.community, draft.choice.name)));
  };
  const { mechanism, hubFrom } = draft.community;
  const namesFrom = mechanism === "hub-lists" ? hubFrom : null;
  const opened = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open) void app.act(draw);
  };
  return h(
    "details",
    { toggle: opened },
    h("summary", {}, words.example.heading),
    h("p", {}, words.example.lead),
    drawn,
    namesFrom !== null && h("p", {}, words.people.hubs(app.format.whole(namesFrom))),
    h("button", { class: "quiet", click: () => void app.act(draw) }, words.example.again),
    h("p", { class: "note" }, words.example.note),
  );
}

function agree(app: App, draft: Draft): Child[] {
  const { words, format } = app;
  const names = [...draft.friends.values()];
  const price = h("p", {}, draft.choice.epsilon === null ? words.agree.publicCost : "");
  if (draft.choice.epsilon !== null) void showPrice(app, draft.choice.epsilon, price);
  return [
    h("h1", {}, words.agree.heading),
    h("p", UNTRANSLATED, names.length === 0 ? words.agree.empty : words.agree.list(format.whole(names.length), someOf(app, names))),
    h("p", {}, words.agree.step),
    h("p", {}, `${keptList(app, draft)} ${words.agree.once}`),
    h("p", {}, words.agree.back(keeping(app, draft.community.retention))),
    price,
    h("p", { class: "note" }, words.agree.refusal),
  ];
}

function keptList({ words, format }: App, { choice, community }: Draft): string {
  if (choice.epsilon === null) return words.agree.listIsReport;
  if (community.answerUntil !== null) return words.agree.listWaitsUntil(format.day(community.answerUntil));
  return community.mechanism === "hub-counts" && community.hubFrom !== null ? words.agree.listWaits : words.agree.listGoes;
}

async function showPrice({ api, words, format }: App, epsilon: number, price: HTMLElement): Promise<void> {
  const { spent, cap } = await api.status();
  price.textContent = words.agree.cost(format.epsilon(spent + epsilon), format.epsilon(cap));
}

/** One step: there is nothing to decide between the draw and the sending. */
async function drawAndSend(app: App, draft: Draft): Promise<void> {
  const { community, choice } = draft;
  await app.act(async () => {
    app.say(app.words.sending.line);
    void navigator.storage.persist(); // ask the browser not to clear the report when space gets scarce
    try {
      const standing = await app.api.report(community, choice.name, [...draft.friends.keys()].sort((a, b) => a - b));
      app.show(receipt(app, standing));
    } catch (error) {
      await failedToSend(app, community, error);
    }
  });
}
