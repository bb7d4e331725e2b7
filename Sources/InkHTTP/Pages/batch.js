// A batch: how far its jobs are, and what can be done with all of them.

import { get } from "./api.js";
import { called, canHelp, farm } from "./farm.js";
import { button, confirm, count, h, name, prioritySelect, timeLeft, toast, visible, when } from "./dom.js";
import { states } from "./patterns.js";

/** "owl.ink and 3 more", as parts of a line. */
export async function batchName(batch, options) {
    if (batch.name) return [name(batch.name)];
    const { jobs: [first] } = await get(`/v1/jobs?batch=${batch.id}&sort=id&limit=1`, options);
    if (!first) return [`Batch ${batch.id.slice(0, 8)}`];
    return [name(called(first)), batch.jobs > 1 ? ` and ${batch.jobs - 1} more` : ""];
}

export function showBatch(root, id) {
    const abort = new AbortController(), options = { signal: abort.signal };
    let timer = 0, last = "", helps = false, named = false;
    const title = h("h1", { tabindex: "-1" }, "Batch"), about = h("p");
    const bar = h("div.stack", { role: "img" }), legend = h("ul.legend", { "aria-label": "States of its jobs" }), buttons = h("div.buttons");
    root.replaceChildren(h("div.batch", {}, h("a.back", { href: "#/" }, "← All jobs"), title, about, bar, legend, buttons));

    function draw(batch) {
        const may = farm.may("submit"), key = JSON.stringify([batch, helps, may]);
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
            if (answer) take(answer);
        };
        const live = batch.queued + batch.running + batch.paused;
        const had = buttons.contains(document.activeElement);
        buttons.replaceChildren(...(may ? [
            batch.paused > 0 && button("Resume all", "resume", () => act("resume"), { kind: "primary" }),
            batch.queued + batch.running > 0 && button("Pause all", "pause", () => act("pause")),
            helps && button("Try the failed and cancelled again", "retry", () => act("retry", undefined, "They are queued again.")),
            live > 0 && button("Cancel all", "cancel", async () => {
                if (await confirm("Cancel the batch?", `${count(live, "job")} that wait or run are cancelled.`, "Cancel them")) act("cancel");
            }),
            live > 0 && h("label.field.priority", {}, "Priority", prioritySelect(0, (value) => act("priority", { priority: value }, `The batch has priority ${value}.`))),
        ] : []).filter(Boolean));
        if (had) (buttons.querySelector("button") ?? title).focus();
    }

    async function take(batch) {
        if (!named) {
            title.replaceChildren(...await batchName(batch, options));
            document.title = `${visible(title.textContent)} · Ink farm`;
            named = true;
        }
        // Whether another try can help is known of jobs only.
        helps = batch.failed + batch.cancelled > 0
            && (await get(`/v1/jobs?batch=${id}&state=failed,cancelled&limit=1000`, options)).jobs.some(canHelp);
        draw(batch);
    }

    async function read() {
        try {
            await take(await get(`/v1/batches/${id}`, options));
        } catch (error) {
            if (error.name === "AbortError") return;
            if (error.status === 404) {
                root.replaceChildren(h("div.batch", {}, h("a.back", { href: "#/" }, "← All jobs"),
                    h("h1", { tabindex: "-1" }, "There is no such batch"), h("p", {}, "Its jobs may have been removed.")));
            } else toast(error.message, { bad: true });
        }
    }
    const again = () => { timer ||= setTimeout(() => { timer = 0; read(); }, 700); };
    const listeners = [
        ["jobs", ({ detail }) => { if (detail.some((job) => job.batch === id)) again(); }],
        ["removed", again], ["missed", again],
    ];
    for (const [kind, listener] of listeners) farm.addEventListener(kind, listener);
    read();
    return () => {
        abort.abort();
        clearTimeout(timer);
        for (const [kind, listener] of listeners) farm.removeEventListener(kind, listener);
        root.replaceChildren();
    };
}
