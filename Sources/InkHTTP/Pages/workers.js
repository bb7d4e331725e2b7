// The workers: load, speed and the last minutes of each.

import { farm } from "./farm.js";
import { button, confirm, count, decimal, h, name as isolated, number, shortName, text } from "./dom.js";
import { look, workerSwatch } from "./patterns.js";

/** Threads at work: a worker holds the next tasks, too. */
const tasksNow = (worker) => Math.min(worker.tasks, worker.threads);

const words = { ready: "Ready", draining: "Finishing its tasks" };

export function showWorkers(root) {
    document.title = "Workers · Ink farm";
    farm.eager = true;
    const title = h("h1", { tabindex: "-1" }, "Workers"), about = h("p.faint"), list = h("ul.workers");
    const empty = h("div.empty", { hidden: true }, h("div.empty-art", { "aria-hidden": "true" }), h("p.empty-title", {}, "No worker is connected"),
        h("p", {}, "Start one on any machine that reaches the broker: ", h("code", {}, "ink worker --broker tcp://BROKER:5570")));
    root.replaceChildren(h("div.listhead", {}, title, about), list, empty);
    const cards = new Map();

    function card(name) {
        const parts = {
            state: h("p.workerstate"), load: h("div.meter", { role: "meter", "aria-label": `Load of ${name}`, "aria-valuemin": 0 }, h("span")),
            loadWords: h("dd"), speed: h("dd"), done: h("dd"), failed: h("dd"),
            history: h("svg.spark", { viewBox: "0 0 240 48", preserveAspectRatio: "none", role: "img" }), caption: h("p.faint"),
        };
        parts.buttons = h("div.buttons", {},
            button(`Drain ${name}`, "leave", () => leave(name, "drain"), {}), button(`Dismiss ${name}`, "cancel", () => leave(name, "dismiss"), {}));
        for (const [index, verb] of ["Drain", "Dismiss"].entries()) {
            const label = parts.buttons.children[index].querySelector("span");
            label.replaceChildren(verb, h("span.unseen", {}, ` ${name}`));
        }
        parts.drain = parts.buttons.firstChild;
        parts.element = h("li.worker", {},
            h("div.workerhead", {}, parts.swatch = workerSwatch(name), h("h2", { title: name }, shortName(name)), parts.address = h("span.faint")),
            parts.state, parts.load,
            h("dl.facts", {}, [["Load", parts.loadWords], ["Speed", parts.speed], ["Tiles done", parts.done], ["Failed", parts.failed]]
                .map(([term, value]) => h("div", {}, h("dt", {}, term), value))),
            parts.history, parts.caption, parts.buttons);
        return parts;
    }

    async function leave(name, verb) {
        const yes = verb === "drain"
            ? await confirm(`Drain ${name}?`, "It gets no further tiles, finishes those it has, and leaves.", "Drain it")
            : await confirm(`Dismiss ${name}?`, "It is sent away at once. Other workers render its tiles again.", "Dismiss it");
        if (!yes) return;
        await farm.act("workers", name, verb, undefined, [isolated(name), verb === "drain" ? " is finishing its tasks." : " was dismissed."]);
        farm.readWorkers();
    }

    function draw() {
        const workers = [...farm.workers].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
        const threads = workers.reduce((sum, each) => sum + each.threads, 0), busy = workers.reduce((sum, each) => sum + tasksNow(each), 0);
        text(about, `${count(workers.length, "worker")}, ${count(threads, "thread")}, ${number(busy)} busy`);
        empty.hidden = workers.length > 0;
        const names = new Set(workers.map((each) => each.name));
        for (const [name, parts] of cards) if (!names.has(name)) { parts.element.remove(); cards.delete(name); }
        let before = list.firstChild;
        for (const worker of workers) {
            const parts = cards.get(worker.name) ?? card(worker.name);
            cards.set(worker.name, parts);
            if (parts.element === before) before = before.nextSibling; else list.insertBefore(parts.element, before);
            const now = tasksNow(worker);
            parts.element.dataset.state = worker.state;
            text(parts.state, words[worker.state]);
            text(parts.address, worker.address ?? "");
            text(parts.loadWords, `${now} of ${count(worker.threads, "thread")}`);
            text(parts.speed, Number.isFinite(worker.tasksPerSecond) ? `${decimal(worker.tasksPerSecond)} tiles a second` : "–");
            text(parts.done, number(worker.done));
            text(parts.failed, number(worker.failed));
            parts.drain.disabled = worker.state === "draining";
            parts.buttons.hidden = !farm.may("operate");
            const { ink, fill } = look(worker.name);
            const span = parts.load.firstChild;
            span.className = `fill-${fill}`;
            span.style.color = parts.swatch.style.color = ink;
            span.style.width = `${100 * now / Math.max(1, worker.threads)}%`;
            parts.load.setAttribute("aria-valuemax", Math.max(1, worker.threads));
            parts.load.setAttribute("aria-valuenow", now);
            parts.load.setAttribute("aria-valuetext", `${now} of ${worker.threads} threads busy`);
            spark(parts, farm.past.get(worker.name) ?? [], ink);
        }
    }

    /** Bars of the speeds that are known; nothing where there is nothing to see. */
    function spark({ history, caption }, past, ink) {
        const shown = past.slice(-80), known = shown.filter((each) => each.rate !== null), most = Math.max(0, ...known.map((each) => each.rate));
        const seconds = known.length > 1 ? (known.at(-1).at - known[0].at) / 1000 : 0;
        const mean = known.reduce((sum, each) => sum + each.rate, 0) / Math.max(1, known.length);
        const span = `the last ${seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`}`;
        const words = seconds < 5 ? "" : most === 0 ? `No tile in ${span}.`
            : `Speed of ${span}: ${decimal(mean)} tiles a second on average, at most ${decimal(most)}`;
        const isDrawn = most > 0 && words !== "";
        history.toggleAttribute("hidden", !isDrawn);
        history.replaceChildren(...(isDrawn ? shown : []).flatMap((each, index) => {
            if (!each.rate) return [];
            const height = Math.max(1, 44 * each.rate / most), x = 240 - 3 * (shown.length - index);
            return [h("rect", { x, y: 48 - height, width: 2, height, fill: ink })];
        }));
        caption.hidden = words === "";
        history.setAttribute("aria-label", words);
        text(caption, words);
    }

    const listeners = [["workers", draw], ["theme", draw], ["stats", draw]];
    for (const [name, listener] of listeners) farm.addEventListener(name, listener);
    draw();
    farm.readWorkers();
    return () => {
        farm.eager = false;
        for (const [name, listener] of listeners) farm.removeEventListener(name, listener);
    };
}
