// A batch: how far its jobs are, and what can be done with all of them.

import { get } from "./api.js";
import { farm } from "./farm.js";
import { button, confirm, count, h, text, timeLeft, toast, when } from "./dom.js";
import { prioritySelect } from "./job.js";
import { states } from "./patterns.js";

export function showBatch(root, id) {
    const abort = new AbortController();
    let timer = 0, last = "";
    const title = h("h1", { tabindex: "-1" }, `Batch ${id.slice(0, 8)}`), about = h("p");
    const bar = h("div.stack", { role: "img" }), legend = h("ul.legend", { "aria-label": "States of its jobs" }), buttons = h("div.buttons");
    root.replaceChildren(h("div.batch", {}, h("a.back", { href: "#/" }, "← All jobs"), title, about, bar, legend, buttons));

    function draw(batch) {
        const key = JSON.stringify(batch);
        if (key === last) return;
        last = key;
        const left = timeLeft(batch.timeLeft);
        about.replaceChildren(`${count(batch.jobs, "job")}, submitted `, when(batch.createdAt), ...(batch.endedAt ? [", ended ", when(batch.endedAt)] : []),
            left ? `; done in ${left.about} (${left.range})` : "");
        const parts = Object.entries(states).map(([state, { word, fill }]) => ({ state, word, fill, jobs: batch[state] })).filter((each) => each.jobs);
        bar.replaceChildren(...parts.map((each) => h(`span.fill-${each.fill}`, { "data-state": each.state, style: { flexGrow: each.jobs } })));
        bar.setAttribute("aria-label", parts.map((each) => `${each.word}: ${each.jobs}`).join(", "));
        legend.replaceChildren(...parts.map((each) => h("li", {}, h(`span.swatch.fill-${each.fill}`, { "aria-hidden": "true", "data-state": each.state }), `${each.word}: ${each.jobs}`)));
        const act = async (verb, body, said) => {
            const answer = await farm.act("batches", id, verb, body, said);
            if (answer) draw(answer);
        };
        const live = batch.queued + batch.running + batch.paused;
        const had = buttons.contains(document.activeElement);
        buttons.replaceChildren(...[
            batch.paused > 0 && button("Resume all", "resume", () => act("resume"), { kind: "primary" }),
            batch.queued + batch.running > 0 && button("Pause all", "pause", () => act("pause")),
            batch.failed + batch.cancelled > 0 && button("Try the failed and cancelled again", "retry", () => act("retry", undefined, "They are queued again.")),
            live > 0 && button("Cancel all", "cancel", async () => {
                if (await confirm("Cancel the batch?", `${count(live, "job")} that wait or run are cancelled.`, "Cancel them")) act("cancel");
            }),
            live > 0 && h("label.field.priority", {}, "Priority", prioritySelect(0, (value) => act("priority", { priority: value }, `The batch has priority ${value}.`))),
        ].filter(Boolean));
        if (had) (buttons.querySelector("button") ?? title).focus();
    }

    async function read() {
        try {
            draw(await get(`/v1/batches/${encodeURIComponent(id)}`, { signal: abort.signal }));
        } catch (error) {
            if (error.name === "AbortError") return;
            if (error.status === 404 || error.status === 400) {
                text(about, error.message);
                return;
            }
            toast(error.message, { bad: true });
        }
    }
    const changed = ({ detail }) => {
        if (timer || !detail.some((job) => job.batch === id)) return;
        timer = setTimeout(() => { timer = 0; read(); }, 700);
    };
    farm.addEventListener("jobs", changed);
    read();
    return () => {
        abort.abort();
        clearTimeout(timer);
        farm.removeEventListener("jobs", changed);
        root.replaceChildren();
    };
}
