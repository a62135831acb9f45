/**
 * A community that was joined, as the vault keeps it: invitation, what is published, the roster, the one report.
 *
 * What the community published is *pinned*: kept when the user opened her link, or agreed to a new epoch, and never
 * fetched again to be compared. Her list meets this roster, with its groups, and no other.
 */

import { readPublished, writePublished, type Published } from "../core/wire/community.ts";
import type { Invitation } from "../core/wire/invitation.ts";
import { readObject } from "../core/wire/json.ts";
import { decode, type Report } from "../core/wire/report.ts";
import type { Database } from "./database.ts";
import type { Slot } from "./ledger.ts";
import { Trouble } from "./trouble.ts";

export interface Membership {
  readonly invitation: Invitation;
  readonly published: Published;
  readonly roster: readonly string[];
  /** For friend-counts, the number of each user's group; else null. */
  readonly groups: readonly number[] | null;
  /** The largest ε₁ + ε₂ that she accepts here, in millionths; null where she agreed to publish her list, or to nothing yet. */
  readonly accepted: number | null;
}

/** A report that is kept. */
export interface Kept {
  readonly report: Report;
  /** The bytes that leave the device, and no others. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly choice: string;
  /** The numbers of the list that it was drawn from. */
  readonly friends: readonly number[];
  /** N₂ of a hub who has not answered yet; forgotten by the write that keeps her answer. */
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

export async function memberships(database: Database): Promise<Membership[]> {
  return (await database.all("members")).map(readMembership);
}

export async function loadMembership(database: Database, server: string, community: string): Promise<Membership | null> {
  const found = await database.get("members", [server, community]);
  return found === undefined ? null : readMembership(found);
}

export async function keepMembership(database: Database, member: Membership): Promise<void> {
  const { server, community } = member.invitation;
  await database.put("members", [server, community], { ...member, published: asText(member.published) });
}

export async function loadReport(database: Database, member: Membership): Promise<Kept | null> {
  const { server, community, epoch } = slotOf(member);
  const found = await database.get("reports", [server, community, epoch]);
  if (found === undefined) return null;
  try {
    const kept = found as Omit<Kept, "report">;
    return { ...kept, report: decode(kept.body, member.published.n) };
  } catch {
    throw new Trouble("damaged");
  }
}

export async function keepReport(database: Database, member: Membership, kept: Kept): Promise<void> {
  const { server, community, epoch } = slotOf(member);
  const { report: _, ...fields } = kept; // the bytes say it
  await database.put("reports", [server, community, epoch], fields);
}

function readMembership(value: unknown): Membership {
  try {
    const kept = value as Omit<Membership, "published"> & { published: string };
    return { ...kept, groups: kept.groups ?? null, published: readPublished(readObject(kept.published)) };
  } catch {
    throw new Trouble("damaged");
  }
}
