/**
 * The browser client as a package: from a link to a report that was drawn once. Nothing here touches a page.
 * `Client` does all in order; with `draw` and `encode` alone, whoever calls keeps what was drawn, and never draws twice.
 */

export { draw, type Drawn } from "./core/draw.ts";
export { ParameterError, WireError } from "./core/errors.ts";
export { decodeAnswer, encodeAnswer, type Answer } from "./core/wire/answer.ts";
export { cost, isPublic, type Choice } from "./core/wire/choice.ts";
export { readPublication, type Publication, type Published } from "./core/wire/community.ts";
export { address, invitationFromJson, invitationToJson, readLink, type Invitation } from "./core/wire/invitation.ts";
export { decodeQuestion, type Question } from "./core/wire/question.ts";
export { decode, encode, MECHANISMS, type Mechanism, type Report } from "./core/wire/report.ts";
export { reportFromJson, reportToJson } from "./core/wire/reportJson.ts";
export { rosterDigest, spoken } from "./core/wire/roster.ts";
export { seal } from "./core/wire/sealed.ts";
export { Client, type Opened, type Standing, type Terms } from "./protocol/client.ts";
export { match, numbered, readNames, type Matched } from "./protocol/friends.ts";
export { Database, locked, type Key, type Records, type StoreName } from "./vault/database.ts";
export { spent, type Entry, type Ledger } from "./vault/ledger.ts";
export { asText, type Kept, type Membership } from "./vault/membership.ts";
export { asTrouble, Trouble, TROUBLES, type TroubleKind } from "./vault/trouble.ts";
