"use strict";
// The community is invented here. Nothing on this page takes a list, and nothing leaves it.

const byId = (id) => document.getElementById(id);

const SETTINGS = byId("controls").dataset;
const OTHERS = Number(SETTINGS.others);
const HUB_FROM = Number(SETTINGS.hubFrom);
const LISTS_ABOVE = Number(SETTINGS.listsAbove);
const SHARE = Number(SETTINGS.share); // of ε, on the degree of who sends a list
const PEOPLE = {
  ada: { name: "Ada", friends: new Set([2, 7, 11, 19, 23, 24, 31, 38, 44, 52]) },
  bea: { name: "Bea", friends: new Set([...Array(OTHERS).keys()].filter((other) => other % 9 !== 1).slice(0, 90)) },
};
const PRIORS = [0.01, 0.1, 0.5]; // as the client has them
const GROUP = 10;
const LANGUAGE = document.documentElement.lang;
const percent = (p, digits = 1) =>
  p.toLocaleString(LANGUAGE, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
const number = (x) => (x >= 1000 ? Math.round(x) : Number(x.toPrecision(4))).toLocaleString(LANGUAGE, { maximumFractionDigits: 4 });
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const WORDS = {
  en: {
    person: (at, friend, sent) => `Person ${at}: ${friend ? "a friend" : "a stranger"}, ${sent ? "reported" : "left out"}`,
    has: (name, count) => `${name} has ${count} friends.`,
    nobody: "Her report names nobody.",
    names: (people, real, false_) =>
      `Her report names ${plural(people, "person", "people")}: ${plural(real, "friend", "friends")} and ${plural(false_, "stranger", "strangers")}.`,
    says: (degree) => ` It says that she has ${degree} friends: the true number plus noise.`,
    hub: " It says that she looks like a hub, so it holds a list as well.",
    limit: (name) => `What somebody can think of one given person being ${name}’s friend, who knows the other friendships or holds them to be independent of it:`,
    becomes: (prior, low, high) => `${prior} likely beforehand becomes ${low} to ${high} likely.`,
    group: (size, low, high) => `If ${size} people are all friends or none is, 10% can become anything from ${low} to ${high}.`,
    listing: (listed, unlisted) => `In this report being listed changes a person’s odds by ${listed}, not being listed by ${unlisted}.`,
    degree: (factor) => ` The number of friends changes them as well, by up to ${factor}.`,
  },
  de: {
    person: (at, friend, sent) => `Person ${at}: ${friend ? "befreundet" : "fremd"}, ${sent ? "genannt" : "weggelassen"}`,
    has: (name, count) => `${name} hat ${count} Freunde.`,
    nobody: "Ihr Bericht nennt niemanden.",
    names: (people, real, false_) =>
      `Ihr Bericht nennt ${plural(people, "Person", "Personen")}: ${plural(real, "Freund", "Freunde")} und ${plural(false_, "Fremden", "Fremde")}.`,
    says: (degree) => ` Er sagt, dass sie ${degree} Freunde hat: die wahre Zahl plus Rauschen.`,
    hub: " Er sagt, dass sie wie ein Knotenpunkt aussieht, und enthält darum auch eine Liste.",
    limit: (name) => `Was jemand davon halten kann, dass eine bestimmte Person mit ${name} befreundet ist, wenn er die anderen Freundschaften kennt oder für unabhängig davon hält:`,
    becomes: (prior, low, high) => `Aus ${prior} vorher werden ${low} bis ${high}.`,
    group: (size, low, high) => `Sind ${size} Leute entweder alle befreundet oder alle nicht, kann aus 10 % alles von ${low} bis ${high} werden.`,
    listing: (listed, unlisted) => `Wer in diesem Bericht steht, dessen Chancen ändern sich um den Faktor ${listed}, wer nicht darin steht, um ${unlisted}.`,
    degree: (factor) => ` Auch die Zahl der Freunde ändert sie, um bis zu ${factor}.`,
  },
}[LANGUAGE];

function uniform() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return (words[0] * 2 ** 21 + (words[1] >>> 11) + 0.5) / 2 ** 53;
}

function discreteLaplace(epsilon) {
  const geometric = () => Math.floor(-Math.log(uniform()) / epsilon);
  return geometric() - geometric();
}

// More noise on noise of ε, by which it is noise of a smaller ε.
function coarser(fine, coarse) {
  const stays = Math.exp(coarse - fine) * (Math.expm1(-coarse) / Math.expm1(-fine)) ** 2;
  return uniform() < stays ? 0 : discreteLaplace(coarse);
}

function recommended(degree, epsilon) {
  const fine = degree + discreteLaplace(epsilon);
  if (epsilon > LISTS_ABOVE) {
    const rough = fine + coarser(epsilon, SHARE * epsilon);
    if (rough >= HUB_FROM) return { noisyDegree: rough, onDegree: SHARE * epsilon, onList: (1 - SHARE) * epsilon };
  }
  return { noisyDegree: fine, onDegree: epsilon, onList: 0 };
}

function spend(mechanism, degree, epsilon) {
  if (mechanism === "recommended") return recommended(degree, epsilon);
  if (mechanism === "rr") return { noisyDegree: null, onDegree: 0, onList: epsilon };
  return {
    noisyDegree: degree + discreteLaplace(SHARE * epsilon),
    onDegree: SHARE * epsilon,
    onList: (1 - SHARE) * epsilon,
  };
}

function draw(mechanism, friends, epsilon) {
  const spent = spend(mechanism, friends.size, epsilon);
  const keep = 1 / (1 + Math.exp(-spent.onList));
  let sampled = spent.onList > 0 ? 1 : 0;
  if (mechanism === "dprr") {
    const wanted = Math.max(spent.noisyDegree, 0);
    const expected = wanted * (2 * keep - 1) + OTHERS * (1 - keep);
    sampled = expected > 0 ? Math.min(wanted / expected, 1) : 0;
  }
  const chances = { friend: keep * sampled, stranger: (1 - keep) * sampled };
  const reported = new Set();
  for (let other = 0; other < OTHERS; other += 1) {
    if (uniform() < (friends.has(other) ? chances.friend : chances.stranger)) reported.add(other);
  }
  return { ...spent, reported, chances };
}

function showPeople(reported, friends) {
  const list = byId("people");
  list.replaceChildren();
  for (let other = 0; other < OTHERS; other += 1) {
    const friend = friends.has(other);
    const sent = reported.has(other);
    const kind = friend ? (sent ? "kept" : "lost") : sent ? "fake" : "none";
    const item = document.createElement("li");
    item.className = `person ${kind}`;
    item.textContent = { kept: "✓", lost: "?", fake: "+", none: "" }[kind];
    item.title = WORDS.person(other + 1, friend, sent);
    item.setAttribute("aria-label", item.title);
    list.append(item);
  }
}

const after = (prior, factor) => (prior * factor) / (prior * factor + 1 - prior); // Bayes
function sentence(name, friends, drawn, mechanism) {
  const { reported, noisyDegree, onList } = drawn;
  const real = [...reported].filter((other) => friends.has(other)).length;
  const says = noisyDegree === null ? "" : WORDS.says(noisyDegree);
  const begins = WORDS.has(name, friends.size);
  if (onList === 0) return `${begins} ${WORDS.nobody}${says}`;
  const hub = mechanism === "recommended" ? WORDS.hub : "";
  return `${begins} ${WORDS.names(reported.size, real, reported.size - real)}${says}${hub}`;
}

function showConclusions(name, epsilon, { chances, onDegree, onList }) {
  const between = (prior, factor, digits) => [after(prior, 1 / factor), after(prior, factor)].map((p) => percent(p, digits));
  byId("conclusion").textContent = WORDS.limit(name);
  byId("beliefs").replaceChildren(
    ...PRIORS.map((prior) => {
      const item = document.createElement("li");
      item.textContent = WORDS.becomes(percent(prior, 0), ...between(prior, Math.exp(epsilon), 1));
      return item;
    }),
  );
  byId("group").textContent = WORDS.group(GROUP, ...between(0.1, Math.exp(GROUP * epsilon), 1));
  const listed = chances.stranger > 0 ? chances.friend / chances.stranger : 1;
  const unlisted = (1 - chances.friend) / (1 - chances.stranger);
  const degree = onDegree > 0 ? WORDS.degree(number(Math.exp(onDegree))) : "";
  byId("listing").textContent = onList > 0 ? `${WORDS.listing(number(listed), number(unlisted))}${degree}` : "";
  byId("odds").hidden = onList === 0;
  for (const [who, chance] of Object.entries(chances)) {
    byId(who).value = chance;
    byId(`${who}-out`).textContent = percent(chance, chance < 0.095 ? 1 : 0);
  }
}

function update() {
  const epsilon = Number(byId("epsilon").value);
  const { mechanism, person } = byId("controls").elements;
  const { name, friends } = PEOPLE[person.value];
  const drawn = draw(mechanism.value, friends, epsilon);
  byId("epsilon-out").textContent = epsilon.toLocaleString(LANGUAGE, { minimumFractionDigits: 1 });
  showPeople(drawn.reported, friends);
  byId("summary").textContent = sentence(name, friends, drawn, mechanism.value);
  showConclusions(name, epsilon, drawn);
}

byId("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  update();
});
byId("controls").addEventListener("input", update);
update();
