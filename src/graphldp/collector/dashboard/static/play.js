"use strict";
// Ada's community is invented here. Nothing on this page takes a list, and nothing leaves it.

const OTHERS = 59;
const FRIENDS = new Set([2, 7, 11, 19, 23, 24, 31, 38, 44, 52]);
const SHARE_OF_EDGES = 0.8;

const byId = (id) => document.getElementById(id);

function uniform() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return (words[0] * 2 ** 21 + (words[1] >>> 11) + 0.5) / 2 ** 53;
}

function discreteLaplace(epsilon) {
  const geometric = () => Math.floor(-Math.log(uniform()) / epsilon);
  return geometric() - geometric();
}

function draw(mechanism, epsilon) {
  const spentOnList = mechanism === "dprr" ? SHARE_OF_EDGES * epsilon : epsilon;
  const keep = 1 / (1 + Math.exp(-spentOnList));
  let noisyDegree = null;
  let sampled = 1;
  if (mechanism === "dprr") {
    noisyDegree = FRIENDS.size + discreteLaplace(epsilon - spentOnList);
    const wanted = Math.max(noisyDegree, 0);
    const expected = wanted * (2 * keep - 1) + OTHERS * (1 - keep);
    sampled = expected > 0 ? Math.min(wanted / expected, 1) : 0;
  }
  const chances = { friend: keep * sampled, stranger: (1 - keep) * sampled };
  const reported = new Set();
  for (let other = 0; other < OTHERS; other += 1) {
    if (uniform() < (FRIENDS.has(other) ? chances.friend : chances.stranger)) reported.add(other);
  }
  return { reported, noisyDegree, chances };
}

function showPeople(reported) {
  const list = byId("people");
  list.replaceChildren();
  for (let other = 0; other < OTHERS; other += 1) {
    const friend = FRIENDS.has(other);
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

function showOdds(chances) {
  for (const [who, chance] of Object.entries(chances)) {
    byId(who).value = chance;
    byId(`${who}-out`).textContent = percent(chance);
  }
}

const percent = (p) => `${(100 * p).toFixed(p < 0.095 ? 1 : 0)} %`;
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

function update() {
  const epsilon = Number(byId("epsilon").value);
  const mechanism = byId("controls").elements.mechanism.value;
  const { reported, noisyDegree, chances } = draw(mechanism, epsilon);
  const real = [...reported].filter((other) => FRIENDS.has(other)).length;
  byId("epsilon-out").textContent = epsilon.toFixed(1);
  showPeople(reported);
  showOdds(chances);
  const degree = noisyDegree === null ? "" : ` It also says that she has ${noisyDegree} friends, give or take noise.`;
  byId("summary").textContent =
    `Ada has ${FRIENDS.size} friends. Her report names ${plural(reported.size, "person", "people")}: ` +
    `${plural(real, "friend", "friends")} and ${plural(reported.size - real, "stranger", "strangers")}.${degree}`;
  const factor = Math.exp(epsilon);
  byId("conclusion").textContent =
    `Whatever the report says, the odds that one person is Ada’s friend change by a factor of ` +
    `${factor < 10 ? factor.toFixed(1) : Math.round(factor).toLocaleString("en")} at most, and no cleverness adds to ` +
    `it. Whoever gave it odds of 1 to 10 before can be at most ${percent(factor / (10 + factor))} sure after.`;
}

byId("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  update();
});
byId("controls").addEventListener("input", update);
update();
