/** All that the page says, in German. */

import type { Words } from "./en.ts";

export const de: Words = {
  language: "Deutsch",
  title: "Mitmachen",
  steps: (at, of) => `Schritt ${at} von ${of}`,
  next: "Weiter",
  back: "Zurück",
  again: "Noch einmal versuchen",
  working: "Einen Moment …",
  waiting: "Diese Seite arbeitet gerade in einem anderen Tab. Hier geht es weiter, sobald sie dort fertig ist.",
  servedBy: (server, digest) =>
    `Diese Seite kam von ${server}. Prüfsumme ihres Programms: ${digest}. „graphldp client verify-web“ vergleicht sie mit der veröffentlichten.`,
  play: "Mit erfundenen Leuten ausprobieren",
  yourCommunities: "Deine Gemeinschaften",

  welcome: {
    lead: "Diese Gemeinschaft möchte wissen, was für eine Gemeinschaft sie ist. Sie bittet ihre Mitglieder um Hilfe. Wer deine Freunde sind, will sie nicht wissen.",
    stays: "Die Liste deiner Freunde bleibt in diesem Browser. Der Browser würfelt und macht eine unscharfe Kopie. Nur die Kopie geht hinaus.",
    server: "Server",
    members: "Mitglieder",
    you: "Du bist",
    kept: "Berichte werden aufbewahrt",
    notYou: "Wenn du das nicht bist, hör hier auf: Der Link gehört jemand anderem.",
    compare: "Mit einem anderen Mitglied vergleichen",
    digest: (digest) =>
      `Alle Mitglieder einer ehrlichen Gemeinschaft sehen denselben Code: ${digest}. Liest ein anderes Mitglied einen anderen vor, hat man euch verschiedene Mitgliederlisten gezeigt. Mach dann nicht weiter.`,
  },

  keeping: {
    noEnd: "ohne zugesagtes Ende",
    days: (count, shown) => (count === 1 ? "einen Tag lang" : `${shown} Tage lang`),
    modelsLonger: "was daraus gelernt wurde, darf länger benutzt werden",
    modelsToo: "was daraus gelernt wurde, wird auch gelöscht",
  },

  tells: {
    heading: "Wie viel verrät dein Bericht?",
    choose: "Wähle, wie viel",
    choice: (name, epsilon) => `${name}: ε = ${epsilon}`,
    publicChoice: (name) => `${name}: deine Liste, wie sie ist`,
    tooMuch: "mehr, als du früher angenommen hast",
    one: (before, after) =>
      `Nimm ein anderes Mitglied. Jemand hält es für ${before} wahrscheinlich, dass ihr befreundet seid. Nach deinem Bericht kann er es für höchstens ${after} wahrscheinlich halten.`,
    epsilon: (epsilon, factor) =>
      `Diese Grenze heißt ε (sprich „Epsilon“). Hier ist sie ${epsilon}: Die Chancen ändern sich höchstens um den Faktor ${factor}, jetzt und später, auf jedem Rechner. Kleiner ist privater.`,
    group: (size, factor) =>
      `Freundschaften, die nur zusammen bestehen, zählen zusammen. Weiß jemand, dass ${size} Leute entweder alle deine Freunde sind oder keiner, dann ist der Faktor ${factor}.`,
    groups: (count, names) =>
      `Gefragt wird, wie viele deiner Freunde in jeder von ${count} Gruppen sind: ${names}. Diesen Browser verlässt je Gruppe eine unscharfe Zahl, und kein Name. Jedes Mitglied sieht, wer in welcher Gruppe ist. Ein Freund ist in einer Gruppe, also gilt die Grenze unten für alle Zahlen zusammen.`,
    nearlySure: "Bei diesem ε kann sich jemand, der deinen Bericht liest, einer Freundschaft fast sicher sein.",
    public: "Diese Wahl verbirgt nichts. Sie schickt deine Liste, wie sie ist: Wer sie liest, kennt deine Freunde hier.",
  },

  hidden: {
    heading: "Was nicht verborgen ist",
    lines: [
      "Dass du Mitglied bist und mitmachst.",
      "Wie viel du verraten willst.",
      "Wann du deinen Bericht schickst und von welcher Internetadresse.",
      "Jede Freundschaft steht in zwei Berichten, in deinem und in dem deines Freundes. Die beiden Faktoren multiplizieren sich.",
    ],
    page: (server) =>
      `Diese Seite kommt von ${server}. Wer sie betreibt, könnte eine andere schicken. Wenn du dem nicht traust, nimm stattdessen das Programm „graphldp client“.`,
  },

  once: {
    heading: "Es geschieht einmal",
    lines: [
      "Würde immer wieder gewürfelt, verschwände die Unschärfe im Mittel. Darum wird dein Bericht einmal gezogen. Kommt er nicht an, wird genau derselbe noch einmal geschickt.",
      "Er bleibt in diesem Browser. Löschst du die Daten des Browsers, ist er hier weg, und der Server hat ihn noch. Einen zweiten kannst du nicht schicken.",
      "Nimm kein privates Fenster: Es vergisst alles, wenn du es schließt. Nimm nur ein Gerät.",
      "Der Browser zählt, was du auf diesem Server gegeben hast. Was du anderswo gegeben hast, weiß er nur, wenn du es unter „Deine Gemeinschaften“ hinzufügst.",
    ],
  },

  friends: {
    heading: "Wer sind deine Freunde?",
    lead: "Gib eine Datei an oder kreuze Namen an. Alles wird hier nachgesehen; nichts wird gesendet.",
    drop: "Datei hierher ziehen oder auswählen",
    formats: "following_accounts.csv von Mastodon, eine Liste von Bluesky (JSON) oder eine Datei mit einem Namen je Zeile.",
    or: "Oder kreuze Namen an",
    search: "Ein Mitglied finden",
    more: "Es gibt noch mehr. Tippe einen Teil des Namens.",
    nobody: "Kein Mitglied heißt so.",
    found: (found, total) => `${found} deiner ${total} Freunde sind Mitglieder.`,
    ticked: (count) => `Du hast ${count} angekreuzt.`,
    none: (total) => `0 deiner ${total} Freunde sind Mitglieder.`,
    noneHelp: "Ist es die richtige Datei? Nimm eine andere oder kreuze unten Namen an. Hast du hier wirklich keine Freunde, dann sag es.",
    noneReally: "Ich habe in dieser Gemeinschaft keine Freunde",
    causes: {
      empty: "Die Datei enthält keine Namen.",
      columns: "Ihre Zeilen sehen nach mehreren Spalten aus, mit Semikolon oder Tabulator dazwischen. Nimm Kommas oder einen Namen je Zeile.",
      "another-network": "Kein Name ist der eines Mitglieds. Gehört die Datei zu einem anderen Konto oder Netzwerk?",
    },
    hosts: (count) =>
      `${count} weitere würden passen bis auf den Teil nach dem @: Eine Seite schreibt name@host, die andere nur name oder einen anderen Host.`,
  },

  example: {
    heading: "Wie so ein Bericht aussieht",
    lead: "Ada gibt es nicht, und ihre Freunde auch nicht. Das würde ihren Browser verlassen:",
    again: "Noch einmal würfeln",
    note: "Für Ada darfst du würfeln, so oft du willst. Deiner wird einmal gezogen.",
  },

  people: {
    legend: "Legende",
    kept: "befreundet, genannt",
    lost: "befreundet, weggelassen",
    fake: "fremd, genannt",
    none: (count) => `und ${count} Fremde, weggelassen`,
    said: (name, friend, listed) =>
      `${name}: ${friend ? "befreundet" : "fremd"}, ${listed ? "genannt" : "weggelassen"}`,
    colours: "Die Farben siehst nur du. Wer den Bericht liest, sieht, wer genannt ist, aber nicht, wer echt ist.",
    more: (count) => `… und ${count} weitere`,
    byGroup: "Der Bericht sagt, wie viele Freunde in jeder Gruppe sind:",
    inGroup: (name, told, truth) =>
      `${name}: „etwa ${told}“. ` + (told === truth ? "Das ist die wahre Zahl." : `Die wahre Zahl ist ${truth}.`),
    numberOnly: "Er nennt niemanden.",
    degree: (told, truth) =>
      `Der Bericht sagt: „etwa ${told} Freunde“. ` +
      (told === truth ? "Diesmal haben die Würfel die wahre Zahl gelassen." : `Die wahre Zahl ist ${truth}; Würfel haben sie verändert.`),
    named: (people, kept, fake) => `Der Bericht nennt ${people}: ${kept} und ${fake}.`,
    persons: (count, shown) => (count === 1 ? "eine Person" : `${shown} Personen`),
    friendsCount: (count, shown) => (count === 1 ? "einen Freund" : `${shown} Freunde`),
    strangers: (count, shown) => (count === 1 ? "einen Fremden" : `${shown} Fremde`),
    hubs: "Wenige Leute sehen aus, als hätten sie sehr viele Freunde. Ihr Bericht nennt auch Personen, manche davon durch Zufall.",
  },

  agree: {
    heading: "Bist du einverstanden?",
    list: (count, names) => `Deine Freunde hier (${count}): ${names}.`,
    empty: "Deine Liste ist leer: Du berichtest, dass du hier keine Freunde hast.",
    more: (count) => `und ${count} weitere`,
    cost: (epsilon, after, cap) =>
      `Dein Bericht verrät ε = ${epsilon}. Danach hast du ${after} von deiner Grenze ${cap} gegeben.`,
    publicCost: "Dein Bericht veröffentlicht diese Liste, wie sie ist. Nichts schützt sie.",
    kept: (how) => `Aufbewahrt werden Berichte ${how}.`,
    step: "Wenn du einverstanden bist, wird gewürfelt und gesendet, in einem Schritt. Danach siehst du, was hinausging. Dazwischen gibt es nichts zu entscheiden: Wer erst hinsieht und dann wählt, ob er sendet, verrät durch die Wahl etwas.",
    no: "Hör auf, wenn die Liste falsch ist. Hör nicht wegen der Leute auf ihr auf: Die Gemeinschaft sieht, dass du nicht berichtet hast, und das würde ihr etwas verraten.",
    yes: "Einverstanden: ziehen und senden",
  },

  sending: {
    line: "Das dauert ein, zwei Sekunden. Du kannst die Seite jederzeit schließen; nichts wird zweimal gezogen.",
    failed: "Dein Bericht ist gezogen und in diesem Browser aufgehoben. Gesendet ist er noch nicht.",
    again: "Denselben Bericht noch einmal senden",
  },

  receipt: {
    heading: "Das ging hinaus",
    thanks: "Danke. Der Server hat deinen Bericht.",
    bytes: (size) => `${size} Bytes, und keine anderen`,
    save: "Speichern, was hinausging",
    later: "Du musst nichts weiter tun. Merk dir die Adresse dieser Seite, wenn du später nachsehen oder deinen Bericht zurücknehmen willst.",
    asked: "Dein Bericht sieht aus wie der von jemandem mit sehr vielen Freunden. Wenn die anderen berichtet haben, bekommst du noch eine Frage. Sie kostet nichts zusätzlich.",
  },

  home: {
    heading: "Deine Gemeinschaften",
    none: "Du bist noch in keiner Gemeinschaft. Du brauchst einen Link: Wer deine Gemeinschaft betreibt, schickt dir einen. Öffne ihn in diesem Browser.",
    spent: (spent, cap) => `Bisher gegeben, in allen Gemeinschaften dieses Servers zusammen: ε = ${spent} von ${cap}.`,
    states: {
      joined: "Du hast noch nicht berichtet.",
      charged: "Du warst einverstanden, und die Seite wurde geschlossen, bevor etwas gezogen war. Nichts ging hinaus.",
      drawn: "Dein Bericht ist gezogen und hier aufgehoben. Der Server hat ihn nicht bestätigt.",
      sent: "Der Server hat deinen Bericht.",
      withdrawn: "Du hast deinen Bericht zurückgenommen. Der Server hat noch nicht bestätigt, dass er ihn gelöscht hat.",
      deleted: "Du hast deinen Bericht zurückgenommen, und der Server hat ihn gelöscht.",
    },
    continue: "Weiter",
    send: "Denselben Bericht noch einmal senden",
    check: "Nachsehen, ob der Server ihn noch hat",
    checked: "Der Server hat deinen Bericht.",
    show: "Zeigen, was hinausging",
    look: "Nach einer neuen Runde sehen",
    nothingNew: "Nichts Neues. Es gibt keine neue Runde.",
    answer: "Die zweite Frage beantworten",
    answerWhy: "Dein Bericht sieht aus wie der von jemandem mit sehr vielen Freunden. Du wirst gefragt, wie viele davon viel beschäftigt sind. Der Browser zählt sie und fügt Rauschen hinzu, das mit deinem Bericht gezogen wurde. Es kostet nichts zusätzlich und geschieht einmal.",
    answered: "Du hast die zweite Frage beantwortet.",
    forget: "Vergessen",
    forgetWhy: "Das löscht deine Liste, deinen Link und deinen Bericht aus diesem Browser. Gesendetes ruft es nicht zurück. In dieser Runde kannst du nicht noch einmal berichten.",
    forgetYes: (name) => `${name} in diesem Browser vergessen`,
    withdraw: "Meinen Bericht zurücknehmen",
    withdrawWhy: "Der Server löscht, was du geschickt hast, in allen Runden, und nimmt nichts anderes an seiner Stelle. Was ein Modell vorher daraus gelernt hat, bleibt im Modell, und was du gegeben hast, bleibt gezählt: Es wurde gesehen. Nimm ihn zurück, weil du nicht mehr mitmachen willst, nicht wegen dem, was darin steht: Die Gemeinschaft sieht es, und das würde ihr etwas verraten.",
    withdrawYes: (name) => `Meinen Bericht an ${name} löschen lassen`,
    ledger: "Deine Grenze und andere Geräte",
    cap: "Deine Grenze (ε, alle Gemeinschaften zusammen)",
    setCap: "Grenze setzen",
    ledgerWhy: "Ein anderer Browser oder das Programm „graphldp client“ weiß nicht, was du hier gegeben hast. Speichere hier das Konto und füge es dort hinzu, oder umgekehrt.",
    export: "Konto speichern",
    add: "Gespeichertes Konto hinzufügen",
    added: "Hinzugefügt.",
    forgotten: (community) => `${community} (hier vergessen)`,
    cleared: "Löschst du die Daten dieses Browsers, sind deine Berichte und dieses Konto hier weg. Was gesendet wurde, bleibt bei den Servern.",
  },

  renewal: {
    heading: "Die Gemeinschaft hat sich geändert",
    lead: (epoch) => `Sie sammelt jetzt in Runde ${epoch}. Das ist anders:`,
    nothing: "Sonst ist nichts anders.",
    cost: "Ein neuer Bericht kostet wieder sein volles ε, zusätzlich zu dem, was du gegeben hast.",
    yes: "Bei der neuen Runde mitmachen",
    no: "Alles lassen, wie es ist",
    what: {
      name: "Name",
      users: "Mitglieder",
      you: "Du bist",
      mechanism: "Wie Berichte gezogen werden",
      asks: "Ab so vielen Freunden noch einmal gefragt",
      choices: "Angebote",
      kept: "Berichte werden aufbewahrt",
      joined: "Neue Mitglieder",
      left: "Keine Mitglieder mehr",
      groups: "Gruppen, nach denen Freunde gezählt werden",
      regrouped: "Mitglieder in einer anderen Gruppe",
      moved: "Mitglieder unter anderer Nummer",
    },
    was: (was) => `vorher: ${was}`,
  },

  trouble: {
    "no-crypto": "Dieser Browser kann nicht sicher würfeln, oder die Seite kam nicht über https. Nimm einen aktuellen Browser und die https-Adresse.",
    "no-storage": "Dieser Browser lässt die Seite nichts aufheben, also könnte ein Bericht zweimal gezogen werden. Erlaube Websitedaten oder nimm ein normales Fenster.",
    "no-locks": "Dieser Browser ist zu alt, um zwei Tabs auseinanderzuhalten. Nimm einen aktuellen.",
    "storage-full": "Es ist kein Platz mehr, um deinen Bericht aufzuheben. Schaff Platz und versuch es noch einmal; nichts ist verloren.",
    "storage-failed": "Der Browser konnte deinen Bericht nicht aufheben. Schließ andere Tabs dieser Seite und versuch es noch einmal; nichts ist verloren.",
    damaged: "Was dieser Browser aufgehoben hat, ist beschädigt. Es wird nichts gezogen oder gesendet. Frag die Leute, die deine Gemeinschaft betreiben.",
    "no-link": "Diese Seite braucht deinen Link. Öffne den, den man dir geschickt hat.",
    "bad-link": "Dieser Link ist nicht vollständig. Kopiere ihn ganz, auch was nach dem # steht.",
    "refused-link": "Der Server nimmt diesen Link nicht an. Vielleicht ist er vertippt, durch einen neueren ersetzt oder zurückgezogen. Bitte um einen neuen.",
    "used-link": "Dieser Link wurde schon benutzt: Der Server hat einen Bericht von dir, von einem anderen Gerät oder bevor dieser Browser geleert wurde. Ein zweiter wird nie gezogen.",
    forgotten: "Für diese Runde wurde schon ein Bericht gezogen und hier vergessen, oder auf einem anderen Gerät. Ein zweiter wird nie gezogen.",
    "other-community": "Der Server hat mit einer anderen Gemeinschaft geantwortet als der im Link. Nichts wurde gezogen.",
    "bad-community": "Was die Gemeinschaft veröffentlicht, ergibt keinen Sinn. Nichts wurde gezogen. Sag es den Leuten, die sie betreiben.",
    changed: "Die Gemeinschaft hat sich geändert, seit dir das gezeigt wurde, vielleicht in einem anderen Tab. Nichts wurde gezogen. Lade die Seite neu und sieh noch einmal nach.",
    unreached: "Der Server wurde nicht erreicht. Prüf deine Verbindung und das Datum deines Geräts: Sichere Verbindungen scheitern, wenn es falsch ist. Nichts ist verloren; versuch es noch einmal.",
    "busy-server": "Der Server hat zu viel zu tun. Nichts ist verloren; versuch es später noch einmal.",
    "odd-answer": "Die Antwort kam nicht von einem Server dieser Art. Nichts ist verloren; versuch es später noch einmal.",
    closed: "Die Gemeinschaft nimmt keine Berichte mehr an. Deiner wurde nicht angenommen.",
    "epoch-over": "Die Runde, für die dein Bericht gezogen wurde, ist vorbei. Er wurde nicht angenommen. Sieh unten nach einer neuen Runde.",
    "slot-taken": "Der Server hat einen anderen Bericht von dir, von einem anderen Gerät. Der erste zählt.",
    deleted: "Dein Bericht wurde zurückgenommen oder gelöscht. Der Server nimmt für diese Runde keinen anderen an.",
    withdrawn: "Du hast diesen Bericht zurückgenommen. Er wird nicht wieder gesendet, und für diese Runde wird kein anderer gezogen.",
    "refused-report": "Der Server hat ihn nicht angenommen. Sag es den Leuten, die die Gemeinschaft betreiben.",
    "not-asked-yet": "Die Frage ist noch nicht da. Komm wieder, wenn die anderen berichtet haben.",
    "not-asked": "Dein Bericht ist vollständig. Du bekommst keine zweite Frage.",
    "answer-taken": "Der Server hat eine andere Antwort von dir. Die erste zählt.",
    "not-sent-yet": "Erst muss dein Bericht gesendet sein.",
    "answered-before": "Für diesen Bericht wurde schon eine Frage beantwortet. Eine zweite wird nie beantwortet.",
    "not-a-list": "Diese Datei ist keine Liste von Namen. Nimm eine Text-, CSV- oder JSON-Datei.",
    "not-text": "Diese Datei ist kein Text. Ist sie ein Archiv, dann entpack es zuerst und nimm die Liste darin.",
    "not-a-ledger": "Diese Datei ist kein gespeichertes Konto. Nichts wurde geändert.",
    "over-cap": ({ cost, before, cap }) =>
      `Das würde ε = ${cost} verraten. Mit den ${before} von vorher ginge es über deine Grenze ${cap}. Nichts wurde gezogen.`,
    "over-accepted": "Das kostet mehr, als du früher angenommen hast. Nichts wurde gezogen.",
    "no-new-epoch": "Es gibt keine neue Runde. Nichts wurde geändert.",
    unexpected: "In dieser Seite ist etwas schiefgegangen. Nichts wird zweimal gezogen; lade sie neu und versuch es noch einmal.",
  },
};
