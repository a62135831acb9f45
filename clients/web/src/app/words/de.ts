/** All that the page says, in German. */

import type { Words } from "./en.ts";

export const de: Words = {
  language: "Deutsch",
  title: "Mitmachen",
  steps: (at, of) => `${at} / ${of}`,
  next: "Weiter",
  back: "Zurück",
  again: "Noch einmal versuchen",
  working: "Einen Moment …",
  waiting: "Diese Seite arbeitet gerade in einem anderen Tab. Hier geht es weiter, sobald sie dort fertig ist.",
  servedBy: (server, digest) =>
    `Diese Seite kommt von ${server}, und wer diesen Server betreibt, könnte eine andere schicken. Wenn du dem nicht traust, nimm das Programm „graphldp client“. Prüfsumme des Programms dieser Seite: ${digest}; „graphldp client verify-web“ vergleicht sie mit der veröffentlichten.`,
  play: "Mit erfundenen Leuten ausprobieren",
  yourCommunities: "Deine Gemeinschaften",

  inquiry: {
    operator: "Wer fragt",
    purpose: "Wozu",
    contact: "Kontakt",
    own: "Diese Angaben stammen von denen, die fragen.",
    nobody: "Hier steht nicht, wer fragt, wozu und an wen du schreiben kannst. Frag die Leute, von denen du den Link hast, bevor du weitermachst.",
    ask: (operator, contact) => `Fragen kannst du: ${operator}, ${contact}`,
  },

  welcome: {
    you: (name) => `Du bist ${name}. Wenn nicht, brich hier ab: Der Link gehört jemand anderem.`,
    compare: "Mit anderen vergleichen",
    members: (count) => `${count} Mitglieder, auf dem Server `,
    digest: (digest) =>
      `Alle Mitglieder einer ehrlichen Gemeinschaft sehen denselben Code: ${digest}. Liest dir jemand einen anderen vor, hat man euch verschiedene Mitgliederlisten gezeigt. Brich dann ab.`,
  },

  leaves: {
    number: "Du wirst gefragt, wie viele Mitglieder deine Freunde sind. Deine Liste bleibt hier. Gesendet wird nur eine unscharfe Zahl.",
    numbers: "Du wirst gefragt, wie viele Mitglieder deine Freunde sind, und vielleicht später, wie viele davon selbst viele Freunde haben. Deine Liste bleibt hier. Gesendet werden nur unscharfe Zahlen.",
    groups: (count) =>
      `Du wirst gefragt, wie viele deiner Freunde in jeder von ${count} Gruppen sind. Deine Liste bleibt hier: Gesendet werden nur ${count} unscharfe Zahlen, eine je Gruppe, und kein Name.`,
    hubs: (from) =>
      `Du wirst gefragt, wie viele Mitglieder deine Freunde sind. Deine Liste bleibt hier: Gesendet wird eine unscharfe Zahl; ist sie ${from} oder größer, auch Namen: von Freunden und, durch Zufall, von Fremden.`,
    list: "Du wirst gefragt, wer deine Freunde sind. Deine Liste bleibt hier. Gesendet wird eine unscharfe Kopie: Zufällig fehlen darin Freunde, und Fremde kommen dazu.",
    orPublic: "Nur wenn du es auf der nächsten Seite so wählst, wird deine Liste selbst gesendet.",
    listAndNumber: "Du wirst gefragt, wer deine Freunde sind und wie viele. Deine Liste bleibt hier. Gesendet werden eine unscharfe Zahl und eine unscharfe Kopie: Zufällig fehlen darin Freunde, und Fremde kommen dazu.",
  },

  keeping: {
    noEnd: "auf unbestimmte Zeit",
    days: (count, shown) => (count === 1 ? "einen Tag lang" : `${shown} Tage lang`),
    modelsLonger: "was daraus gelernt wurde, darf länger benutzt werden",
    modelsToo: "was daraus gelernt wurde, wird auch gelöscht",
  },

  tells: {
    heading: "Was das verrät",
    choose: "Wähle, wie viel",
    levels: {
      veryPrivate: "Sehr privat",
      private: "Privat",
      fairlyPrivate: "Ziemlich privat",
      telling: "Verrät viel",
      veryTelling: "Verrät fast alles",
    },
    choice: (level, epsilon, name) => `${level}: ε = ${epsilon} („${name}“)`,
    publicChoice: (name) => `Verbirgt nichts: deine Liste, wie sie ist („${name}“)`,
    tooMuch: "mehr, als du früher zugelassen hast",
    one: (before, after, both) =>
      `Wer vorher eine Wahrscheinlichkeit von ${before} dafür annimmt, dass ein Mitglied mit dir befreundet ist, nimmt durch deinen Bericht höchstens ${after} an, zusammen mit dem Bericht dieses Mitglieds (bei gleichem ε) höchstens ${both}.`,
    groupSure: (size) => `Ob ${size} Leute alle deine Freunde sind oder keiner von ihnen, kann dein Bericht fast sicher verraten.`,
    group: (size, before, after) =>
      `Wer vorher eine Wahrscheinlichkeit von ${before} dafür annimmt, dass ${size} Leute alle deine Freunde sind statt keiner von ihnen, nimmt danach höchstens ${after} an.`,
    epsilon: (level, epsilon) => `${level} (ε = ${epsilon}).`,
    groups: (names) =>
      `Die Gruppen sind: ${names}. Jedes Mitglied sieht, wer in welcher ist. Jeder Freund ist in nur einer Gruppe; darum gilt die Grenze unten für alle Zahlen zusammen.`,
    dealt: "Die Gruppen werden ausgelost, und niemand kann das Los beeinflussen: Es folgt aus der Adresse der Gemeinschaft, der Runde und den Namen, und diese Seite hat es geprüft. Jeder Freund ist in nur einer Gruppe; darum gilt die Grenze unten für alle Zahlen zusammen.",
    single: (names) =>
      `In manchen Gruppen ist außer dir nur eine Person: ${names}. Die Zahl einer solchen Gruppe sagt etwas über diese eine Person. Die Grenze unten gilt auch für sie.`,
    hubCounts: {
      from: (count) =>
        `Ist deine unscharfe Zahl ${count} oder größer, bekommst du später eine zweite Frage: wie viele deiner Freunde selbst viele Freunde haben. Die Grenze unten gilt für beide Antworten zusammen.`,
      everybody:
        "Fast alle bekommen hier eine zweite Frage, auch wer keine Freunde hat: wie viele der eigenen Freunde selbst viele Freunde haben. Die Grenze unten gilt für beide Antworten zusammen.",
    },
    hubLists: {
      from: (count) =>
        `Ist deine unscharfe Zahl ${count} oder größer, nennt dein Bericht auch Personen: Freunde und, durch Zufall, Fremde. Die Grenze unten gilt für alles zusammen.`,
      everybody:
        "Fast jeder Bericht nennt hier Personen, auch der von Leuten ohne Freunde: Freunde und, durch Zufall, Fremde. Die Grenze unten gilt für alles zusammen.",
    },
    closedPairs:
      "Später bekommen alle eine zweite Frage: wie viele Paare deiner Freunde miteinander befreundet sind, nach den unscharfen Listen aller. Dafür bekommt jedes Mitglied die unscharfen Listen aller, auch deine, und niemand kann sie zurückholen. Die Grenze unten gilt für alles zusammen.",
    public: "Diese Wahl verbirgt nichts. Sie schickt deine Liste, wie sie ist: Wer sie liest, kennt deine Freunde hier.",
    hidden: "Nicht verborgen bleibt, dass die Antwort von dir kommt, was du hier wählst, deine Internetadresse und, auf etwa eine Minute genau, wann du sendest.",
  },

  friends: {
    heading: "Wer sind deine Freunde?",
    lead: "Noch wird nichts gesendet.",
    drop: "Datei hierher ziehen oder auswählen",
    formats: "Von Mastodon, von Bluesky oder mit einem Namen pro Zeile",
    where: "Wo ist die Datei bei Mastodon?",
    path: "Auf der Website deines Servers, nicht in der App: Einstellungen → Importieren und exportieren → Exportieren, dort CSV neben den Konten, denen du folgst. Die Datei heißt following_accounts.csv.",
    search: "Oder Mitglieder suchen und ankreuzen",
    more: "Es gibt noch mehr. Tippe einen Teil des Namens.",
    nobody: "Kein Mitglied heißt so.",
    found: (found, total) => `${found} deiner ${total} Freunde sind Mitglieder.`,
    ticked: (count) => `Du hast ${count} angekreuzt.`,
    none: (total) => `0 deiner ${total} Freunde sind Mitglieder.`,
    noneHelp: "Ist es die richtige Datei? Nimm eine andere oder kreuze unten Namen an. Wenn du hier wirklich keine Freunde hast, kreuze das an.",
    noneReally: "Ich habe in dieser Gemeinschaft keine Freunde",
    causes: {
      empty: "Die Datei enthält keine Namen.",
      columns: "Ihre Zeilen sehen nach mehreren Spalten aus, mit Semikolon oder Tabulator dazwischen. Nimm Kommas oder einen Namen pro Zeile.",
      "another-network": "Kein Name ist der eines Mitglieds. Gehört die Datei zu einem anderen Konto oder Netzwerk?",
    },
    hosts: (count) =>
      `Bis auf den Teil nach dem @ würden ${count} weitere passen: Eine Seite schreibt name@host, die andere nur name oder einen anderen Host.`,
  },

  example: {
    heading: "Beispiel",
    lead: "Ada gibt es nicht, und ihre Freunde auch nicht. Das würde ihren Browser verlassen:",
    again: "Noch einmal würfeln",
    note: "Für Ada darfst du würfeln, so oft du willst. Dein Bericht wird nur einmal ausgewürfelt.",
  },

  people: {
    legend: "Legende",
    kept: "befreundet, genannt",
    lost: "befreundet, weggelassen",
    fake: "fremd, genannt",
    none: (count) => `und ${count} Fremde, weggelassen`,
    names: (people) => `Der Bericht nennt ${people}.`,
    told: (count) => `Der Bericht sagt: „etwa ${count} Freunde“.`,
    toldInGroup: (name, told) => `${name}: „etwa ${told}“.`,
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
      (told === truth ? "Das ist die wahre Zahl." : `Die wahre Zahl ist ${truth}; der Zufall hat sie verändert.`),
    named: (people, kept, fake) => `Der Bericht nennt ${people}: ${kept} und ${fake}.`,
    persons: (count, shown) => (count === 1 ? "eine Person" : `${shown} Personen`),
    friendsCount: (count, shown) => (count === 1 ? "einen Freund" : `${shown} Freunde`),
    strangers: (count, shown) => (count === 1 ? "einen Fremden" : `${shown} Fremde`),
    hubs: (from) => `Ein Bericht, der ${from} oder mehr sagt, nennt auch Personen, manche davon durch Zufall.`,
  },

  agree: {
    heading: "Bist du einverstanden?",
    list: (count, names) => `Deine Freunde hier (${count}): ${names}.`,
    empty: "Deine Liste ist leer: Du berichtest, dass du hier keine Freunde hast.",
    more: (count) => `und ${count} weitere`,
    step: "Dein Bericht wird dann ausgewürfelt und gesendet, einmal, innerhalb von etwa einer Minute.",
    listGoes: "Dieser Browser bewahrt ihn auf, deine Liste aber nicht.",
    listIsReport: "Der Bericht bleibt in diesem Browser, und er ist deine Liste.",
    listWaits: "Dieser Browser bewahrt ihn auf. Bekommst du eine zweite Frage, behält er auch deine Liste, bis du geantwortet hast oder sagst, dass du nicht antwortest. Wann die Frage kommt, kann dir heute niemand sagen.",
    listWaitsUntil: (day) =>
      `Dieser Browser bewahrt ihn auf, und für die zweite Frage auch deine Liste: bis du sie beantwortet hast oder sagst, dass du nicht antwortest, und höchstens bis zum ${day}.`,
    once: "Benutze kein privates Fenster und kein zweites Gerät.",
    back: (kept) =>
      `Aufbewahrt werden Berichte ${kept}. Du kannst deinen zurücknehmen, aber nicht aus früheren Sicherungskopien, Exporten oder Modellen.`,
    cost: (after, cap) => `Damit hast du ε = ${after} von ${cap} verbraucht.`,
    publicCost: "Dein Bericht veröffentlicht diese Liste, wie sie ist. Nichts schützt sie.",
    refusal: "Bei einem Nein sieht die Gemeinschaft, dass kein Bericht kam. Sagst du wegen deiner Liste nein, verrät das etwas über sie.",
    yes: "Zustimmen und senden",
    no: "Nein, danke",
  },

  declined: {
    heading: "Du hast nein gesagt",
    shown: "Es wurde nichts ausgewürfelt und nichts gesendet. Die Gemeinschaft sieht, dass dein Link geöffnet wurde und kein Bericht kam. Der Link gilt weiter, falls du ihn später benutzen willst.",
  },

  sending: {
    line: "Dein Bericht wird innerhalb von etwa einer Minute gesendet, zu einem zufälligen Zeitpunkt: Ob du für deine Liste ein paar Sekunden länger gebraucht hast, ist daran kaum zu erkennen; viele Minuten schon. Lass diese Seite offen. Wenn du sie schließt, wird nichts zweimal ausgewürfelt: Öffne sie wieder, und sie schickt denselben Bericht.",
    failed: "Dein Bericht ist ausgewürfelt und in diesem Browser gespeichert. Gesendet ist er noch nicht.",
    again: "Denselben Bericht noch einmal senden",
  },

  receipt: {
    heading: "Das wurde gesendet",
    thanks: "Der Server hat deinen Bericht.",
    bytes: (size) => `Die ${size} Bytes`,
    save: "Speichern, was gesendet wurde",
    later: "Speichere deinen Link, um den Bericht auch von einem anderen Gerät zurückzunehmen.",
    saveLink: "Meinen Link speichern",
    listGone: "Das siehst du nur jetzt: Deine Liste wird nicht aufgehoben.",
    listNotKept: "Deine Liste ist in diesem Browser nicht aufgehoben. Darum steht hier nicht mehr, was wahr und was Zufall ist.",
    listWaits: "Deine Liste bleibt in diesem Browser, bis du die zweite Frage beantwortet hast oder unter „Deine Gemeinschaften“ sagst, dass du nicht antwortest.",
    asked: "Mit deiner unscharfen Freundeszahl bekommst du noch eine Frage, wenn die anderen berichtet haben. Sie kostet nichts zusätzlich.",
    allAsked: "Du bekommst noch eine Frage, wenn die anderen berichtet haben. Sie kostet nichts zusätzlich.",
  },

  home: {
    heading: "Deine Gemeinschaften",
    none: "Du bist noch in keiner Gemeinschaft. Du brauchst einen Link: Wer deine Gemeinschaft betreibt, schickt dir einen. Öffne ihn in diesem Browser.",
    spent: (spent, cap) => `Bisher verbraucht, in allen Gemeinschaften dieses Servers zusammen: ε = ${spent} von ${cap}.`,
    states: {
      joined: "Du hast noch nicht berichtet.",
      charged: "Du warst einverstanden, aber die Seite wurde geschlossen, bevor etwas ausgewürfelt war. Nichts wurde gesendet.",
      drawn: "Dein Bericht ist ausgewürfelt und hier gespeichert. Der Server hat ihn nicht bestätigt.",
      sent: "Der Server hat deinen Bericht.",
      withdrawn: "Du hast deinen Bericht zurückgenommen. Der Server hat noch nicht bestätigt, dass er ihn gelöscht hat.",
      deleted: "Du hast deinen Bericht zurückgenommen, und der Server hat ihn gelöscht.",
    },
    continue: "Weiter",
    send: "Denselben Bericht noch einmal senden",
    check: "Nachsehen, ob der Server ihn noch hat",
    checked: "Der Server hat deinen Bericht.",
    show: "Zeigen, was gesendet wurde",
    look: "Nach einer neuen Runde sehen",
    nothingNew: "Nichts Neues. Es gibt keine neue Runde.",
    answer: "Die zweite Frage beantworten",
    answerWhy: "Du wirst gefragt, wie viele deiner Freunde selbst viele Freunde haben. Der Browser zählt sie und fügt Rauschen hinzu, das zusammen mit deinem Bericht ausgewürfelt wurde. Es kostet nichts zusätzlich und geschieht einmal.",
    answerPairsWhy: "Du wirst gefragt, wie viele Paare deiner Freunde miteinander befreundet sind. Der Browser zählt sie nach den unscharfen Listen aller und fügt Rauschen hinzu, das zusammen mit deinem Bericht ausgewürfelt wurde. Es kostet nichts zusätzlich und geschieht einmal.",
    declineWhy: "Bis dahin bleibt deine Liste in diesem Browser. Du darfst die Frage offen lassen: Dann wird die Liste hier gelöscht. Wenn du das davon abhängig machst, wer darauf steht, erfährt die Gemeinschaft etwas über die Liste.",
    decline: "Nicht antworten und meine Liste löschen",
    answered: (code) =>
      `Du hast die zweite Frage beantwortet. Ihr Code, der in einer ehrlichen Gemeinschaft für alle Mitglieder gleich ist: ${code}.`,
    forget: "Vergessen",
    forgetWhy: "Das löscht deinen Link, deinen Bericht und, falls sie noch auf eine Frage wartet, deine Liste aus diesem Browser. Gesendetes ruft es nicht zurück. In dieser Runde kannst du nicht noch einmal berichten.",
    forgetYes: (name) => `${name} in diesem Browser vergessen`,
    withdraw: "Meinen Bericht zurücknehmen",
    withdrawWhy: "Der Server löscht, was du geschickt hast, in allen Runden, und nimmt nichts anderes dafür an. Ganz ungeschehen wird es nicht: Frühere Sicherungskopien enthalten deinen Bericht, bis sie gelöscht werden, exportierte Dateien bleiben, wie sie sind, und was ein Modell daraus gelernt hat, bleibt im Modell. Dein ε bleibt verbraucht: Der Bericht wurde gesehen. Die Gemeinschaft sieht, dass du ihn zurücknimmst. Tust du es wegen seines Inhalts, erfährt sie etwas über deine Liste.",
    withdrawYes: (name) => `Meinen Bericht an ${name} löschen lassen`,
    ledger: "Deine Grenze und andere Geräte",
    cap: "Deine Grenze (ε, alle Gemeinschaften zusammen)",
    setCap: "Grenze setzen",
    ledgerWhy: "Ein anderer Browser oder das Programm „graphldp client“ weiß nicht, was du hier verbraucht hast. Speichere hier die Aufstellung und füge sie dort hinzu, oder umgekehrt.",
    export: "Aufstellung speichern",
    add: "Gespeicherte Aufstellung hinzufügen",
    added: "Hinzugefügt.",
    forgotten: (community) => `${community} (hier vergessen)`,
    cleared: "Löschst du die Daten dieses Browsers, sind deine Berichte und diese Aufstellung hier weg. Was gesendet wurde, bleibt bei den Servern.",
  },

  renewal: {
    heading: "Die Gemeinschaft hat sich geändert",
    lead: (epoch) => `Sie sammelt jetzt in Runde ${epoch}. Das ist anders:`,
    nothing: "Sonst ist nichts anders.",
    cost: "Ein neuer Bericht kostet wieder sein volles ε, zusätzlich zu dem, was du verbraucht hast.",
    yes: "Bei der neuen Runde mitmachen",
    no: "Alles lassen, wie es ist",
    what: {
      name: "Name",
      operator: "Wer fragt",
      purpose: "Wozu",
      contact: "An wen du schreiben kannst",
      users: "Mitglieder",
      you: "Du bist",
      mechanism: "Wie Berichte entstehen",
      asks: "Ab so vielen Freunden noch einmal gefragt",
      until: "Listen warten auf eine zweite Frage bis",
      choices: "Angebote",
      kept: "Berichte werden aufbewahrt",
      joined: "Neue Mitglieder",
      left: "Keine Mitglieder mehr",
      groups: "Gruppen, nach denen Freunde gezählt werden",
      regrouped: "Mitglieder in einer anderen Gruppe",
      dealt: "Gruppen werden jetzt ausgelost",
      chosen: "Gruppen werden nicht mehr ausgelost",
      moved: "Mitglieder unter anderer Nummer",
    },
    was: (was) => `vorher: ${was}`,
  },

  trouble: {
    "no-crypto": "Dieser Browser kann nicht sicher würfeln, oder die Seite kam nicht über https. Nimm einen aktuellen Browser und die https-Adresse.",
    "no-storage": "Dieser Browser lässt die Seite nichts aufheben, also könnte ein Bericht zweimal ausgewürfelt werden. Erlaube Websitedaten oder nimm ein normales Fenster.",
    "no-locks": "Dieser Browser ist zu alt, um zwei Tabs auseinanderzuhalten. Nimm einen aktuellen.",
    "storage-full": "Es ist kein Platz mehr, um deinen Bericht aufzuheben. Schaff Platz und versuch es noch einmal; nichts ist verloren.",
    "storage-failed": "Der Browser konnte deinen Bericht nicht aufheben. Schließ andere Tabs dieser Seite und versuch es noch einmal; nichts ist verloren.",
    "shared-address": "Diese Webadresse wird auch für etwas anderes benutzt, das lesen könnte, was diese Seite aufhebt. Nichts wird geöffnet oder ausgewürfelt. Bitte die Leute, die deine Gemeinschaft betreiben, um eine eigene Adresse für diese Seite, oder nimm das Programm „graphldp client“.",
    "held-page": "Eine andere Seite hat diese geöffnet oder zeigt sie in einem Rahmen. Kopiere deinen Link und öffne ihn in einem eigenen Tab.",
    "other-program": "Ein Teil dieser Seite ließ sich nicht laden oder ist nicht der, der zu ihr gehört. Lade die Seite neu. Hilft das nicht, leere den Cache dieses Browsers und sag es den Leuten, die deine Gemeinschaft betreiben.",
    damaged: "Was dieser Browser gespeichert hat, ist beschädigt. Es wird nichts ausgewürfelt oder gesendet. Frag die Leute, die deine Gemeinschaft betreiben.",
    "no-link": "Diese Seite braucht deinen Link. Öffne den, den man dir geschickt hat.",
    "bad-link": "Dieser Link ist nicht vollständig. Kopiere ihn ganz, auch was nach dem # steht.",
    "refused-link": "Der Server nimmt diesen Link nicht an. Vielleicht ist er falsch abgeschrieben, durch einen neueren ersetzt oder zurückgezogen. Bitte um einen neuen.",
    "used-link": "Dieser Link wurde schon benutzt: Der Server hat einen Bericht von dir, von einem anderen Gerät oder aus der Zeit, bevor dieser Browser geleert wurde. Ein zweiter wird nie ausgewürfelt.",
    forgotten: "Für diese Runde wurde schon ein Bericht ausgewürfelt und hier vergessen, oder auf einem anderen Gerät. Ein zweiter wird nie ausgewürfelt.",
    "other-community": "Der Server hat mit einer anderen Gemeinschaft geantwortet als der im Link. Nichts wurde ausgewürfelt.",
    "bad-community": "Was die Gemeinschaft veröffentlicht, ergibt keinen Sinn. Nichts wurde ausgewürfelt. Sag es den Leuten, die sie betreiben.",
    changed: "Die Gemeinschaft hat sich geändert, seit dir das gezeigt wurde, vielleicht in einem anderen Tab. Nichts wurde ausgewürfelt. Lade die Seite neu und sieh noch einmal nach.",
    unreached: "Der Server wurde nicht erreicht. Prüf deine Verbindung und das Datum deines Geräts: Sichere Verbindungen scheitern, wenn es falsch ist. Nichts ist verloren; versuch es noch einmal.",
    "busy-server": "Der Server hat zu viel zu tun. Nichts ist verloren; versuch es später noch einmal.",
    "odd-answer": "Die Antwort kam nicht von einem Server dieser Art. Nichts ist verloren; versuch es später noch einmal.",
    closed: "Die Gemeinschaft nimmt keine Berichte mehr an. Deiner wurde nicht angenommen.",
    "epoch-over": "Die Runde, für die dein Bericht ausgewürfelt wurde, ist vorbei. Er wurde nicht angenommen. Sieh unten nach einer neuen Runde.",
    "slot-taken": "Der Server hat einen anderen Bericht von dir, von einem anderen Gerät. Der erste zählt.",
    deleted: "Dein Bericht wurde zurückgenommen oder gelöscht. Der Server nimmt für diese Runde keinen anderen an.",
    withdrawn: "Du hast diesen Bericht zurückgenommen. Er wird nicht wieder gesendet, und für diese Runde wird kein anderer ausgewürfelt.",
    "refused-report": "Der Server hat ihn nicht angenommen. Sag es den Leuten, die die Gemeinschaft betreiben.",
    "not-asked-yet": "Die Frage ist noch nicht da. Komm wieder, wenn die anderen berichtet haben.",
    "not-asked": "Dein Bericht ist vollständig. Du bekommst keine zweite Frage.",
    "answer-taken": "Der Server hat eine andere Antwort von dir. Die erste zählt.",
    "not-sent-yet": "Erst muss dein Bericht gesendet sein.",
    "answered-before": "Für diesen Bericht wurde schon eine Frage beantwortet. Eine zweite wird nie beantwortet.",
    "list-deleted": "Deine Liste ist hier nicht mehr aufgehoben, also kann die Frage nicht beantwortet werden.",
    "not-a-list": "Diese Datei ist keine Liste von Namen. Nimm eine Text-, CSV- oder JSON-Datei.",
    "not-text": "Diese Datei ist kein Text. Ist sie ein Archiv, dann entpack es zuerst und nimm die Liste darin.",
    "not-a-ledger": "Diese Datei ist keine gespeicherte Aufstellung. Nichts wurde geändert.",
    "over-cap": ({ cost, before, cap }) =>
      `Das würde ε = ${cost} verraten. Mit den ${before} von vorher ginge es über deine Grenze ${cap}. Nichts wurde ausgewürfelt.`,
    "over-accepted": "Das kostet mehr, als du früher akzeptiert hast. Nichts wurde ausgewürfelt.",
    "no-new-epoch": "Es gibt keine neue Runde. Nichts wurde geändert.",
    unexpected: "Auf dieser Seite ist etwas schiefgegangen. Nichts wird zweimal ausgewürfelt; lade sie neu und versuch es noch einmal.",
  },
};
