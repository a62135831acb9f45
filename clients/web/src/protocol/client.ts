/**
 * The client: open a link, report once, answer once where the report is asked again, forget. The steps are those of
 * `docs/guides/client.md`, each on the disk before the next begins:
 *
 * 1. charge: the ledger enters the report's ε;
 * 2. draw and keep: the report's bytes go into one record, with the list only where a second question will need it;
 * 3. mark: the ledger notes that a report was drawn;
 * 4. send: the kept bytes, as often as it takes; the ledger notes the acknowledgement.
 *
 * A tab that is closed anywhere goes on where the records say. Nothing is sent before step 2 is over, and after step 2
 * nothing else can be drawn for the same epoch. After the draw nothing that leaves depends on the list.
 */

import { draw } from "../core/draw.ts";
import { Entropy } from "../core/entropy.ts";
import { cost, type Choice } from "../core/wire/choice.ts";
import { readPublication, type Publication } from "../core/wire/community.ts";
import type { Invitation } from "../core/wire/invitation.ts";
import { asksAll } from "../core/wire/report.ts";
import type { Records } from "../vault/database.ts";
import { charged, EMPTY, find, lastEpoch, merged, noted, readLedger, type Entry, type Ledger } from "../vault/ledger.ts";
import * as vault from "../vault/membership.ts";
import type { Kept, Membership } from "../vault/membership.ts";
import { Trouble } from "../vault/trouble.ts";
import { counted, pinned, toAnswer } from "./answering.ts";
import { numbered } from "./friends.ts";
import { pauseFor, Sender } from "./sender.ts";
import { later, untilTick } from "./ticks.ts";

/** What a link led to: a membership, and what the community publishes now where that is something else. */
export interface Opened {
  readonly member: Membership;
  readonly renewed: Publication | null;
}

export interface Standing {
  readonly member: Membership;
  /** Whether a report was drawn in any epoch that the collector has not said to be deleted. */
  readonly reported: boolean;
  readonly entry: Entry | null;
  readonly kept: Kept | null;
  /** The list that the report was drawn from, for once: nothing keeps it. */
  readonly list: readonly number[] | null;
}

/** A community, and in one text all that it published when she was shown it. */
export interface Terms {
  readonly server: string;
  readonly community: string;
  readonly terms: string;
}

export class Client {
  /** What a link leads to now, as the user was shown it; nothing else is pinned when she agrees. */
  private offered: { readonly invitation: Invitation; readonly found: Publication } | null = null;

  constructor(private readonly database: Records) {}

  /** Take a link, and pin what the community publishes. Where it was opened before, say what has changed since. */
  async open(invitation: Invitation): Promise<Opened> {
    const { server, community } = invitation;
    const [known, ledger] = [await vault.loadMembership(this.database, server, community), await this.ledger()];
    const found = await this.fetch(invitation);
    const { epoch } = found.published;
    const held = known !== null && found.held.includes(known.published.epoch);
    if (known !== null && held !== (known.held ?? false)) await vault.keepMembership(this.database, { ...known, held });
    if (known !== null && vault.asText(known.published) !== vault.asText(found.published)) {
      this.offered = epoch > lastEpoch(ledger, server, community) ? { invitation, found } : null;
      return { member: known, renewed: this.offered?.found ?? null };
    }
    const kept = known === null ? null : await vault.loadReport(this.database, known);
    if (kept === null && lastEpoch(ledger, server, community) >= epoch) throw new Trouble("forgotten");
    if (kept === null && found.held.includes(epoch)) throw new Trouble("used-link");
    const { published, roster, groups } = found;
    const member = { invitation, published, roster, groups, accepted: known?.accepted ?? null };
    await vault.keepMembership(this.database, member);
    return { member, renewed: null };
  }

  /** Pin what a community publishes in a new epoch, whose terms the user has agreed to. Her list has no part in this. */
  async renew({ server, community, terms }: Terms): Promise<Membership> {
    const before = await this.member(server, community);
    if (this.offered === null) throw new Trouble("no-new-epoch");
    const { invitation, found } = this.offered; // the link may be a newer one, with another token
    if (invitation.server !== server || vault.asText(found.published) !== terms) throw new Trouble("changed");
    if (found.held.includes(found.published.epoch)) throw new Trouble("used-link");
    const { published, roster, groups } = found;
    const member = { ...before, invitation, published, roster, groups, held: false };
    await vault.keepMembership(this.database, member);
    await this.tidy();
    return member;
  }

  /**
   * Draw the report if none was drawn, and send the one that was. Nothing is asked of the network before. The terms are
   * what she was shown: another tab may have pinned others since, where her friends' numbers mean other people.
   */
  async report({ server, community, terms }: Terms, choice: string, friends: readonly number[]): Promise<Standing> {
    const begun = performance.now();
    const member = await this.member(server, community);
    if (vault.asText(member.published) !== terms) throw new Trouble("changed");
    if ((await vault.loadReport(this.database, member)) !== null) return this.send(server, community);
    await this.drawn(member, chosen(member, choice), friends);
    const extra = later(new Entropy());
    await pauseFor(untilTick(performance.now() - begun, member.published.n) + extra);
    return { ...(await this.send(server, community)), list: friends };
  }

  /** Send the kept bytes. Where they were acknowledged before, ask first whether the collector still holds them. */
  async send(server: string, community: string): Promise<Standing> {
    const member = await this.member(server, community);
    const kept = await vault.loadReport(this.database, member);
    const slot = vault.slotOf(member);
    const entry = find(await this.ledger(), slot);
    if (kept === null || entry === undefined) throw new Trouble("damaged");
    if (entry.withdrawn) throw new Trouble("withdrawn");
    if (!entry.drawn) await this.note(member, { drawn: true });
    const sender = new Sender(member.invitation);
    if (!entry.sent || !(await holds(sender, "held", slot.epoch))) {
      await sender.put("reports", member.published.user, slot.epoch, kept.body);
      await this.note(member, { sent: true });
    }
    return this.standing(member);
  }

  /** Answer the second question, once; no other question is ever fetched or answered for this report. */
  async answer(server: string, community: string): Promise<Standing> {
    await this.tidy(); // a page may be open for longer than a list may wait
    const member = await this.member(server, community);
    const standing = await this.standing(member);
    let { kept, entry } = toAnswer(standing);
    const sender = new Sender(member.invitation);
    if (kept.answer === null) {
      const question = await pinned(member, entry, kept, sender);
      kept = { ...kept, question: question.body };
      await vault.keepReport(this.database, member, kept);
      await this.note(member, { question: question.digest });
      const begun = performance.now();
      kept = await counted(member, kept);
      await vault.keepReport(this.database, member, kept);
      // how long pairs take to count hangs on how many friends there are
      const extra = asksAll(member.published.mechanism) ? later(new Entropy()) : 0;
      await pauseFor(untilTick(performance.now() - begun, member.published.n) + extra);
    }
    const { user, epoch } = member.published;
    if (kept.answer !== null && !(entry.answered && (await holds(sender, "answered", epoch)))) {
      await sender.put("answers", user, epoch, kept.answer);
      await this.note(member, { answered: true });
    }
    return this.standing(member);
  }

  /**
   * Have the collector delete all that was reported to a community. The ledger notes it first: from there on nothing of
   * it is sent again. The request names the slot and the latest epoch that was drawn for, and nothing of the list.
   */
  async withdraw(server: string, community: string): Promise<Standing> {
    const member = await this.member(server, community);
    if ((await vault.loadReport(this.database, member)) !== null) await this.note(member, { drawn: true });
    await this.takenBack(member.invitation, member.published.user, []);
    return this.standing(member);
  }

  /** The same by her link alone, where this browser was cleared or has forgotten what it sent: the collector says which. */
  async withdrawByLink(invitation: Invitation): Promise<void> {
    const { published, held } = await this.fetch(invitation);
    await this.takenBack(invitation, published.user, held);
  }

  /** Do without the second question: the list and the noise that wait for it are deleted, and nothing is sent. */
  async decline(server: string, community: string): Promise<Standing> {
    const member = await this.member(server, community);
    const { kept } = await this.standing(member);
    if (kept === null || kept.noise === null) throw new Trouble("list-deleted");
    await vault.keepReport(this.database, member, { ...kept, friends: null, noise: null });
    return this.standing(member);
  }

  /** Drop every list that no second question needs. */
  async tidy(): Promise<void> {
    await vault.tidy(this.database, await this.ledger());
  }

  /** The ledger, and the communities that are joined and not forgotten. Nothing is sent. */
  async status(): Promise<{ ledger: Ledger; standings: Standing[] }> {
    const members = await vault.memberships(this.database);
    const standings = await Promise.all(members.map((member) => this.standing(member)));
    return { ledger: await this.ledger(), standings };
  }

  /** Delete the list, the token and the report; what was spent, and that a report was drawn, stays noted. */
  async forget(server: string, community: string): Promise<void> {
    const member = await this.member(server, community);
    if ((await vault.loadReport(this.database, member)) !== null) await this.note(member, { drawn: true });
    await this.database.drop(server, community);
  }

  async ledger(): Promise<Ledger> {
    const found = await this.database.get("ledger", ["ledger"]);
    return found === undefined ? EMPTY : readLedger(found, "damaged");
  }

  /** Take another client's ledger into this one. */
  async addLedger(text: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Trouble("not-a-ledger");
    }
    await this.keepLedger(merged(await this.ledger(), readLedger(value, "not-a-ledger")));
    await this.tidy();
  }

  async setCap(millionths: number): Promise<Ledger> {
    return this.keepLedger({ ...(await this.ledger()), cap: millionths });
  }

  async member(server: string, community: string): Promise<Membership> {
    const member = await vault.loadMembership(this.database, server, community);
    if (member === null) throw new Trouble("no-link");
    return member;
  }

  /** Steps 1 to 3. Nothing here asks the network for anything. */
  private async drawn(member: Membership, choice: Choice, friends: readonly number[]): Promise<void> {
    const { server, community, epoch } = vault.slotOf(member);
    const [ledger, price] = [await this.ledger(), cost(choice)];
    if (lastEpoch(ledger, server, community) >= epoch) throw new Trouble("forgotten");
    if (member.held === true) throw new Trouble("used-link");
    if (member.accepted !== null && (price === null || price > member.accepted)) throw new Trouble("over-accepted");
    const paid = charged(ledger, vault.slotOf(member), choice.name, price);
    await vault.keepMembership(this.database, { ...member, accepted: member.accepted ?? price });
    await this.keepLedger(paid);
    const { report, bytes, noise } = draw(member.published, choice, friends, member.groups);
    const asked = noise === null ? null : friends;
    const kept = { report, body: bytes, choice: choice.name, friends: asked, noise, question: null, answer: null };
    await vault.keepReport(this.database, member, kept);
    await this.note(member, { drawn: true });
  }

  async standing(member: Membership): Promise<Standing> {
    const [ledger, { server, community }] = [await this.ledger(), vault.slotOf(member)];
    const entry = find(ledger, vault.slotOf(member)) ?? null;
    const kept = await vault.loadReport(this.database, member);
    const left = ledger.entries.some((e) => e.server === server && e.community === community && e.drawn && !e.deleted);
    return { member, reported: left || (kept !== null && entry?.drawn !== true), entry, kept, list: null };
  }

  private async fetch(invitation: Invitation): Promise<Publication> {
    const found = await published(new Sender(invitation));
    if (found.published.id !== invitation.community) throw new Trouble("other-community");
    numbered(found.roster); // one that no list can be matched with is not pinned in place of one that can
    return found;
  }

  private async takenBack(invitation: Invitation, user: number, held: readonly number[]): Promise<void> {
    const { server, community } = invitation;
    const mine = (entry: Entry): boolean => entry.drawn && entry.server === server && entry.community === community;
    const marked = async (marks: Partial<Entry>): Promise<Ledger> => {
      const ledger = await this.ledger();
      return this.keepLedger({ ...ledger, entries: ledger.entries.map((each) => (mine(each) ? { ...each, ...marks } : each)) });
    };
    const drawn = lastEpoch(await marked({ withdrawn: true, deleted: false }), server, community);
    const last = held.reduce((a, b) => Math.max(a, b), drawn);
    if (last === 0) throw new Trouble("not-sent-yet");
    await this.tidy();
    await new Sender(invitation).withdraw(user, last);
    await marked({ deleted: true });
  }

  private async note(member: Membership, marks: Partial<Entry>): Promise<void> {
    await this.keepLedger(noted(await this.ledger(), vault.slotOf(member), marks));
  }

  private async keepLedger(ledger: Ledger): Promise<Ledger> {
    await this.database.put("ledger", ["ledger"], ledger);
    return ledger;
  }
}

/** The choice of a name, of those that are pinned. */
export function chosen({ published }: Membership, name: string): Choice {
  const found = published.choices.find((choice) => choice.name === name);
  if (found === undefined) throw new Trouble("bad-community");
  return found;
}

async function published(sender: Sender): Promise<Publication> {
  const body = await sender.fetch();
  try {
    return await readPublication(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new Trouble("bad-community");
  }
}

/** Whether the collector holds the report of an epoch, or its answer; or does not say. */
async function holds(sender: Sender, what: "held" | "answered", epoch: number): Promise<boolean> {
  try {
    return (await published(sender))[what].includes(epoch);
  } catch (error) {
    if (error instanceof Trouble && error.kind === "bad-community") return true;
    throw error;
  }
}
