/** How long a community promises to keep reports, in words. */

import type { Retention } from "../core/wire/community.ts";
import type { App } from "./app.ts";

export function keeping({ words, format }: Pick<App, "words" | "format">, promised: Retention | null): string {
  const said = words.keeping;
  if (promised === null) return said.noEnd;
  const days = said.days(promised.days, format.whole(promised.days));
  return `${days}; ${promised.keepsModels ? said.modelsLonger : said.modelsToo}`;
}
