/**
 * Asking a collector and sending to it: one address per report, the same bytes on every try. What fails for a while (no
 * connection, 408, 429, 5xx) is tried again after a growing, uneven pause; whatever else is refused ends at once.
 * Redirects are not followed: the token goes to the invitation's server and to no other.
 */

import { MOST_BYTES } from "../core/wire/community.ts";
import type { Invitation } from "../core/wire/invitation.ts";
import { Trouble, type TroubleKind } from "../vault/trouble.ts";

const PAUSES = [0.5, 1, 2, 4, 8];
const LONGEST_PAUSE = 60;
const SHORT = 1 << 16; // bytes of any other answer
const TIMEOUT = 30_000;

/** What the collector's problems are to a user, by their kind. */
const PROBLEMS: ReadonlyMap<string, TroubleKind> = new Map([
  ["unauthorized", "refused-link"],
  ["not-found", "refused-link"],
  ["slot-taken", "slot-taken"],
  ["not-asked", "not-asked-yet"],
  ["answer-taken", "answer-taken"],
  ["report-deleted", "deleted"],
  ["community-closed", "closed"],
  ["epoch-over", "epoch-over"],
]);

interface Answer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly retryAfter: string;
}

export class Sender {
  private readonly base: string;

  constructor(private readonly invitation: Invitation) {
    this.base = `${invitation.server}/v1/communities/${invitation.community}`;
  }

  /** What the community publishes, as it came. */
  async fetch(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.tried("GET", this.base)).body;
  }

  /** The second question of an epoch, as the collector asks it. */
  async question(epoch: number): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.tried("GET", `${this.base}/question?epoch=${epoch}`)).body;
  }

  /** Send an epoch's report, or its answer, until the collector acknowledges it. */
  async put(what: "reports" | "answers", user: number, epoch: number, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const type = `application/vnd.graphldp.${what === "reports" ? "report" : "answer"}`;
    await this.tried("PUT", `${this.base}/${what}/${user}?epoch=${epoch}`, body, type);
  }

  /** Ask for the deletion of all that was sent up to an epoch, until the collector acknowledges it. */
  async withdraw(user: number, epoch: number): Promise<void> {
    await this.tried("DELETE", `${this.base}/reports/${user}?epoch=${epoch}`);
  }

  private async tried(method: string, address: string, body?: Uint8Array<ArrayBuffer>, type?: string): Promise<Answer> {
    let last: Trouble = new Trouble("unreached");
    for (const pause of [...PAUSES, null]) {
      let wait = pause;
      try {
        const answer = await this.asked(method, address, body, type);
        if ([200, 201, 204].includes(answer.status)) return answer;
        last = troubleOf(answer);
        if (answer.status !== 408 && answer.status !== 429 && answer.status < 500) throw last;
        if (wait !== null) wait = Math.max(wait, askedPause(answer.retryAfter));
      } catch (error) {
        if (error instanceof Trouble) throw error;
        last = new Trouble("unreached");
      }
      if (wait !== null) await pauseFor(1000 * wait * (0.5 + Math.random())); // spreads load, hides nothing
    }
    throw last;
  }

  private async asked(method: string, address: string, body?: Uint8Array<ArrayBuffer>, type?: string): Promise<Answer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.invitation.token}` };
    if (type !== undefined) headers["Content-Type"] = type;
    const answer = await fetch(address, {
      method,
      headers,
      body: body ?? null,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const limit = method === "GET" && answer.status === 200 ? MOST_BYTES : SHORT;
    return { status: answer.status, body: await read(answer, limit), retryAfter: answer.headers.get("retry-after") ?? "" };
  }
}

/** The body up to a limit that no honest collector would get to. */
async function read(answer: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = answer.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Trouble("odd-answer");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function troubleOf(answer: Answer): Trouble {
  let type: unknown;
  try {
    const fields: unknown = JSON.parse(new TextDecoder().decode(answer.body));
    type = typeof fields === "object" && fields !== null && "type" in fields ? fields.type : undefined;
  } catch {
    type = undefined; // an answer of something else than a collector
  }
  const kind = typeof type === "string" ? PROBLEMS.get(type.replace("urn:graphldp:problem:", "")) : undefined;
  if (kind !== undefined) return new Trouble(kind);
  return new Trouble(answer.status === 429 || answer.status >= 500 ? "busy-server" : "refused-report", {
    status: answer.status,
  });
}

const askedPause = (asked: string): number => (/^[0-9]+$/.test(asked) ? Math.min(Number(asked), LONGEST_PAUSE) : 0);

export const pauseFor = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
