// One job: its picture while it appears and when it is done, what can be done with it, and what happened.

import { get, picture, request } from "./api.js";
import { about, actions, called, farm, reason } from "./farm.js";
import { ago, announce, button, bytes, confirm, count, duration, h, name, number, prioritySelect, sentence, text, timeLeft, toast, visible, when } from "./dom.js";
import { download, part, place, progressWords } from "./list.js";
import { batchName } from "./batch.js";
import { states, workerSwatch } from "./patterns.js";
import { Viewer } from "./viewer.js";

const shownTypes = ["image/png", "image/jpeg", "image/webp", "image/avif", "image/gif", "image/svg+xml"];
// More would take a browser's memory: a person asks for it.
const pixelsMax = 40e6, bytesMax = 48e6;

/** The view of a job. Returns what ends it. */
export function showJob(root, id) {
    const abort = new AbortController();
    const owned = [];
    const viewer = new Viewer("The picture");
    let job = null, batch = null, isMissing = false, tilesAsked = false, previewTried = false, fullTried = false, fullShown = false, storyShown = false, ahead = null;

    const title = h("h1", { tabindex: "-1", id: "job-title", dir: "auto" }, `Job ${id}`);
    const state = h("p.badge");
    const progress = h("div.progress", { role: "progressbar", "aria-label": "Tiles done", "aria-valuemin": 0, "aria-valuemax": 100 }, h("span"));
    const phase = h("p.phase");
    const why = h("p.why", { hidden: true });
    const trouble = h("div.trouble", { hidden: true });
    const buttons = h("div.buttons"), priority = h("div.buttons"), rarely = h("div.buttons");
    const facts = h("dl.facts");
    const warnings = h("ul.warnings", { hidden: true });
    const legend = h("ul.legend", { hidden: true, "aria-label": "Workers and their tiles" });
    const colour = h("input", { type: "checkbox", id: "by-worker", onchange: () => {
        viewer.byWorker = colour.checked;
        legend.hidden = !colour.checked;
        viewer.draw();
        drawLegend();
    } });
    const colourLabel = h("label.check", { hidden: true }, colour, "Show who rendered which tile");
    const compare = h("select", { id: "compare", onchange: () => chooseBefore(Number(compare.value)) });
    const compareLabel = h("label.field", { hidden: true }, "Compare with", compare);
    const full = h("p.full", { hidden: true });
    const story = h("details.story", { ontoggle: () => { if (story.open) readStory(); } }, h("summary", {}, "What happened to each tile"));

    let body = null;
    const back = () => h("a.back", { href: place.address }, "← All jobs");
    const show = h("div.show", {}, viewer.element, h("div.under", {}, viewer.bar, colourLabel, compareLabel), full, legend);
    root.replaceChildren(back(), h("div.jobview", {},
        h("header.jobhead", {}, h("div.jobname", {}, title, h("div.jobstate", {}, state, phase)), buttons),
        progress, why, trouble,
        body = h("div.jobbody", {}, h("div.picture", {}, show, story), h("div.side", {}, priority, facts, warnings, rarely))));

    function update(next) {
        const before = job;
        job = next;
        document.title = `${visible(called(job))} · Ink farm`;
        text(title, called(job));
        root.dataset.state = job.state;
        if (before?.state !== job.state) {
            state.replaceChildren(h(`span.swatch.fill-${states[job.state].fill}`, { "aria-hidden": "true" }), states[job.state].word);
            if (before) announce(`${called(job)}: ${states[job.state].word}`);
            ahead = null;
            if (job.state === "queued") countAhead();
        }
        drawButtons();
        const live = !job.endedAt;
        progress.hidden = !live || job.state === "queued";
        const share = part(job.progress);
        progress.firstChild.style.transform = `scaleX(${share})`;
        progress.setAttribute("aria-valuenow", Math.round(100 * share));
        progress.setAttribute("aria-valuetext", progressWords(job.progress));
        const left = timeLeft(job.timeLeft);
        phase.replaceChildren(...(job.state === "queued" || !live ? []
            : [progressWords(job.progress), ...(left ? [h("span.left", {}, `${left.about} left`), h("span.faint", {}, `(${left.range})`)] : [])]));
        if (job.state === "finished" && job.picture) phase.replaceChildren(`in ${duration(job.picture.seconds)}`);
        why.hidden = job.state !== "queued" && job.state !== "paused";
        drawWhy();
        drawTrouble();
        drawFacts();
        warnings.hidden = !job.warnings.length;
        warnings.replaceChildren(...job.warnings.map((each) => h("li", {}, sentence(each, job.name))));
        describe();
        if (live && before?.endedAt) begin();
        if (job.state === "running") followTiles();
        if (!viewer.hasImage && !previewTried && job.state !== "queued") loadPreview();
        if (job.state === "finished") {
            viewer.finish();
            if (!fullTried) loadFull();
        }
        if (before?.state !== "failed" && job.state === "failed") readStory(true);
        // Without a picture there is no place for one.
        show.hidden = (job.state === "failed" || job.state === "cancelled") && !viewer.hasImage;
        body.classList.toggle("bare", show.hidden);
        if (job.state === "queued" && !viewer.hasImage) viewer.say("The picture appears here as soon as it is rendered.");
        if (job.state === "running" && !viewer.hasImage && !viewer.tiles) viewer.say("The document is being read.");
    }

    function drawWhy() {
        if (job.state === "paused") text(why, "Paused: no further tile is given to workers until it is resumed.");
        else {
            const words = farm.why(job), others = ahead && words.startsWith("Waits for its turn");
            text(why, words + (others ? `; about ${count(ahead, "other goes", "others go")} first.` : "."));
        }
    }

    async function countAhead() {
        try {
            const page = await get("/v1/jobs?state=queued&sort=id&limit=1000", { signal: abort.signal });
            ahead = page.jobs.filter((each) => each.priority > job.priority || each.priority === job.priority && each.id < job.id).length;
            if (job.state === "queued") drawWhy();
        } catch { /* a detail that can be missed */ }
    }

    function drawTrouble() {
        trouble.hidden = !job.error;
        if (!job.error) return;
        const hints = {
            "bad-input": "The same document would fail again. Change it, or its options, and export it anew.",
            "input-output": "The broker could not read or write a file. When that is mended, try again.",
            "internal-error": "This is a fault of the farm, not of the document. Another try may succeed.",
            "no-workers": "Connect a worker, and try again.",
        };
        // The attempts come after semicolons.
        const [first, ...rest] = reason(job).split("; ");
        trouble.replaceChildren(h("p.trouble-text", {}, sentence(first.charAt(0).toUpperCase() + first.slice(1), job.name)),
            rest.length ? h("ul", {}, rest.map((each) => h("li", {}, sentence(each, job.name)))) : "", h("p", {}, hints[job.error.code]));
    }

    function drawFacts() {
        const picture = job.picture;
        const rows = [
            ["Number", String(job.id)],
            ["Size", job.size],
            [job.formats.length > 1 ? "Formats" : "Format", job.formats.join(", ")],
            job.owner && ["Owner", name(job.owner)],
            batch && ["Batch", h("a", { href: `#/batches/${job.batch}` }, batch)],
            ["Submitted", when(job.createdAt)],
            job.endedAt && ["Ended", when(job.endedAt)],
            picture && ["Picture", `${number(picture.width)} × ${number(picture.height)} pixels, ${bytes(picture.bytes)}`],
            picture && ["Rendered in", duration(picture.seconds)],
            picture?.waitedSeconds >= 1 && ["Waited", duration(picture.waitedSeconds)],
            picture && ["File", name(picture.file)],
        ].filter(Boolean);
        const key = JSON.stringify([job.state, job.priority, job.endedAt, batch && batch.map((each) => each.textContent ?? each)]);
        if (facts.key === key) return;
        facts.key = key;
        facts.replaceChildren(...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    }

    async function findBatch() {
        try {
            const found = await get(`/v1/batches/${job.batch}`, { signal: abort.signal });
            if (found.jobs < 2) return;
            batch = await batchName(found);
            drawFacts();
        } catch { /* a detail that can be missed */ }
    }

    let drawn = "";
    function drawButtons() {
        const can = actions(job), key = JSON.stringify(can);
        if (key === drawn) return;
        drawn = key;
        const had = [buttons, priority, rarely].some((each) => each.contains(document.activeElement));
        const act = (verb, said) => farm.act("jobs", id, verb, undefined, said);
        buttons.replaceChildren(...[
            can.download && button("Download", "download", () => download(job), { kind: "primary" }),
            can.retry && button("Try again", "retry", () => act("retry", about(job, " is queued again.")), { kind: "primary" }),
            can.resume && button("Resume", "resume", () => act("resume"), { kind: "primary" }),
            can.pause && button("Pause", "pause", () => act("pause")),
            can.cancel && button("Cancel", "cancel", () => act("cancel", about(job, " was cancelled."))),
        ].filter(Boolean));
        priority.replaceChildren(can.priority ? h("label.field.priority", {}, "Priority", prioritySelect(job.priority, (value) =>
            farm.act("jobs", id, "priority", { priority: value }, about(job, ` has priority ${value}.`)))) : "");
        rarely.replaceChildren(can.remove ? button("Remove", "remove", remove) : "");
        for (const each of [buttons, priority, rarely]) each.hidden = !each.childElementCount;
        if (had) (buttons.querySelector("button") ?? title).focus();
    }

    async function remove() {
        if (!await confirm("Remove this job?", about(job, " and its picture are removed from the broker. This cannot be undone."), "Remove it")) return;
        try {
            await request(`/v1/jobs/${id}`, { method: "DELETE" });
            toast(about(job, " was removed."));
            farm.removed([id]);
            location.hash = place.address;
        } catch (error) {
            toast(error.message, { bad: true });
        }
    }

    /** What is shown in place of a job that is not there. */
    function missing(words, more) {
        viewer.destroy();
        delete root.dataset.state;
        const heading = h("h1.empty-title", { tabindex: "-1" }, words);
        root.replaceChildren(back(), h("div.empty", {}, h("div.empty-art", { "aria-hidden": "true" }), heading, h("p", {}, more)));
        heading.focus({ preventScroll: true });
        isMissing = true;
    }

    // MARK: The picture

    /** Tiles change with the job, and are read once a second at most. */
    function followTiles() {
        if (tilesAsked) return;
        tilesAsked = true;
        setTimeout(async () => {
            if (!abort.signal.aborted) await readTiles();
            tilesAsked = false;
        }, viewer.tiles ? 900 : 100);
    }

    async function readTiles() {
        try {
            const tiles = await get(`/v1/jobs/${id}/tiles`, { signal: abort.signal });
            if (!tiles.columns || job?.endedAt && !viewer.hasImage && job.state !== "finished") return;
            viewer.addTiles(tiles, !viewer.tiles);
            if (!viewer.hasImage) viewer.unsay();
            colourLabel.hidden = !viewer.hasImage && job.endedAt !== null;
            drawLegend();
            describe();
            if (!viewer.hasImage && !previewTried) loadPreview();
        } catch { /* not yet, or no more */ }
    }

    async function refresh() {
        if (abort.signal.aborted) return;
        try {
            update(await get(`/v1/jobs/${id}`, { signal: abort.signal }));
        } catch (error) {
            // The broker is gone: the banner tells. It may come back.
            if (error.status === 404) missing(`Job ${id} is no more`, "It was removed, and its picture with it.");
            else if (error.name !== "AbortError" && !job?.endedAt) setTimeout(refresh, 3000);
        }
    }

    /** The job begins anew. */
    function begin() {
        previewTried = fullTried = fullShown = storyShown = false;
        viewer.clear();
        full.hidden = true;
        compareLabel.hidden = true;
        story.open = false;
        story.hidden = false;
        story.querySelector(".storybody")?.remove();
    }

    async function loadPreview() {
        previewTried = true;
        try {
            const loaded = await picture(`/v1/jobs/${id}/preview?plain=true`, abort.signal);
            owned.push(loaded);
            if (!fullShown) viewer.show(loaded.image, job.picture);
            describe();
        } catch (error) {
            if (error.name === "AbortError" || viewer.hasImage) return;
            if (error.status === 409 || error.status === 404 || error.status === 503) {
                // Not yet: its document is still being read.
                if (!job.endedAt) setTimeout(() => { previewTried = false; if (!abort.signal.aborted && !viewer.hasImage && !job.endedAt) loadPreview(); }, 1000);
                else if (job.state === "finished" && !canShow()) viewer.say("This format cannot be shown here. Download the file.");
            } else viewer.say(error.message);
        }
    }

    const canShow = () => job.picture?.kept && shownTypes.includes(job.picture.mediaType);

    async function loadFull(asked = false) {
        fullTried = true;
        findBefore();
        if (!job.picture.kept) {
            full.hidden = false;
            full.replaceChildren(`The file was written to `, name(job.picture.file), "; here is a preview.");
            return;
        }
        if (!canShow()) {
            full.hidden = false;
            full.replaceChildren("This format is not shown in browsers; here is a preview.");
            return;
        }
        if (!asked && (job.picture.width * job.picture.height > pixelsMax || job.picture.bytes > bytesMax)) {
            full.hidden = false;
            full.replaceChildren("This is a preview. ", button(`Show the whole picture (${bytes(job.picture.bytes)})`, null, () => loadFull(true)));
            return;
        }
        try {
            full.hidden = true;
            const loaded = await picture(`/v1/jobs/${id}/picture`, abort.signal);
            owned.push(loaded);
            fullShown = true;
            viewer.show(loaded.image, { width: job.picture.width, height: job.picture.height });
            describe();
        } catch (error) {
            if (error.name !== "AbortError" && !viewer.hasImage) viewer.say(error.message);
        }
    }

    function describe() {
        if (!job) return;
        const tiles = viewer.tiles;
        viewer.describe(job.state === "finished" ? `The finished picture of ${called(job)}.`
            : tiles ? `The picture of ${called(job)}: ${number(tiles.done.length)} of ${tiles.columns * tiles.rows} tiles are done.`
            : `The picture of ${called(job)}: ${states[job.state].word}.`);
    }

    function drawLegend() {
        if (legend.hidden || !viewer.tiles) return;
        const counts = new Map();
        for (const [, , worker] of viewer.tiles.done) counts.set(worker, (counts.get(worker) ?? 0) + 1);
        legend.replaceChildren(...viewer.tiles.workers.map((each, index) => h("li", {}, workerSwatch(each), name(each), `: ${count(counts.get(index) ?? 0, "tile")}`)));
    }

    // MARK: Before and after

    async function findBefore() {
        try {
            const query = new URLSearchParams({ name: job.name, state: "finished", sort: "-id", limit: 200 });
            const page = await get(`/v1/jobs?${query}`, { signal: abort.signal });
            const others = page.jobs.filter((each) => each.name === job.name && each.id !== job.id && each.picture?.kept);
            compareLabel.hidden = !others.length;
            compare.replaceChildren(h("option", { value: "0" }, "no other export"), ...others.slice(0, 50).map((each) =>
                h("option", { value: each.id }, `No. ${each.id}, ${each.size}, ${ago(each.endedAt)}`)));
        } catch { /* nothing to compare with then */ }
    }

    async function chooseBefore(other) {
        if (!other) return viewer.compare(null);
        try {
            const theirs = await get(`/v1/jobs/${other}`, { signal: abort.signal });
            const small = theirs.picture.width * theirs.picture.height <= pixelsMax && theirs.picture.bytes <= bytesMax
                && shownTypes.includes(theirs.picture.mediaType) && fullShown;
            const loaded = await picture(small ? `/v1/jobs/${other}/picture` : `/v1/jobs/${other}/preview?plain=true`, abort.signal);
            owned.push(loaded);
            if (Number(compare.value) !== other) return;
            const older = other < id;
            viewer.compare(loaded.image, [`${older ? "Before" : "After"}: No. ${other}`, `${older ? "After" : "Before"}: No. ${id}`]);
            announce(`Left of the slider is job ${other}, right of it job ${id}.`);
        } catch (error) {
            if (error.name !== "AbortError") toast(error.message, { bad: true });
        }
    }

    // MARK: Story

    async function readStory(again = false) {
        if (storyShown && !again) return;
        storyShown = true;
        try {
            const { events, forgotten } = await get(`/v1/jobs/${id}/story`, { signal: abort.signal });
            const bad = events.filter((each) => each.reason || each.what === "raced");
            const shown = bad.length ? bad : events;
            const last = shown.slice(-400);
            const troubled = new Set(bad.map((each) => each.task));
            // Of a failure it is read first, if it tells something.
            story.open ||= again && bad.length > 0;
            story.querySelector(".storybody")?.remove();
            story.append(h("div.storybody", {},
                h("p", {}, !events.length ? "Nothing has happened to its tiles, or it is no longer known."
                    : `${count(events.length, "event")}; ${bad.length ? `${count(bad.length, "is", "are")} trouble, with ${count(troubled.size, "tile")}.` : "no trouble."}`
                    + (shown.length > last.length ? ` The last ${last.length} are shown.` : "")
                    + (forgotten ? ` ${count(forgotten, "later event is", "later events are")} not kept.` : "")),
                last.length ? h("div.scroller", { tabindex: "0", role: "region", "aria-label": "Events" }, h("table", {},
                    h("thead", {}, h("tr", {}, ["After", "Tile", "Try", "What", "Worker", "Why"].map((name) => h("th", { scope: "col" }, name)))),
                    h("tbody", {}, last.map((each) => h(each.reason ? "tr.bad" : "tr", {},
                        h("td", {}, duration(each.ms / 1000)), h("td", {}, each.task), h("td", {}, String(each.attempt)),
                        h("td", {}, each.what), h("td", {}, each.worker ? [workerSwatch(each.worker), name(each.worker)] : "–"),
                        h("td", {}, sentence(each.reason ?? "", job.name))))))) : null));
        } catch (error) {
            storyShown = false;
            if (error.status === 404) {
                story.hidden = again;
                story.querySelector(".storybody")?.remove();
                story.append(h("p.storybody", {}, "Nothing has happened to its tiles, or it is no longer known."));
            } else if (error.name !== "AbortError") toast(error.message, { bad: true });
        }
    }

    const listeners = [
        ["jobs", ({ detail }) => {
            const mine = detail.find((each) => each.id === id);
            if (mine && job && !isMissing) update(mine);
        }],
        ["removed", ({ detail }) => {
            if (!isMissing && detail.includes(id)) missing(`Job ${id} is no more`, "It was removed, and its picture with it.");
            for (const option of [...compare.options]) if (detail.includes(Number(option.value))) option.remove();
        }],
        ["missed", () => { if (job && !isMissing) refresh(); }],
        ["stats", () => {
            if (!job || isMissing) return;
            if (job.state === "queued") drawWhy();
            drawButtons();
        }],
        ["theme", () => { viewer.themed(); drawLegend(); }],
    ];
    for (const [name, listener] of listeners) farm.addEventListener(name, listener);

    get(`/v1/jobs/${id}`, { signal: abort.signal }).then((first) => {
        update(first);
        if (first.endedAt) readTiles();
        findBatch();
    }, (error) => {
        if (error.name === "AbortError") return;
        if (error.status === 404) missing(`There is no job ${id}`, "It may have been removed, or never have been.");
        else missing("The job cannot be shown", error.message);
    });

    return () => {
        abort.abort();
        viewer.destroy();
        for (const each of owned) each.release();
        for (const [name, listener] of listeners) farm.removeEventListener(name, listener);
        delete root.dataset.state;
    };
}
