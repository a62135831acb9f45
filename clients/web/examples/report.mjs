// A member's client for Node: node report.mjs LINK FRIENDS CHOICE [FOLDER]
// FRIENDS is a file of names, one a line, or a CSV. What was drawn and spent is kept in FOLDER, and nothing is drawn twice.

import { existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { asText, asTrouble, Client, match, numbered, readLink, readNames } from "@graphldp/client";

/** Records in one file: whole or not there, and on the disk when `put` resolves. */
class FileRecords {
  constructor(folder) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.path = join(folder, "vault.json");
    this.kept = new Map(existsSync(this.path) ? JSON.parse(readFileSync(this.path, "utf8"), revived) : []);
  }
  async get(store, key) {
    return structuredClone(this.kept.get(JSON.stringify([store, ...key])));
  }
  async all(store) {
    return Promise.all((await this.keys(store)).map((key) => this.get(store, key)));
  }
  async keys(store) {
    return [...this.kept.keys()].map((key) => JSON.parse(key)).filter(([of]) => of === store).map(([, ...key]) => key);
  }
  async put(store, key, value) {
    this.kept.set(JSON.stringify([store, ...key]), structuredClone(value));
    this.write();
  }
  async drop(server, community) {
    for (const key of [...this.kept.keys()]) {
      const [store, ...at] = JSON.parse(key);
      if (store !== "ledger" && at[0] === server && at[1] === community) this.kept.delete(key);
    }
    this.write();
  }
  write() {
    const file = openSync(`${this.path}.part`, "w", 0o600);
    writeFileSync(file, JSON.stringify([...this.kept], (_, value) => (value instanceof Uint8Array ? { bytes: [...value] } : value)));
    fsyncSync(file);
    renameSync(`${this.path}.part`, this.path);
  }
}

const revived = (_, value) => (Array.isArray(value?.bytes) ? Uint8Array.from(value.bytes) : value);

const [link, friends, choice, folder = "vault"] = process.argv.slice(2);
if (choice === undefined) {
  console.error("node report.mjs LINK FRIENDS CHOICE [FOLDER]");
  process.exit(2);
}
try {
  const client = new Client(new FileRecords(folder));
  const { member } = await client.open(readLink(link));
  const { published, roster } = member;
  const { operator, purpose } = published.inquiry ?? { operator: "Somebody", purpose: "not said" };
  console.log(`${operator} asks ${published.name}: ${purpose}`);
  const found = match(readNames(basename(friends), readFileSync(friends)), numbered(roster), published.user);
  const terms = { server: member.invitation.server, community: published.id, terms: asText(published) };
  console.log(`One report leaves within about a minute; ${found.numbers.length} of your friends are on the roster.`);
  const standing = await client.report(terms, choice, found.numbers);
  console.log(standing.entry.sent ? "It arrived. Nothing else was sent." : "It was drawn, and not yet sent: run this again.");
} catch (error) {
  console.error(`It did not go on: ${asTrouble(error).kind}`);
  process.exit(1);
}
