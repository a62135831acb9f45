"use strict";
// What a survey would tell, while the form is filled in. Users, groups, ε and the mechanism leave it before it is sent.

const form = document.querySelector("main form");
const plan = document.getElementById("expected");
const field = (name) => form.elements.namedItem(name);
const CELL = /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g;
let asked = 0;

function cells(line) {
  const found = [...`${line}`.matchAll(CELL)].map(([, cell]) => cell.replace(/^"|"$/g, "").replaceAll('""', '"').trim());
  return line.endsWith(",") ? found : found.slice(0, -1); // the expression also finds nothing, at the end
}

/** How many users and groups there are, as far as a glance tells; the server counts again when the form is sent. */
async function counts() {
  const [file] = field("file").files;
  const text = file ? await file.text() : field("names").value;
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).filter((line) => line.trim());
  if (lines.length === 1 && lines[0].trimStart().startsWith("[")) return { users: lines[0].split('",').length, groups: 1 };
  const table = file ? file.name.toLowerCase().endsWith(".csv") : field("paste").value === "csv";
  if (!table) return { users: lines.length, groups: 1 };
  const column = cells(lines[0] ?? "").indexOf(field("groups").value.trim());
  const groups = column > 0 ? new Set(lines.slice(1).map((line) => cells(line)[column])).size : 1;
  return { users: lines.length - 1, groups };
}

function epsilon() {
  const ticked = [...form.querySelectorAll("[name=epsilon]:checked")].map(({ value }) => Number(value));
  const typed = field("other").value.replaceAll(",", ".").split(/\s+/).filter(Boolean).map(Number);
  return Math.min(...[...ticked, ...typed].filter((each) => each > 0 && each <= 100));
}

async function show() {
  const mine = ++asked;
  const { users, groups } = await counts();
  const least = epsilon();
  const known = users >= 2 && Number.isFinite(least);
  const chosen = `&mechanism=${encodeURIComponent(field("mechanism").value)}`;
  const where = `/dashboard/plan?users=${users}&groups=${Math.min(groups, users)}&epsilon=${least}${chosen}`;
  const answer = known ? await fetch(where, { credentials: "same-origin" }) : null;
  if (mine !== asked || (answer !== null && !answer.ok)) return;
  plan.innerHTML = answer === null ? "" : await answer.text();
  plan.closest("section").hidden = answer === null;
}

let waits;
const soon = () => {
  clearTimeout(waits);
  waits = setTimeout(() => void show(), 300);
};
form.addEventListener("input", soon);
form.addEventListener("change", soon);
soon();
