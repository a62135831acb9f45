/** What the page may ask of the worker, done by the client. The worker is what runs it; a test may, too. */

import { draw } from "../core/draw.ts";
import { readLink } from "../core/wire/invitation.ts";
import { plain } from "../core/wire/names.ts";
import { chosen, type Client, type Opened } from "../protocol/client.ts";
import { match, numbered, readNames } from "../protocol/friends.ts";
import { MILLION, spent } from "../vault/ledger.ts";
import type { Membership } from "../vault/membership.ts";
import { Trouble } from "../vault/trouble.ts";
import type { Api, OpenedView } from "./api.ts";
import { ADA, ADAS_FRIENDS, INVENTED } from "./invented.ts";
import { communityView, differences, receiptOf, standingView, type StatusView, type Where } from "./views.ts";

const FOUND = 500;

export function made(client: Client): Api {
  const at = ({ server, community }: Where): Promise<Membership> => client.member(server, community);
  return {
    open: async (url) => opened(client, await client.open(linked(url))),
    look: async (where) => opened(client, await client.open((await at(where)).invitation)),
    renew: async (shown) => {
      await client.renew(shown);
      return standing(client, shown);
    },
    match: async (where, files) => {
      const { roster, published } = await at(where);
      const names = files.flatMap(({ name, data }) => readNames(name, data));
      const found = match(names, numbered(roster), published.user);
      const total = found.numbers.length + found.unmatched;
      return { numbers: found.numbers, names: found.numbers.map((each) => roster[each] ?? ""), total, cause: found.cause };
    },
    search: async (where, text) => {
      const [{ roster, published }, wanted] = [await at(where), plain(text)];
      const found: { number: number; name: string }[] = [];
      for (let number = 0; number < roster.length && found.length < FOUND; number += 1) {
        const name = roster[number] ?? "";
        if (number !== published.user && plain(name).includes(wanted)) found.push({ number, name });
      }
      return found;
    },
    example: async (where, choice) => {
      const member = await at(where);
      const { published } = member;
      const groupNames = published.groupNames.slice(0, INVENTED.length);
      const groups = groupNames.length > 0 ? INVENTED.map((_, number) => number % groupNames.length) : null;
      const invented = { ...published, n: INVENTED.length, user: ADA, hubFrom: null, groupNames };
      const drawn = draw(invented, chosen(member, choice), ADAS_FRIENDS, groups);
      return receiptOf(drawn.report, drawn.bytes, ADAS_FRIENDS, { roster: INVENTED, groupNames, groups });
    },
    report: async (shown, choice, friends) => standingView(await client.report(shown, choice, friends)),
    send: async ({ server, community }) => standingView(await client.send(server, community)),
    answer: async ({ server, community }) => standingView(await client.answer(server, community)),
    decline: async ({ server, community }) => standingView(await client.decline(server, community)),
    withdraw: async ({ server, community }) => standingView(await client.withdraw(server, community)),
    withdrawByLink: (url) => client.withdrawByLink(linked(url)),
    link: async (where, page) => {
      const { server, community, token } = (await at(where)).invitation;
      return `${page}#${token}/${community}${page === `${server}/join` ? "" : `/${server}`}`;
    },
    status: () => status(client),
    forget: ({ server, community }) => client.forget(server, community),
    exportLedger: async () => JSON.stringify(await client.ledger(), null, 1),
    addLedger: async (text) => {
      await client.addLedger(text);
      return status(client);
    },
    setCap: async (epsilon) => {
      await client.setCap(Math.round(epsilon * MILLION));
      return status(client);
    },
  };
}

function linked(url: string): ReturnType<typeof readLink> {
  try {
    return readLink(url);
  } catch {
    throw new Trouble("bad-link");
  }
}

async function opened(client: Client, { member, renewed }: Opened): Promise<OpenedView> {
  const view = await standing(client, member.invitation);
  if (renewed === null) return { standing: view, renewal: null };
  const { published, roster, groups } = renewed;
  const fresh = communityView({ ...member, published, roster, groups });
  return { standing: view, renewal: { community: fresh, differences: differences(member, renewed) } };
}

async function standing(client: Client, { server, community }: Where): ReturnType<Api["send"]> {
  return standingView(await client.standing(await client.member(server, community)));
}

async function status(client: Client): Promise<StatusView> {
  const { ledger, standings } = await client.status();
  return {
    standings: standings.map(standingView),
    entries: ledger.entries,
    spent: spent(ledger) / MILLION,
    cap: ledger.cap / MILLION,
  };
}
