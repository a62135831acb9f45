/** All that the page says, in English. Every other language has the same keys, which the compiler checks. */

import type { Difference } from "../views.ts";
import type { TroubleKind } from "../../vault/trouble.ts";

type Facts = Readonly<Record<string, number | string>>;

export const en = {
  language: "English",
  title: "Take part",
  steps: (at: number, of: number): string => `Step ${at} of ${of}`,
  next: "Go on",
  back: "Back",
  again: "Try again",
  working: "Working …",
  waiting: "This page is at work in another tab. It goes on here when that one is done.",
  servedBy: (server: string, digest: string): string =>
    `This page came from ${server}. Digest of its program: ${digest}. “graphldp client verify-web” compares it with the published one.`,
  play: "Try it with invented people",
  yourCommunities: "Your communities",

  welcome: {
    lead: "This community would like to learn what kind of community it is. It asks its members to help. It does not want to know who your friends are.",
    stays: "Your list of friends stays in this browser. The browser throws dice and makes a blurred copy. Only the copy leaves.",
    server: "Server",
    members: "Members",
    you: "You are",
    kept: "Reports are kept",
    notYou: "If this is not you, stop here: the link belongs to somebody else.",
    compare: "Compare with another member",
    digest: (digest: string): string =>
      `Every member of an honest community sees the same code: ${digest}. If another member reads out a different one, you were shown different lists of members. Do not go on then.`,
  },

  keeping: {
    noEnd: "without a promised end",
    days: (count: number, shown: string): string => (count === 1 ? "for one day" : `for ${shown} days`),
    modelsLonger: "what was learned from them may be used for longer",
    modelsToo: "what was learned from them is deleted as well",
  },

  tells: {
    heading: "How much does your report tell?",
    choose: "Choose how much",
    choice: (name: string, epsilon: string): string => `${name}: ε = ${epsilon}`,
    publicChoice: (name: string): string => `${name}: your list as it is`,
    tooMuch: "more than you accepted before",
    one: (before: string, after: string): string =>
      `Take one other member. Somebody thinks it is ${before} likely that she is your friend. After reading your report, they can think ${after} at most.`,
    epsilon: (epsilon: string, factor: string): string =>
      `This limit is called ε (say “epsilon”). Here it is ${epsilon}: the odds change by a factor of ${factor} at most, now or later, on any computer. Smaller is more private.`,
    group: (size: number, factor: string): string =>
      `Friendships that stand or fall together count together. If somebody knows that ${size} people are all your friends or none of them is, the factor is ${factor}.`,
    groups: (count: string, names: string): string =>
      `You are asked how many of your friends are in each of ${count} groups: ${names}. One blurred number for each group leaves this browser, and no name. Every member sees who is in which group. One friend is in one group, so the limit below is for all numbers together.`,
    nearlySure: "At this ε, somebody who reads your report can become nearly sure of a friendship.",
    public: "This choice hides nothing. It sends your list as it is: whoever reads it knows who your friends here are.",
  },

  hidden: {
    heading: "What is not hidden",
    lines: [
      "That you are a member, and that you take part.",
      "How much you chose to tell.",
      "When you send your report, and from which internet address.",
      "Each friendship is in two reports, yours and your friend’s. The two limits multiply.",
    ],
    page: (server: string): string =>
      `This page comes from ${server}. Whoever runs it could serve another page. If you do not trust them, use the program “graphldp client” instead.`,
  },

  once: {
    heading: "It is done once",
    lines: [
      "If the dice were thrown again and again, the blur would average out. So your report is drawn once. If sending fails, the very same report is sent again.",
      "It is kept in this browser. If you clear the browser’s data, the report is gone here and the server still has it. You cannot send another.",
      "Do not use a private window: it forgets everything when you close it. Use one device only.",
      "The browser counts what you gave on this server. It does not know what you gave elsewhere, unless you add it under “Your communities”.",
    ],
  },

  friends: {
    heading: "Who are your friends?",
    lead: "Give a file, or tick names. Everything is looked up here; nothing is sent.",
    drop: "Drop a file here, or choose one",
    formats: "Mastodon’s following_accounts.csv, a list from Bluesky (JSON), or any file with a name on each line.",
    or: "Or tick names",
    search: "Find a member",
    more: "There are more. Type a part of the name.",
    nobody: "No member has this in the name.",
    found: (found: string, total: string): string => `${found} of your ${total} friends are members.`,
    ticked: (count: string): string => `You ticked ${count}.`,
    none: (total: string): string => `0 of your ${total} friends are members.`,
    noneHelp: "Is it the right file? Choose another one, or tick names below. If you really have no friends here, say so.",
    noneReally: "I have no friends in this community",
    causes: {
      empty: "The file holds no names.",
      columns: "Its lines look like several columns, with a semicolon or a tab between them. Use commas, or one name on each line.",
      "another-network": "No name is a member’s. Is it the file of another account, or of another network?",
    },
    hosts: (count: string): string =>
      `${count} more would match but for the part after the @: one side writes user@host, the other only user or another host.`,
  },

  example: {
    heading: "What such a report looks like",
    lead: "Ada does not exist, and neither do her friends. This is what would leave her browser:",
    again: "Draw again",
    note: "For Ada you may draw as often as you like. Yours is drawn once.",
  },

  people: {
    legend: "Legend",
    kept: "a friend, named",
    lost: "a friend, left out",
    fake: "a stranger, named",
    none: (count: string): string => `and ${count} strangers, left out`,
    said: (name: string, friend: boolean, listed: boolean): string =>
      `${name}: ${friend ? "a friend" : "a stranger"}, ${listed ? "named" : "left out"}`,
    colours: "Only you see the colours. Whoever reads the report sees who is named, not who is real.",
    more: (count: string): string => `… and ${count} more`,
    byGroup: "The report says how many friends are in each group:",
    inGroup: (name: string, told: string, truth: string): string =>
      `${name}: “about ${told}”. ` + (told === truth ? "That is the true number." : `The true number is ${truth}.`),
    numberOnly: "It names nobody.",
    degree: (told: string, truth: string): string =>
      `The report says: “about ${told} friends”. ` +
      (told === truth ? "This time the dice left the true number as it is." : `The true number is ${truth}; dice changed it.`),
    named: (people: string, kept: string, fake: string): string =>
      `The report names ${people}: ${kept} and ${fake}.`,
    persons: (count: number, shown: string): string => (count === 1 ? "one person" : `${shown} people`),
    friendsCount: (count: number, shown: string): string => (count === 1 ? "one friend" : `${shown} friends`),
    strangers: (count: number, shown: string): string => (count === 1 ? "one stranger" : `${shown} strangers`),
    hubs: "Few people look like somebody with very many friends. Their report also names people, some of them by chance.",
  },

  agree: {
    heading: "Do you agree?",
    list: (count: string, names: string): string => `Your friends here (${count}): ${names}.`,
    empty: "Your list is empty: you report that you have no friends here.",
    more: (count: string): string => `and ${count} more`,
    cost: (epsilon: string, after: string, cap: string): string =>
      `Your report tells ε = ${epsilon}. You will then have given ${after} of your limit of ${cap}.`,
    publicCost: "Your report publishes this list as it is. Nothing protects it.",
    kept: (how: string): string => `Reports are kept ${how}.`,
    step: "If you agree, the dice are thrown and the report is sent, in one step. You see afterwards what left. There is nothing to decide in between: whoever looks first and then chooses whether to send tells something by the choice.",
    no: "Stop if the list is wrong. Do not stop because of who is on it: the community sees that you did not report, and that would tell it something.",
    yes: "I agree: draw and send",
  },

  sending: {
    line: "This takes a second or two. You can close this page at any time; nothing is drawn twice.",
    failed: "Your report is drawn and kept in this browser. It is not sent yet.",
    again: "Send the same report again",
  },

  receipt: {
    heading: "This is what left",
    thanks: "Thank you. The server has your report.",
    bytes: (size: string): string => `${size} bytes, and no others`,
    save: "Save what left",
    later: "You do not need to do anything else. Keep this page’s address if you want to look again, or take your report back.",
    asked: "Your report looks like that of somebody with very many friends. Once the others have reported, you are asked one more question. It costs nothing more.",
  },

  home: {
    heading: "Your communities",
    none: "You are in no community yet. You need a link: the people who run your community send you one. Open it in this browser.",
    spent: (spent: string, cap: string): string => `Given so far, all communities on this server together: ε = ${spent} of ${cap}.`,
    states: {
      joined: "You have not reported yet.",
      charged: "You agreed, and the page was closed before anything was drawn. Nothing has left.",
      drawn: "Your report is drawn and kept here. The server has not confirmed it.",
      sent: "The server has your report.",
      withdrawn: "You took your report back. The server has not confirmed yet that it deleted it.",
      deleted: "You took your report back, and the server has deleted it.",
    },
    continue: "Go on",
    send: "Send the same report again",
    check: "Check that the server still has it",
    checked: "The server has your report.",
    show: "Show what left",
    look: "Look for a new round",
    nothingNew: "Nothing new. There is no new round.",
    answer: "Answer the second question",
    answerWhy: "Your report looks like that of somebody with very many friends. You are asked how many of them are busy people. The browser counts them and adds noise that was drawn with your report. It costs nothing more, and it is done once.",
    answered: "You have answered the second question.",
    forget: "Forget",
    forgetWhy: "This deletes your list, your link and your report from this browser. It cannot call back what was sent. You cannot report to this round again.",
    forgetYes: (name: string): string => `Forget ${name} in this browser`,
    withdraw: "Take my report back",
    withdrawWhy: "The server deletes what you sent, in all rounds, and takes nothing else in its place. What a model learned from it before stays in the model, and what you gave stays counted: it was seen. Take it back because you no longer want to take part, not because of what it says: the community sees that you did, and that would tell it something.",
    withdrawYes: (name: string): string => `Have my report to ${name} deleted`,
    ledger: "Your limit, and other devices",
    cap: "Your limit (ε, all communities together)",
    setCap: "Set the limit",
    ledgerWhy: "Another browser or the program “graphldp client” does not know what you gave here. Save the account here and add it there, or the other way round.",
    export: "Save the account",
    add: "Add a saved account",
    added: "Added.",
    forgotten: (community: string): string => `${community} (forgotten here)`,
    cleared: "If you clear this browser’s data, your reports and this account are gone here. What was sent stays with the servers.",
  },

  renewal: {
    heading: "The community has changed",
    lead: (epoch: number): string => `It now collects in round ${epoch}. This is what is different:`,
    nothing: "Nothing else is different.",
    cost: "A new report costs its full ε again, on top of what you gave.",
    yes: "Take part in the new round",
    no: "Leave everything as it is",
    what: {
      name: "Name",
      users: "Members",
      you: "You are",
      mechanism: "How reports are drawn",
      asks: "Asked again from this number of friends",
      choices: "Offers",
      kept: "Reports are kept",
      joined: "New members",
      left: "No longer members",
      groups: "Groups that friends are counted by",
      regrouped: "Members in another group",
      moved: "Members under another number",
    } satisfies Record<Difference["what"], string>,
    was: (was: string): string => `it was: ${was}`,
  },

  trouble: {
    "no-crypto": "This browser cannot throw dice safely, or the page was not reached over https. Use a current browser and the https address.",
    "no-storage": "This browser lets the page keep nothing, so a report could be drawn twice. Allow site data, or use a normal window.",
    "no-locks": "This browser is too old to keep two tabs apart. Use a current one.",
    "storage-full": "There is no room left to keep your report. Free some space and try again; nothing is lost.",
    "storage-failed": "The browser could not keep your report. Close other tabs of this page and try again; nothing is lost.",
    damaged: "What this browser kept is damaged. Nothing is drawn or sent. Ask the people who run your community.",
    "no-link": "This page needs your link. Open the one that you were sent.",
    "bad-link": "This link is not whole. Copy all of it, also what stands after the #.",
    "refused-link": "The server does not take this link. It may be mistyped, replaced by a newer one, or taken back. Ask for a new one.",
    "used-link": "This link was used already: the server has a report for you, from another device or from before this browser was cleared. Another one is never drawn.",
    forgotten: "A report was drawn for this round before, and forgotten here or drawn on another device. Another one is never drawn.",
    "other-community": "The server answered with another community than the link names. Nothing was drawn.",
    "bad-community": "What the community publishes makes no sense. Nothing was drawn. Tell the people who run it.",
    changed: "The community has changed since you were shown this, perhaps in another tab. Nothing was drawn. Reload the page and look again.",
    unreached: "The server was not reached. Check your connection, and your device’s date: secure connections fail when it is wrong. Nothing is lost; try again.",
    "busy-server": "The server has too much to do. Nothing is lost; try again later.",
    "odd-answer": "The answer did not come from a server of this kind. Nothing is lost; try again later.",
    closed: "The community takes no more reports. Yours was not taken.",
    "epoch-over": "The round that your report was drawn for is over. It was not taken. Look for a new round below.",
    "slot-taken": "The server holds another report for you, from another device. The first one counts.",
    deleted: "Your report was taken back or deleted. The server takes no other for this round.",
    withdrawn: "You took this report back. It is not sent again, and no other is drawn for this round.",
    "refused-report": "The server did not take it. Tell the people who run the community.",
    "not-asked-yet": "The question is not there yet. Come back when the others have reported.",
    "not-asked": "Your report is complete. You are asked no second question.",
    "answer-taken": "The server holds another answer for you. The first one counts.",
    "not-sent-yet": "Your report has to be sent first.",
    "answered-before": "A question was answered for this report before. Another one is never answered.",
    "not-a-list": "This file is no list of names. Choose a text, CSV or JSON file.",
    "not-text": "This file is no text. If it is an archive, unpack it first and choose the list in it.",
    "not-a-ledger": "This file is no saved account. Nothing was changed.",
    "over-cap": ({ cost, before, cap }: Facts): string =>
      `This would tell ε = ${cost}. With the ${before} given before it passes your limit of ${cap}. Nothing was drawn.`,
    "over-accepted": "This costs more than you accepted before. Nothing was drawn.",
    "no-new-epoch": "There is no new round. Nothing was changed.",
    unexpected: "Something went wrong in this page. Nothing is drawn twice; reload and try again.",
  } satisfies Record<TroubleKind, string | ((facts: Facts) => string)>,
};

export type Words = typeof en;
