/** Elements. Text goes in as text: whatever a community publishes cannot become markup. */

export type Child = Node | string | false | null;
type Value = string | boolean | ((event: Event) => void);

/** Of all that shows her list: what translates pages for a browser sends their text away. */
export const UNTRANSLATED = { translate: "no" };

/** Attributes of a field for private text: no browser's service is to see, remember or complete it. */
export const UNSEEN = { ...UNTRANSLATED, spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off" };

/** An element; an attribute that is a function listens to the event of its name. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...shown(children));
  return element;
}

/** The children that are there. */
export const shown = (children: readonly Child[]): (Node | string)[] =>
  children.filter((child) => child !== false && child !== null);

export const paragraphs = (lines: readonly string[]): HTMLElement[] => lines.map((line) => h("p", {}, line));

/** Hand the user a file that was made here. */
export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
