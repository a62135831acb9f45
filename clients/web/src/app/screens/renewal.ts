/** A community that publishes something else than what was pinned: every difference, and whether she agrees. */

import type { OpenedView } from "../api.ts";
import type { App, Screen } from "../app.ts";
import { h } from "../dom.ts";
import { keeping } from "../keeping.ts";
import { showHome } from "./home.ts";
import { setOut } from "./way.ts";

export function renewal(app: App, { renewal: offered }: OpenedView): Screen {
  return () => {
    const said = app.words.renewal;
    if (offered === null) return [];
    const take = (): Promise<void> =>
      app.act(async () => {
        setOut(app, (await app.api.renew(offered.community)).community);
      });
    const rows = offered.differences.map((each) => {
      const [was, now] = each.what === "kept" ? [keeping(app, each.was), keeping(app, each.now)] : [each.was, each.now];
      return h("div", {}, h("dt", {}, said.what[each.what]), h("dd", {}, now, was !== "" && h("small", {}, said.was(was))));
    });
    return [
      h("h1", {}, said.heading),
      h("p", { class: "lead" }, said.lead(offered.community.epoch)),
      rows.length === 0 ? h("p", {}, said.nothing) : h("dl", { class: "facts" }, ...rows),
      h("p", {}, app.words.welcome.digest(offered.community.digest)),
      h("p", {}, said.cost),
      h(
        "div",
        { class: "buttons" },
        h("button", { click: () => void take() }, said.yes),
        h("button", { class: "quiet", click: () => void showHome(app) }, said.no),
      ),
    ];
  };
}
