/**
 * A community that was joined, as the vault keeps it: invitation, what is published, the roster, the one report.
 *
 * What the community published is *pinned*: kept when the user opened her link, or agreed to a new epoch, and never
 * fetched again to be compared. Her list meets this roster, with its groups, and no other.
 */

import { readPublished, writePublished, type Published } from "../core/wire/community.ts";
import { address, type Invitation } from "../core/wire/invitation.ts";
import { readObject } from "../core/wire/json.ts";
import { decode, type Report } from "../core/wire/report.ts";
import type { Records } from "./database.ts";
import { find, type Ledger, type Slot } from "./ledger.ts";
import { Trouble } from "./trouble.ts";

export interface Membership {
  readonly invitation: Invitation;
  readonly published: Published;
  readonly roster: readonly string[];
  /** For friend-counts, the number of each user's group; else null. */
  readonly groups: readonly number[] | null;
  /** The largest ε₁ + ε₂ that she accepts here, in millionths; null where she agreed to publish her list, or to nothing yet. */
  readonly accepted: number | null;
  /** Whether the server has said, since this was pinned, that it has a report of this round. */
  readonly held?: boolean;
}

/** A report that is kept. */
export interface Kept {
  readonly report: Report;
  /** The bytes that leave the device, and no others. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly choice: string;
  /** The numbers of the list that it was drawn from, while a second question may need them; else null. */
  readonly friends: readonly number[] | null;
  /** N₂ of a user who is asked again and has not answered yet; forgotten, like the list, by the write that keeps her answer. */
  readonly noise: number | null;
  /** The one question that she ever answers, from when it is pinned until she has. */
  readonly question: Uint8Array<ArrayBuffer> | null;
  readonly answer: Uint8Array<ArrayBuffer> | null;
}

/** What a community publishes, as JSON: two are the same when this is. */
export const asText = (published: Published): string => JSON.stringify(writePublished(published));

export const slotOf = (member: Membership): Slot => ({
  server: member.invitation.server,
  community: member.invitation.community,
  epoch: member.published.epoch,
});

export async function memberships(database: Records): Promise<Membership[]> {
  return (await database.all("members")).map(readMembership);
}

export async function loadMembership(database: Records, server: string, community: string): Promise<Membership | null> {
  const found = await database.get("members", [server, community]);
  return found === undefined ? null : readMembership(found);
}

export async function keepMembership(database: Records, member: Membership): Promise<void> {
  const { server, community } = member.invitation;
  await database.put("members", [server, community], { ...member, published: asText(member.published) });
}

export async function loadReport(database: Records, member: Membership): Promise<Kept | null> {
  const found = await database.get("reports", keyOf(slotOf(member)));
  if (found === undefined) return null;
  try {
    const kept = found as Omit<Kept, "report">;
    return { ...kept, report: decode(kept.body, member.published.n) };
  } catch {
    throw new Trouble("damaged");
  }
}

export async function keepReport(database: Records, member: Membership, kept: Kept): Promise<void> {
  const { report: _, ...fields } = kept; // the bytes say it
  await database.put("reports", keyOf(slotOf(member)), fields);
}

/** A report without what it was drawn from: it can be sent and shown, and nothing can be counted from it again. */
export const withoutList = <T extends Omit<Kept, "report">>(kept: T): T => ({ ...kept, friends: null, noise: null, question: null });

/**
 * Drop every list that no second question needs: of vaults that kept it longer, of rounds that are over, of what was
 * taken back, of communities whose record is damaged. Only an unanswered question to the report of the pinned round keeps
 * one, and until its last day where there is one. A server's address is kept in its one way.
 */
export async function tidy(database: Records, ledger: Ledger): Promise<void> {
  await underOneAddress(database);
  const today = new Date().toISOString().slice(0, 10);
  const waiting = (await undamaged(database)).filter(({ published }) => (published.answerUntil ?? today) >= today);
  const pinned = new Set(waiting.map((member) => JSON.stringify(keyOf(slotOf(member)))));
  for (const key of await database.keys("reports")) {
    const kept = (await database.get("reports", key)) as Omit<Kept, "report">;
    const [server, community, epoch] = key as [string, string, number];
    const entry = find(ledger, { server, community, epoch });
    const answered = kept.answer !== null || (typeof entry?.question === "string" && kept.question === null); // by a copy of this vault
    const asked = kept.noise !== null && !answered && entry?.withdrawn !== true && pinned.has(JSON.stringify(key));
    if (kept.friends !== null && !asked) await database.put("reports", key, withoutList(kept));
  }
}

/** Keep what an older page kept under another way to write its server's address; what is under the one way stays. */
async function underOneAddress(database: Records): Promise<void> {
  for (const member of await undamaged(database)) {
    const { server, community } = member.invitation;
    const one = address(server);
    if (one === server) continue;
    for (const [of, id, epoch] of await database.keys("reports")) {
      if (of !== server || id !== community || epoch === undefined) continue;
      const there = await database.get("reports", [one, community, epoch]);
      await database.put("reports", [one, community, epoch], there ?? (await database.get("reports", [of, id, epoch])));
    }
    const same = ({ invitation: other }: Membership): boolean => other.server === one && other.community === community;
    const there = (await undamaged(database)).find(same);
    await keepMembership(database, there ?? { ...member, invitation: { ...member.invitation, server: one } });
    await database.drop(server, community);
  }
}

const keyOf = ({ server, community, epoch }: Slot): [string, string, number] => [server, community, epoch];

/** The memberships that can be read: a damaged one stops who needs it, and nobody else. */
async function undamaged(database: Records): Promise<Membership[]> {
  return (await database.all("members")).flatMap((value) => {
    try {
      return [readMembership(value)];
    } catch {
      return [];
    }
  });
}

function readMembership(value: unknown): Membership {
  try {
    const kept = value as Omit<Membership, "published"> & { published: string };
    address(kept.invitation.server); // without one nothing can be asked or sent
    return { ...kept, groups: kept.groups ?? null, published: readPublished(readObject(kept.published)) };
  } catch {
    throw new Trouble("damaged");
  }
}
