// All jobs, 10,000 and more: a list of which only the rows in sight exist, filled page by page by cursor.

import { get } from "./api.js";
import { about, actions, called, farm, reason } from "./farm.js";
import { ago, announce, button, count, duration, findsName, h, name, number, one, rename, shortName, text, timeLeft, toast } from "./dom.js";
import { paintSwatches, states } from "./patterns.js";

const margin = 6;

/** Where the list is, with its filters: where other views lead back to. */
export const place = { address: "#/" };

const keys = {
    id: (job) => job.id,
    name: (job) => job.name,
    ended: (job) => job.endedAt ?? "",
    priority: (job) => job.priority,
};

export class JobList {
    #items = [];
    #ids = new Map();
    #rows = new Map();
    #spare = [];
    #next = null;
    #complete = false;
    #loading = null;
    #version = 0;
    #current = 0;
    #failure = null;
    /** Changes that came while a page was read, which may be older. */
    #late = [];
    #frame = 0;
    filter = { states: new Set(), name: "", owner: "", batch: "", sort: "-id" };

    constructor(element, counter) {
        this.element = element;
        this.counter = counter;
        this.canvas = h("ul.rows", { "aria-label": "Jobs" });
        this.empty = h("div.empty", { hidden: true });
        element.append(this.canvas, this.empty);
        addEventListener("scroll", () => this.#schedule(), { passive: true });
        new ResizeObserver(() => this.#schedule()).observe(element);
        this.canvas.addEventListener("keydown", (event) => this.#key(event));
        this.canvas.addEventListener("focusin", (event) => {
            const row = event.target.closest("li");
            if (row?.index !== undefined) this.#setCurrent(row.index);
        });
        paintSwatches(element);
        farm.addEventListener("theme", () => paintSwatches(element));
        farm.addEventListener("jobs", ({ detail }) => this.#take(detail));
        farm.addEventListener("removed", ({ detail }) => detail.forEach((id) => this.forget(id)));
        farm.addEventListener("stats", () => { this.#schedule(); });
        farm.addEventListener("missed", () => this.reload({ keep: true }));
        setInterval(() => { if (!document.hidden) this.#schedule(); }, 20000);
    }

    get rowHeight() { return innerWidth < 720 ? 96 : 64; }

    // MARK: Contents

    #query(limit) {
        const query = new URLSearchParams({ sort: this.filter.sort, limit });
        if (this.filter.states.size) query.set("state", [...this.filter.states].join(","));
        for (const name of ["name", "owner", "batch"]) if (this.filter[name]) query.set(name, this.filter[name]);
        return query;
    }

    #matches(job) {
        const { states: wanted, name, owner, batch, sort } = this.filter;
        return (!wanted.size || wanted.has(job.state)) && (!owner || job.owner === owner)
            && (!batch || job.batch === batch) && (!name || findsName(job.name, name))
            && (!sort.endsWith("ended") || job.endedAt !== null);
    }

    #compare = (a, b) => {
        const descending = this.filter.sort.startsWith("-");
        const key = keys[this.filter.sort.replace("-", "")];
        const [x, y] = [key(a), key(b)];
        const order = x < y ? -1 : x > y ? 1 : a.id - b.id;
        return descending ? -order : order;
    };

    /** Where the job is, or belongs. */
    #place(job) {
        let [low, high] = [0, this.#items.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.#compare(this.#items[middle], job) < 0) low = middle + 1; else high = middle;
        }
        return low;
    }

    #remove(old) {
        let at = this.#place(old);
        if (this.#items[at]?.id !== old.id) at = this.#items.findIndex((item) => item.id === old.id);
        if (at >= 0) this.#items.splice(at, 1);
        this.#ids.delete(old.id);
        return at;
    }

    #take(jobs) {
        if (this.#version === 0) return;
        if (this.#loading) this.#late.push(...jobs);
        for (const job of jobs) {
            const old = this.#ids.get(job.id);
            const fits = this.#matches(job);
            if (old && fits && this.#compare(old, job) === 0) {
                const at = this.#place(old);
                if (this.#items[at]?.id === job.id) {
                    this.#items[at] = job;
                    this.#ids.set(job.id, job);
                    continue;
                }
            }
            if (old) this.#remove(old);
            if (!fits) continue;
            const at = this.#place(job);
            if (at === this.#items.length && !this.#complete && this.#items.length) continue;
            this.#items.splice(at, 0, job);
            this.#ids.set(job.id, job);
            if (at <= this.#current && !old && this.#current > 0) this.#current += 1;
        }
        this.#schedule();
    }

    /** A job that is no more. */
    forget(id) {
        const old = this.#ids.get(id);
        if (old) this.#remove(old);
        this.#schedule();
    }

    /** Reads the list again; `keep` as far as it was, and what is shown until then. */
    async reload({ keep = false } = {}) {
        const version = ++this.#version;
        const wanted = keep ? Math.min(this.#items.length, 1000) : 0;
        if (!keep) {
            this.#items = [];
            this.#ids = new Map();
            this.#current = 0;
        }
        this.#failure = null;
        this.#loading = this.#read(version, null, Math.max(100, wanted), true);
        await this.#loading;
        if (version === this.#version && !keep) announce(this.counter.textContent || "No jobs");
    }

    async #read(version, cursor, limit, fresh) {
        const query = this.#query(limit);
        if (cursor) query.set("cursor", cursor);
        try {
            const page = await get(`/v1/jobs?${query}`);
            if (version !== this.#version) return;
            if (fresh) {
                this.#items = [];
                this.#ids = new Map();
            }
            for (const job of page.jobs) {
                if (this.#ids.has(job.id) || farm.gone.has(job.id)) continue;
                this.#items.push(job);
                this.#ids.set(job.id, job);
            }
            this.#next = page.next;
            this.#complete = page.next === null;
            this.#loading = null;
            this.#take(this.#late.splice(0).filter((job) => !farm.gone.has(job.id)));
        } catch (error) {
            if (version !== this.#version) return;
            this.#failure = error.message;
            // Not again at once.
            await new Promise((resolve) => setTimeout(resolve, 3000));
            // What was told meanwhile has been shown, and would be old beside the next page.
            this.#late.length = 0;
        } finally {
            if (version === this.#version) {
                this.#loading = null;
                this.#schedule();
            }
        }
    }

    /** How many rows there are, as far as that is known. */
    get #total() {
        if (this.#complete) return this.#items.length;
        const { states: wanted, name, owner, batch, sort } = this.filter;
        const jobs = farm.stats?.jobs;
        const ended = ["finished", "failed", "cancelled"];
        let total = this.#items.length + (this.#next || this.#loading ? 3 : 0);
        if (jobs && !name && !owner && !batch) {
            const counted = Object.keys(states).filter((state) =>
                (!wanted.size || wanted.has(state)) && (!sort.endsWith("ended") || ended.includes(state)));
            total = Math.max(total, counted.reduce((sum, state) => sum + (jobs[state] ?? 0), 0));
        }
        return total;
    }

    // MARK: Rows

    #schedule() {
        if (this.#frame || this.element.offsetParent === null) return;
        this.#frame = requestAnimationFrame(() => {
            this.#frame = 0;
            this.#draw();
        });
    }

    draw() { this.#schedule(); }

    #draw() {
        if (this.element.offsetParent === null) return;
        const height = this.rowHeight, total = this.#total;
        const top = this.canvas.getBoundingClientRect().top;
        const first = Math.max(0, Math.floor(-top / height) - margin);
        const last = Math.min(total, Math.ceil((innerHeight - top) / height) + margin);
        this.canvas.style.height = `${total * height}px`;
        for (const [index, row] of this.#rows) {
            if (index >= first && index < last) continue;
            if (row.contains(document.activeElement) && index < total) continue;
            this.#rows.delete(index);
            row.remove();
            this.#spare.push(row);
        }
        // In the order of the list, which is that of reading and of the tab key.
        let before = null;
        for (let index = last - 1; index >= first; index--) {
            let row = this.#rows.get(index);
            if (!row) {
                row = this.#spare.pop() ?? this.#row();
                this.#rows.set(index, row);
                row.index = index;
                row.style.transform = `translateY(${index * height}px)`;
                row.style.height = `${height}px`;
                this.canvas.insertBefore(row, before);
            } else if (row.offsetHeight !== height) {
                row.style.transform = `translateY(${index * height}px)`;
                row.style.height = `${height}px`;
            }
            before = row;
            this.#fill(row, this.#items[index], index, total);
        }
        this.#count(total);
        if (last > this.#items.length - 20 && !this.#complete && !this.#loading && this.#next) {
            this.#loading = this.#read(this.#version, this.#next, last - this.#items.length > 200 ? 1000 : 200);
        }
    }

    #count(total) {
        const known = this.#complete || this.#total > this.#items.length + 3;
        text(this.counter, this.#failure ?? (!this.#complete && !this.#items.length ? "" : known ? count(total, "job") : `${number(this.#items.length)} jobs and more`));
        const none = this.#complete && total === 0;
        this.canvas.hidden = total === 0;
        if (this.empty.hidden === none) {
            this.empty.hidden = !none;
            if (none) this.#showEmpty();
        }
    }

    #showEmpty() {
        const { states: wanted, name, owner, batch } = this.filter;
        const filtered = wanted.size || name || owner || batch, may = farm.may("submit");
        this.empty.replaceChildren(h("div.empty-art", { "aria-hidden": "true" }),
            h("p.empty-title", {}, filtered ? "No job is like that" : "Nothing to print yet"),
            h("p", {}, filtered ? "Show other states, or look for another name."
                : may ? "Drop documents anywhere on this page, or choose some." : "Jobs appear here as soon as there are some."),
            filtered || !may ? null : button("Choose documents", null, () => one("#export").click(), { kind: "primary" }));
    }

    #row() {
        const parts = {
            swatch: h("span.swatch", { "aria-hidden": "true" }),
            called: shortName(),
            about: h("span.about"),
            state: h("span.state"),
            bar: h("span.bar", { "aria-hidden": "true" }, h("span")),
            note: h("span.note"),
            buttons: h("span.rowbuttons"),
        };
        parts.link = h("a.name", { tabindex: "-1" }, parts.called);
        const row = h("li.row", {}, parts.swatch, h("span.main", {}, parts.link, parts.about),
            h("span.how", {}, h("span.stateline", {}, parts.state, parts.note), parts.bar), parts.buttons);
        row.parts = parts;
        row.addEventListener("click", (event) => {
            if (!event.target.closest("a, button") && row.job) location.hash = `#/jobs/${row.job.id}`;
        });
        return row;
    }

    #fill(row, job, index, total) {
        const { link, called: label, about: line, state, bar, note, buttons } = row.parts;
        row.setAttribute("aria-setsize", total);
        row.setAttribute("aria-posinset", index + 1);
        const tab = index === this.#current ? "0" : "-1";
        link.setAttribute("tabindex", tab);
        if (!job) {
            row.job = null;
            row.dataset.state = "loading";
            link.removeAttribute("href");
            for (const element of [line, state, note]) text(element, "");
            rename(label, "…");
            buttons.replaceChildren();
            bar.hidden = true;
            return;
        }
        if (row.job !== job) {
            const before = row.job;
            row.job = job;
            row.dataset.state = job.state;
            link.setAttribute("href", `#/jobs/${job.id}`);
            rename(label, called(job));
            link.title = label.textContent;
            line.replaceChildren(`No. ${job.id} · ${job.size} · ${job.formats.join(", ")}`,
                ...(job.owner ? [" · ", name(job.owner)] : []), job.priority ? h("b", {}, ` · priority ${job.priority}`) : "");
            text(state, states[job.state].word);
            const shown = job.progress && !job.endedAt;
            bar.hidden = !shown;
            if (shown) bar.firstChild.style.transform = `scaleX(${part(job.progress)})`;
        }
        const can = actions(job), key = JSON.stringify([job.id, can]);
        if (buttons.key !== key) {
            buttons.key = key;
            this.#buttons(buttons, job, can);
        }
        for (const each of buttons.children) each.setAttribute("tabindex", tab);
        text(note, this.#note(job));
    }

    #note(job) {
        switch (job.state) {
        case "queued": return farm.why(job).replace(/^Waits(: | )/, "");
        case "running": {
            const left = timeLeft(job.timeLeft);
            return progressWords(job.progress) + (left ? ` · ${left.about} left` : "");
        }
        case "paused": return job.progress ? progressWords(job.progress) : "until it is resumed";
        case "finished": return `${job.picture ? `in ${duration(job.picture.seconds)} · ` : ""}${ago(job.endedAt)}`
            + (job.warnings.length ? ` · ${count(job.warnings.length, "warning")}` : "");
        case "failed": return reason(job) || ago(job.endedAt);
        default: return ago(job.endedAt);
        }
    }

    #buttons(element, job, can) {
        const of = ` ${called(job)}`;
        const had = element.contains(document.activeElement);
        const add = (verb, words, name, said) => button(words + of, name,
            () => farm.act("jobs", job.id, verb, undefined, said), { shown: false });
        element.replaceChildren(...[
            can.retry && add("retry", "Try again:", "retry", about(job, " is queued again.")),
            can.resume && add("resume", "Resume", "resume"),
            can.pause && add("pause", "Pause", "pause"),
            can.cancel && add("cancel", "Cancel", "cancel", about(job, " was cancelled.")),
            can.download && button(`Download${of}`, "download", () => download(job), { shown: false }),
        ].filter(Boolean));
        if (had) (element.firstChild ?? element.parentElement.querySelector("a")).focus();
    }

    // MARK: Keyboard

    #setCurrent(index) {
        const before = this.#rows.get(this.#current), now = this.#rows.get(index);
        this.#current = index;
        for (const [row, tab] of [[before, "-1"], [now, "0"]]) {
            row?.querySelectorAll("a, button").forEach((each) => each.setAttribute("tabindex", tab));
        }
    }

    #key(event) {
        const page = Math.max(1, Math.floor(innerHeight / this.rowHeight) - 2);
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
        if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const index = Math.max(0, Math.min(this.#total - 1, this.#current + step));
        const height = this.rowHeight, top = this.canvas.getBoundingClientRect().top + index * height;
        const head = one("#filters"), covered = getComputedStyle(head).position === "sticky" ? head.offsetHeight : 0;
        if (top < covered) scrollBy(0, top - covered); else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight);
        this.#current = index;
        this.#draw();
        this.#rows.get(index)?.parts.link.focus({ preventScroll: true });
    }
}

export const part = (progress) =>
    progress && progress.total ? Math.min(1, progress.done / progress.total) : 0;

export function progressWords(progress) {
    if (!progress?.total || progress.phase === "reading") return "reading the document";
    if (progress.phase === "ending") return "writing the file";
    return `${number(progress.done)} of ${count(progress.total, "tile")}`;
}

/** Saves the picture of a job, with the token where there is one. */
export async function download(job) {
    const { token, request } = await import("./api.js");
    const path = `/v1/jobs/${job.id}/picture?download=true`;
    const link = h("a", { href: path, download: job.picture.file.split("/").pop() });
    try {
        if (token.value) {
            link.href = URL.createObjectURL(await (await request(path)).blob());
            setTimeout(() => URL.revokeObjectURL(link.href), 60000);
        }
        link.click();
        toast([name(link.download), " is being saved."], { links: [["Show", `#/jobs/${job.id}`]] });
    } catch (error) {
        toast(error.message, { bad: true });
    }
}
