/** All that the page says, in English. Every other language has the same keys, which the compiler checks. */

import type { Difference } from "../views.ts";
import type { TroubleKind } from "../../vault/trouble.ts";

type Facts = Readonly<Record<string, number | string>>;

export const en = {
  language: "English",
  title: "Take part",
  steps: (at: number, of: number): string => `${at}/${of}`,
  next: "Go on",
  back: "Back",
  again: "Try again",
  working: "Working …",
  waiting: "This page is at work in another tab. It goes on here when that one is done.",
  servedBy: (server: string, digest: string): string =>
    `This page came from ${server}, and whoever runs it could serve another one. If you do not trust them, use the program “graphldp client”. Digest of this page’s program: ${digest}; “graphldp client verify-web” compares it with the published one.`,
  play: "Try it with invented people",
  yourCommunities: "Your communities",

  inquiry: {
    operator: "Who asks",
    purpose: "What for",
    contact: "Contact",
    own: "These are their own words.",
    nobody: "Nobody says who asks, what for, or whom to write to. Ask whoever sent you the link before you go on.",
    ask: (operator: string, contact: string): string => `Whom to ask: ${operator}, ${contact}`,
  },

  welcome: {
    you: (name: string): string => `You are ${name}. If not, stop: the link is somebody else’s.`,
    compare: "Compare with others",
    members: (count: string): string => `${count} members, on the server `,
    digest: (digest: string): string =>
      `Every member of an honest community sees the same code: ${digest}. If another member reads out a different one, you were shown different lists of members. Do not go on then.`,
  },

  leaves: {
    number: "You are asked how many members are your friends. Your list stays here. Only a blurred number leaves.",
    numbers: "You are asked how many members are your friends, and perhaps later how many of them have many friends themselves. Your list stays here. Only blurred numbers leave.",
    groups: (count: string): string =>
      `You are asked how many of your friends are in each of ${count} groups. Your list stays here: only ${count} blurred numbers leave, one for each group, and no name.`,
    hubs: (from: string): string =>
      `You are asked how many members are your friends. Your list stays here: a blurred number leaves; if it is ${from} or more also names, of friends and strangers mixed by chance.`,
    list: "You are asked who your friends here are. Your list stays here. A blurred copy leaves: by chance, friends are left out and strangers put in.",
    orPublic: "Your list itself is sent only if you choose so on the next screen.",
    listAndNumber: "You are asked who your friends here are, and how many. Your list stays here. A blurred number leaves, and a blurred copy: by chance, friends are left out and strangers put in.",
  },

  keeping: {
    noEnd: "without a promised end",
    days: (count: number, shown: string): string => (count === 1 ? "for one day" : `for ${shown} days`),
    modelsLonger: "what was learned from them may be used for longer",
    modelsToo: "what was learned from them is deleted as well",
  },

  tells: {
    heading: "What it tells",
    choose: "Choose how much",
    levels: {
      veryPrivate: "Very private",
      private: "Private",
      fairlyPrivate: "Fairly private",
      telling: "Tells much",
      veryTelling: "Tells nearly everything",
    },
    choice: (level: string, epsilon: string, name: string): string => `${level}: ε = ${epsilon} (${name})`,
    publicChoice: (name: string): string => `Hides nothing: your list as it is (${name})`,
    tooMuch: "more than you accepted before",
    one: (before: string, after: string, both: string): string =>
      `A guess of ${before} that a member is your friend becomes ${after} at most by your report, ${both} with that friend’s at equal ε.`,
    groupSure: (size: number): string => `Whether ${size} people are all your friends, or none, it can tell almost surely.`,
    group: (size: number, before: string, after: string): string =>
      `A guess of ${before} that ${size} people are all your friends, and not none, becomes ${after} at most.`,
    epsilon: (level: string, epsilon: string): string => `${level} (ε = ${epsilon}).`,
    groups: (names: string): string =>
      `The groups are: ${names}. Every member sees who is in which. One friend is in one group, so the limit below is for all numbers together.`,
    dealt: "Everybody is dealt into the groups by a chance that nobody chooses: it follows from the community’s address, round and names, and this page has checked it. One friend is in one group, so the limit below is for all numbers together.",
    single: (names: string): string =>
      `In some groups there is only one person beside you: ${names}. The number of such a group is about this one person. The limit below holds for her, too.`,
    hubCounts: {
      from: (count: string): string =>
        `If your blurred number of friends is ${count} or more, you are asked a second question later: how many of your friends have many friends themselves. The limit below is for both answers together.`,
      everybody:
        "Nearly everybody is asked a second question here, also who has no friends: how many of your friends have many friends themselves. The limit below is for both answers together.",
    },
    hubLists: {
      from: (count: string): string =>
        `If your blurred number of friends is ${count} or more, your report also names people: friends, and strangers by chance. The limit below is for all of it together.`,
      everybody:
        "Nearly everybody’s report names people here, also of who has no friends: friends, and strangers by chance. The limit below is for all of it together.",
    },
    closedPairs:
      "Later everybody is asked a second question: how many pairs of your friends are friends, by the blurred lists of all. For that, every member gets everybody’s blurred list, yours too, and nobody can call it back. The limit below is for all of it together.",
    public: "This choice hides nothing. It sends your list as it is: whoever reads it knows who your friends here are.",
    hidden: "Not hidden: that the answer is yours, your choice, your internet address, and, to about a minute, when you send.",
  },

  friends: {
    heading: "Who are your friends?",
    lead: "Nothing is sent yet.",
    drop: "Drop a file, or choose one",
    formats: "From Mastodon, Bluesky, or one name a line",
    where: "Where is Mastodon’s file?",
    path: "On your server’s website, not in the app: Preferences → Import and export → Data export, then CSV beside the accounts that you follow. The file is called following_accounts.csv.",
    search: "Or find and tick members",
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
    heading: "Example",
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
    names: (people: string): string => `The report names ${people}.`,
    told: (count: string): string => `The report says: “about ${count} friends”.`,
    toldInGroup: (name: string, told: string): string => `${name}: “about ${told}”.`,
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
      (told === truth ? "That is the true number." : `The true number is ${truth}; dice changed it.`),
    named: (people: string, kept: string, fake: string): string =>
      `The report names ${people}: ${kept} and ${fake}.`,
    persons: (count: number, shown: string): string => (count === 1 ? "one person" : `${shown} people`),
    friendsCount: (count: number, shown: string): string => (count === 1 ? "one friend" : `${shown} friends`),
    strangers: (count: number, shown: string): string => (count === 1 ? "one stranger" : `${shown} strangers`),
    hubs: (from: string): string => `A report that says ${from} or more also names people, some of them by chance.`,
  },

  agree: {
    heading: "Do you agree?",
    list: (count: string, names: string): string => `Your friends here (${count}): ${names}.`,
    empty: "Your list is empty: you report that you have no friends here.",
    more: (count: string): string => `and ${count} more`,
    step: "Your report is then drawn and sent, once, within about a minute.",
    listGoes: "This browser keeps it, and not your list.",
    listIsReport: "The report is kept in this browser, and it is your list.",
    listWaits: "This browser keeps it. If you are asked a second question, it keeps your list until you have answered, or say that you will not; nobody can tell you today when that is.",
    listWaitsUntil: (day: string): string =>
      `This browser keeps it, and your list for the second question: until you have answered it, or say that you will not, and until ${day} at most.`,
    once: "Use no private window or second device.",
    back: (kept: string): string =>
      `Reports are kept ${kept}. You can take yours back, not out of earlier backups, exports or models.`,
    cost: (after: string, cap: string): string => `You will have used ε = ${after} of ${cap}.`,
    publicCost: "Your report publishes this list as it is. Nothing protects it.",
    refusal: "A no shows the community that no report came. If your list is why, that tells about it.",
    yes: "Agree and send",
    no: "No, thank you",
  },

  declined: {
    heading: "You said no",
    shown: "Nothing was drawn or sent. The community sees that your link was opened and that no report came. The link stays good, should you want it later.",
  },

  sending: {
    line: "Your report leaves within about a minute, at a moment that the dice choose: a few seconds more or less over your list hardly show in it, many minutes do. Keep this page open. If you close it, nothing is drawn twice: open it again, and it sends the same report.",
    failed: "Your report is drawn and kept in this browser. It is not sent yet.",
    again: "Send the same report again",
  },

  receipt: {
    heading: "This is what left",
    thanks: "The server has your report.",
    bytes: (size: string): string => `The ${size} bytes`,
    save: "Save what left",
    later: "Save your link to take it back elsewhere.",
    saveLink: "Save my link",
    listGone: "Shown once: your list is not kept.",
    listNotKept: "Your list is not kept in this browser, so what is true and what is chance is not shown any more.",
    listWaits: "Your list stays in this browser until you have answered the second question, or say under “Your communities” that you will not.",
    asked: "With your blurred number of friends you are asked one more question, once the others have reported. It costs nothing more.",
    allAsked: "You are asked one more question, once the others have reported. It costs nothing more.",
  },

  home: {
    heading: "Your communities",
    none: "You are in no community yet. You need a link: the people who run your community send you one. Open it in this browser.",
    spent: (spent: string, cap: string): string => `Used so far, all communities on this server together: ε = ${spent} of ${cap}.`,
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
    answerWhy: "You are asked how many of your friends have many friends themselves. The browser counts them and adds noise that was drawn with your report. It costs nothing more, and it is done once.",
    answerPairsWhy: "You are asked how many pairs of your friends are friends. The browser counts them by the blurred lists of all, and adds noise that was drawn with your report. It costs nothing more, and it is done once.",
    declineWhy: "Until then your list stays in this browser. You may leave the question unanswered: then the list is deleted here. If you decide by who is on it, the community learns something about the list.",
    decline: "Do not answer, and delete my list",
    answered: (code: string): string =>
      `You have answered the second question. Its code, the same for every member of an honest community: ${code}.`,
    forget: "Forget",
    forgetWhy: "This deletes your link, your report and, where it still waits for a question, your list from this browser. It cannot call back what was sent. You cannot report to this round again.",
    forgetYes: (name: string): string => `Forget ${name} in this browser`,
    withdraw: "Take my report back",
    withdrawWhy: "The server deletes what you sent, in all rounds, and takes nothing else in its place. It is not undone everywhere: backups from before still hold your report until they are thrown away, files that were exported from the server stay as they are, and what a model learned from it stays in the model. Its ε stays used: it was seen. The community sees that you took it back. If you do so because of what it says, it learns something about your list.",
    withdrawYes: (name: string): string => `Have my report to ${name} deleted`,
    ledger: "Your limit, and other devices",
    cap: "Your limit (ε, all communities together)",
    setCap: "Set the limit",
    ledgerWhy: "Another browser or the program “graphldp client” does not know what you used here. Save the account here and add it there, or the other way round.",
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
    cost: "A new report costs its full ε again, on top of what you used.",
    yes: "Take part in the new round",
    no: "Leave everything as it is",
    what: {
      name: "Name",
      operator: "Who asks",
      purpose: "What for",
      contact: "Whom to write to",
      users: "Members",
      you: "You are",
      mechanism: "How reports are drawn",
      asks: "Asked again from this number of friends",
      until: "Lists wait for a second question until",
      choices: "Offers",
      kept: "Reports are kept",
      joined: "New members",
      left: "No longer members",
      groups: "Groups that friends are counted by",
      regrouped: "Members in another group",
      dealt: "Groups are dealt by chance now",
      chosen: "Groups are not dealt by chance any more",
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
    "shared-address": "Something else uses this web address, too, and could read what this page keeps. Nothing is opened or drawn. Ask the people who run your community to give this page an address of its own, or use the program “graphldp client”.",
    "held-page": "Another page has opened this one, or shows it in a frame. Copy your link and open it in a tab of its own.",
    "other-program": "A part of this page could not be loaded, or is not the one that belongs to it. Reload the page. If that does not help, clear this browser’s cache, and tell the people who run your community.",
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
    "list-deleted": "Your list is not kept here any more, so the question cannot be answered.",
    "not-a-list": "This file is no list of names. Choose a text, CSV or JSON file.",
    "not-text": "This file is no text. If it is an archive, unpack it first and choose the list in it.",
    "not-a-ledger": "This file is no saved account. Nothing was changed.",
    "over-cap": ({ cost, before, cap }: Facts): string =>
      `This would tell ε = ${cost}. With the ${before} used before it passes your limit of ${cap}. Nothing was drawn.`,
    "over-accepted": "This costs more than you accepted before. Nothing was drawn.",
    "no-new-epoch": "There is no new round. Nothing was changed.",
    unexpected: "Something went wrong in this page. Nothing is drawn twice; reload and try again.",
  } satisfies Record<TroubleKind, string | ((facts: Facts) => string)>,
};

export type Words = typeof en;
