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
    const words = `${friend ? "a friend" : "a stranger"}, ${sent ? "reported" : "left out"}`;
    item.setAttribute("aria-label", `Person ${other + 1}: ${words}`);
    item.title = `Person ${other + 1}: ${words}`;
    list.append(item);
  }
}

const percent = (p, digits = 1) => `${(100 * p).toFixed(digits)} %`;
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const after = (prior, factor) => (prior * factor) / (prior * factor + 1 - prior); // Bayes
const number = (x) => (x >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4))));

function sentence(name, friends, drawn, mechanism) {
  const { reported, noisyDegree, onList } = drawn;
  const real = [...reported].filter((other) => friends.has(other)).length;
  const says = noisyDegree === null ? "" : ` It says that she has ${noisyDegree} friends: the true number plus noise.`;
  const begins = `${name} has ${friends.size} friends.`;
  if (onList === 0) return `${begins} Her report names nobody.${says}`;
  const hub = mechanism === "recommended" ? " It says that she looks like a hub, so it holds a list as well." : "";
  return (
    `${begins} Her report names ${plural(reported.size, "person", "people")}: ` +
    `${plural(real, "friend", "friends")} and ${plural(reported.size - real, "stranger", "strangers")}.${says}${hub}`
  );
}

function showConclusions(name, epsilon, { chances, onDegree, onList }) {
  const factor = Math.exp(epsilon);
  byId("conclusion").textContent =
    `The odds that one given person is ${name}’s friend change by a factor of ${number(factor)} at most, up or down. ` +
    "This is so for somebody whose beliefs about the other friendships do not hang on this one, or who knows the others.";
  byId("beliefs").replaceChildren(
    ...PRIORS.map((prior) => {
      const item = document.createElement("li");
      const [low, high] = [after(prior, 1 / factor), after(prior, factor)].map((p) => percent(p));
      item.textContent = `${percent(prior, 0)} likely beforehand becomes ${low} to ${high} likely.`;
      return item;
    }),
  );
  byId("group").textContent =
    `Friendships that stand or fall together count together: with ${GROUP} of them the factor is up to ` +
    `${number(Math.exp(GROUP * epsilon))}.`;
  const listed = chances.stranger > 0 ? chances.friend / chances.stranger : 1;
  const unlisted = (1 - chances.friend) / (1 - chances.stranger);
  const degree = onDegree > 0 ? ` The number of friends changes them as well, by up to ${number(Math.exp(onDegree))}.` : "";
  byId("listing").textContent =
    onList > 0
      ? `In this report being listed changes a person’s odds by ${number(listed)}, not being listed by ` +
        `${number(unlisted)}.${degree}`
      : "";
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
  byId("epsilon-out").textContent = epsilon.toFixed(1);
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
