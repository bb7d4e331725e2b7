// Starts the page: colours, the state of the farm, and which view is shown.

import { ask, token } from "./api.js";
import { farm } from "./farm.js";
import { ago, button, count, decimal, h, number, one, text, timeLeft } from "./dom.js";
import { JobList, place } from "./list.js";
import { states } from "./patterns.js";
import { Press } from "./press.js";
import { drawPulse } from "./pulse.js";

const list = new JobList(one("#list"), one("#list-count"));
new Press(one("#cards"), one("#press"));

// MARK: Colours

// They are chosen in start.js.
function themed() {
    drawPulse(one("#pulse"));
    farm.tell("theme");
}
one("#theme").addEventListener("change", themed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);

// MARK: Token

ask.token = (refused) => new Promise((resolve) => {
    const input = h("input", { type: "password", id: "token", required: true, autocomplete: "off", spellcheck: "false" });
    const dialog = h("dialog.small", { "aria-labelledby": "token-title", oncancel: (event) => event.preventDefault(), onclose: () => {
        dialog.remove();
        resolve(input.value.trim());
    } }, h("form", { method: "dialog" }, h("h2", { id: "token-title" }, "This farm wants a token"),
        h("p", {}, refused ? "The token was not accepted. " : "", "An operator makes one with ", h("code", {}, "ink keygen --http"),
            ". It is forgotten when this tab is closed."),
        h("label.field", { for: "token" }, "Token"), input, h("div.buttons", {}, h("button.primary", {}, "Continue"))));
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
});

one("#token-change").addEventListener("click", () => {
    token.value = null;
    location.reload();
});

// MARK: State of the farm

function drawNow() {
    const { stats } = farm;
    if (!stats) return;
    text(one("#broker"), stats.broker.name);
    text(one("#now-running"), number(stats.jobs.running ?? 0));
    text(one("#now-queued"), number(stats.jobs.queued ?? 0));
    const left = timeLeft(stats.timeLeft);
    one("#now-left").replaceChildren(left ? left.about.replace("about ", "") : "–", left ? h("small", {}, ` ${left.range}`) : "");
    text(one("#now-rate"), decimal(stats.throughput.picturesPerMinute ?? 0).replace(/\.0$/, ""));
    const { count: workers = 0, threads = 0, busy = 0 } = stats.workers;
    one("#now-busy").replaceChildren(number(busy), h("small", {}, ` of ${number(threads)} · ${count(workers, "worker")}`));
    one("#export").hidden = !farm.may("submit");
    drawChips();
}

function drawBanners() {
    const { stats, lost } = farm;
    const banners = [];
    if (lost) {
        banners.push(["gone", "The broker does not answer.", lost.status ? lost.message : `${lost.message} What is shown may be old.`,
            button("Try now", "retry", () => farm.retryNow())]);
    }
    if (stats?.broker.state === "draining") {
        banners.push(["draining", "The broker is stopping.", "Running exports end; what waits goes on after its restart.", null]);
    }
    if (stats?.store?.problem) banners.push(["disk", "The store has a problem.", stats.store.problem, null]);
    if (stats && stats.workers.count === 0 && !lost) {
        banners.push(["idle", "No worker is connected,", "so nothing is rendered. Start one with ink worker.", null]);
    }
    const key = JSON.stringify(banners.map((each) => each.slice(0, 3)));
    const element = one("#banners");
    if (element.key === key) return;
    element.key = key;
    element.replaceChildren(...banners.map(([kind, title, words, action]) => h(`div.banner.${kind}`, {}, h("p", {}, h("strong", {}, title), " ", words), action)));
}

function drawConnection() {
    const element = one("#connection");
    element.dataset.state = farm.connected ? "live" : "lost";
    text(element, farm.connected ? "live" : "reconnecting");
    one("#token-change").hidden = !token.value;
    drawBanners();
}

farm.addEventListener("stats", () => { drawNow(); drawBanners(); });
farm.addEventListener("connection", drawConnection);
let pulseOf = null;
farm.addEventListener("stats", () => {
    if (pulseOf === farm.history) return;
    pulseOf = farm.history;
    drawPulse(one("#pulse"));
});
new ResizeObserver(() => drawPulse(one("#pulse"))).observe(one("#pulse"));

setInterval(() => {
    for (const element of document.querySelectorAll("time")) text(element, ago(element.getAttribute("datetime")));
}, 10000);

// MARK: Filters

const chips = new Map();
for (const [state, { word, fill }] of Object.entries(states)) {
    const number = h("span.chipcount");
    const chip = h("button.chip", { type: "button", "aria-pressed": "false", "data-state": state, onclick: () => {
        const wanted = list.filter.states;
        if (wanted.has(state)) wanted.delete(state); else wanted.add(state);
        chip.setAttribute("aria-pressed", String(wanted.has(state)));
        filterChanged();
    } }, h(`span.swatch.fill-${fill}`, { "aria-hidden": "true" }), word, " ", number);
    chips.set(state, number);
    one("#chips").append(chip);
}
function drawChips() {
    for (const [state, element] of chips) text(element, number(farm.stats.jobs[state] ?? 0));
}

/** The address of the list as it is: only what differs from the usual. */
function address() {
    const { states: wanted, name, owner, sort, batch } = list.filter;
    const query = new URLSearchParams();
    if (wanted.size) query.set("state", [...wanted].join(","));
    if (name) query.set("name", name);
    if (owner) query.set("owner", owner);
    if (sort !== sorts[0]) query.set("sort", sort);
    return `#/${batch ? `batches/${batch}` : ""}${query.size ? `?${query}`.replaceAll("%2C", ",") : ""}`;
}

/** Sets filters as an address has them. Returns whether they are other ones. */
function readFilters(search, batch) {
    const query = new URLSearchParams(search), before = JSON.stringify([...list.filter.states, list.filter]);
    const wanted = query.get("state")?.split(",").filter((state) => states[state]) ?? [];
    Object.assign(list.filter, { states: new Set(wanted), name: query.get("name") ?? "", owner: query.get("owner") ?? "", batch,
        sort: sorts.find((sort) => sort === query.get("sort")) ?? sorts[0] });
    for (const [state, element] of chips) element.parentElement.setAttribute("aria-pressed", String(list.filter.states.has(state)));
    // Not while somebody types in it.
    for (const [input, name] of fields) if (input.value.trim() !== list.filter[name]) input.value = list.filter[name];
    one("#sort").value = list.filter.sort;
    return before !== JSON.stringify([...list.filter.states, list.filter]);
}

/** A step that Back undoes; what is typed into one field is one step. */
function filterChanged(field = null) {
    place.address = address();
    try {
        if (field && field === typed) history.replaceState(null, "", place.address);
        else history.pushState(null, "", place.address);
    } catch { /* too many at once, or not allowed: the list changes without its address */ }
    typed = field;
    list.reload();
}

const sorts = [...one("#sort").options].map((option) => option.value);
const fields = [[one("#search"), "name"], [one("#owner"), "owner"]];
let typing = 0, typed = null;
for (const [input, name] of fields) {
    input.addEventListener("input", () => {
        clearTimeout(typing);
        typing = setTimeout(() => {
            if (list.filter[name] === input.value.trim()) return;
            list.filter[name] = input.value.trim();
            filterChanged(name);
        }, 250);
    });
    input.addEventListener("blur", () => { typed = null; });
}
one("#filters").addEventListener("submit", (event) => event.preventDefault());
one("#sort").addEventListener("change", () => {
    list.filter.sort = one("#sort").value;
    filterChanged();
});

// MARK: Views

let end = null, scrolled = 0, view = null, turns = 0;

async function route(first = false) {
    const [path, search = ""] = location.hash.split("?"), [, kind = "", id = ""] = path.split("/");
    const batch = kind === "batches" && /^[0-9a-f]{24}$/.test(id) ? id : "";
    const inList = kind === "" || batch !== "";
    const turn = ++turns;
    if (inList) {
        const isSame = list.filter.batch === batch, changed = readFilters(search, batch);
        place.address = address();
        typed = null;
        clearTimeout(typing);
        if (!first && view === "list" && isSame) {
            if (changed) list.reload();
            return;
        }
        if (!isSame) one("#batch").replaceChildren();
        if (first || changed) list.reload();
    }
    if (view === "list" && !inList) scrolled = scrollY;
    end?.();
    end = null;
    const jobs = one("#jobs"), other = one("#other");
    jobs.hidden = !inList;
    other.hidden = inList;
    one("#press").classList.toggle("away", batch !== "");
    for (const link of document.querySelectorAll("nav a")) {
        const current = link.dataset.view === (inList || kind === "jobs" ? "jobs" : kind);
        if (current) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    document.body.dataset.view = inList ? "jobs" : kind === "jobs" ? "job" : kind;
    document.body.dataset.kind = kind;
    view = inList ? "list" : kind;
    if (inList) {
        document.title = batch ? "Batch · Ink farm" : "Ink farm";
        one("#jobs-title").hidden = Boolean(batch);
        text(one("#list-title"), batch ? "Its jobs" : "All jobs");
        if (batch) {
            const { showBatch } = await import("./batch.js");
            if (turn !== turns) return;
            end = showBatch(one("#batch"), batch);
        }
        list.draw();
        scrollTo(0, batch ? 0 : scrolled);
    } else {
        other.replaceChildren();
        scrollTo(0, 0);
        const show = kind === "jobs" && /^[1-9][0-9]{0,15}$/.test(id) ? (await import("./job.js")).showJob
            : kind === "workers" ? (await import("./workers.js")).showWorkers
            : kind === "figures" ? (await import("./figures.js")).showFigures : null;
        if (turn !== turns) return;
        if (show) end = show(other, Number(id));
        else other.append(h("h1", { tabindex: "-1" }, "There is no such page"), h("a", { href: "#/" }, "All jobs"));
    }
    if (!first) (inList ? one("#batch h1") ?? one("#jobs-title") : other.querySelector("h1"))?.focus({ preventScroll: true });
}
addEventListener("hashchange", () => route());
// A link to the content is no view.
one(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    one("#view").focus();
});

// MARK: Export

const submitter = import("./submit.js").then(({ Submitter }) => new Submitter());
const submit = async () => (await submitter).open();
one("#export").addEventListener("click", submit);
if (document.documentElement.dataset.wanted) submit();

await route(true);
farm.start();
