/** The way of a member: what this is, what it tells, what is not hidden, her friends, an example, and whether she agrees. */

import type { App, Screen } from "../app.ts";
import { h, paragraphs, type Child } from "../dom.ts";
import { believed } from "../format.ts";
import { keeping } from "../keeping.ts";
import { people } from "../people.ts";
import { ADAS_FRIENDS } from "../invented.ts";
import type { ChoiceView, CommunityView, Receipt } from "../views.ts";
import { accepts, newDraft, type Draft } from "./draft.ts";
import { friends } from "./friends.ts";
import { failedToSend, receipt } from "./receipt.ts";

const GROUP = 10;
const NEARLY_SURE = 0.9;
const NAMED = 12;
const STEPS = [welcome, tells, hidden, once, friends, example, agree];

/** Start on the way to a report. */
export function setOut(app: App, community: CommunityView): void {
  goTo(app, newDraft(community), 0);
}

function goTo(app: App, draft: Draft, at: number): void {
  const step = STEPS[at];
  if (step === undefined) return;
  const screen: Screen = () => {
    const last = at === STEPS.length - 1;
    const onwards = (): void => (last ? void drawAndSend(app, draft) : goTo(app, draft, at + 1));
    const next = h("button", { click: onwards }, last ? app.words.agree.yes : app.words.next);
    const back = h("button", { class: "quiet", click: () => goTo(app, draft, at - 1) }, app.words.back);
    const steps = h("p", { class: "steps" }, app.words.steps(at + 1, STEPS.length));
    return [steps, ...step(app, draft, next), h("div", { class: "buttons" }, next, at > 0 && back)];
  };
  app.show(screen);
}

function welcome(app: App, { community }: Draft): Child[] {
  const { words, format } = app;
  const said = words.welcome;
  const server = h("a", { href: `${community.server}/`, target: "_blank", rel: "noreferrer" }, new URL(community.server).host);
  const facts: [string, Child][] = [
    [said.server, server], // its front page says who runs it
    [said.members, format.whole(community.users)],
    [said.you, community.you],
    [said.kept, keeping(app, community.retention)],
  ];
  return [
    h("h1", {}, community.name),
    h("p", { class: "lead" }, said.lead),
    h("p", {}, said.stays),
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h("p", { class: "note" }, said.notYou),
    h("details", {}, h("summary", {}, said.compare), h("p", {}, said.digest(community.digest))),
  ];
}

function tells(app: App, draft: Draft): Child[] {
  const { words, format } = app;
  const effect = h("div", { "aria-live": "polite" });
  const update = (): void => effect.replaceChildren(...paragraphs([...asked(app, draft), ...effectOf(app, draft.choice)]));
  const option = (choice: ChoiceView): HTMLElement => {
    const allowed = accepts(draft.community, choice);
    const pick = (): void => {
      draft.choice = choice;
      update();
    };
    const { epsilon, name } = choice;
    const label = epsilon === null ? words.tells.publicChoice(name) : words.tells.choice(name, format.epsilon(epsilon));
    const attributes = { type: "radio", name: "choice", checked: choice === draft.choice, disabled: !allowed, change: pick };
    return h("label", {}, h("input", attributes), allowed ? label : `${label} (${words.tells.tooMuch})`);
  };
  const { choices } = draft.community;
  update();
  return [
    h("h1", {}, words.tells.heading),
    choices.length > 1 && h("fieldset", {}, h("legend", {}, words.tells.choose), ...choices.map(option)),
    effect,
  ];
}

/** What is asked of her, where that is not who her friends are. */
function asked({ words, format }: App, { community: { groups }, choice }: Draft): string[] {
  if (groups.length === 0 || choice.epsilon === null) return [];
  const more = groups.length - NAMED;
  const names = groups.slice(0, NAMED).join(", ") + (more > 0 ? ` ${words.agree.more(format.whole(more))}` : "");
  return [words.tells.groups(format.whole(groups.length), names)];
}

function effectOf({ words, format }: App, { epsilon }: ChoiceView): string[] {
  const said = words.tells;
  if (epsilon === null) return [said.public];
  const most = (prior: number): string => format.percent(believed(prior, epsilon));
  return [
    said.one(format.percent(0.1), most(0.1)),
    said.epsilon(format.epsilon(epsilon), format.factor(Math.exp(epsilon))),
    said.group(GROUP, format.factor(Math.exp(GROUP * epsilon))),
    ...(believed(0.5, epsilon) >= NEARLY_SURE ? [said.nearlySure] : []),
  ];
}

function hidden({ words }: App): Child[] {
  return [
    h("h1", {}, words.hidden.heading),
    h("ul", { class: "points" }, ...words.hidden.lines.map((line) => h("li", {}, line))),
    h("p", { class: "note" }, words.hidden.page(location.host)),
  ];
}

function once({ words }: App): Child[] {
  return [h("h1", {}, words.once.heading), ...paragraphs(words.once.lines)];
}

function example(app: App, draft: Draft): Child[] {
  const { words } = app;
  const drawn = h("div", { "aria-live": "polite" });
  const draw = async (): Promise<void> => {
    const shown: Receipt = await app.api.example(draft.community, draft.choice.name);
    drawn.replaceChildren(people(app, shown, ADAS_FRIENDS.length));
  };
  const mostlyNumbers = draft.community.mechanism === "hub-lists" && draft.choice.epsilon !== null;
  void app.act(draw);
  return [
    h("h1", {}, words.example.heading),
    h("p", { class: "lead" }, words.example.lead),
    drawn,
    mostlyNumbers && h("p", {}, words.people.hubs),
    h("button", { class: "quiet", click: () => void app.act(draw) }, words.example.again),
    h("p", { class: "note" }, words.example.note),
  ];
}

function agree(app: App, draft: Draft): Child[] {
  const { words, format } = app;
  const names = [...draft.friends.values()];
  const more = names.length - NAMED;
  const listed = names.slice(0, NAMED).join(", ") + (more > 0 ? ` ${words.agree.more(format.whole(more))}` : "");
  const price = h("p", {}, draft.choice.epsilon === null ? words.agree.publicCost : "");
  if (draft.choice.epsilon !== null) void showPrice(app, draft.choice.epsilon, price);
  return [
    h("h1", {}, words.agree.heading),
    h("p", {}, names.length === 0 ? words.agree.empty : words.agree.list(format.whole(names.length), listed)),
    ...paragraphs(asked(app, draft)),
    price,
    h("p", {}, words.agree.kept(keeping(app, draft.community.retention))),
    h("p", {}, words.agree.step),
    h("p", { class: "note" }, words.agree.no),
  ];
}

async function showPrice({ api, words, format }: App, epsilon: number, price: HTMLElement): Promise<void> {
  const { spent, cap } = await api.status();
  price.textContent = words.agree.cost(format.epsilon(epsilon), format.epsilon(spent + epsilon), format.epsilon(cap));
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
