// The pictures that are rendered now, as cards.

import { get, picture } from "./api.js";
import { called, farm } from "./farm.js";
import { h, rename, shortName, text, timeLeft } from "./dom.js";
import { part, progressWords } from "./list.js";
import { statePattern } from "./patterns.js";
import { drawTiles, halftone } from "./viewer.js";

const cardsMax = 8, everyMs = 1500, triesMax = 8;

/** Cards of running jobs in an element. */
export class Press {
    #cards = new Map();
    #busy = false;
    #looking = false;

    constructor(element, section) {
        this.element = element;
        this.section = section;
        farm.addEventListener("running", () => this.#arrange());
        farm.addEventListener("theme", () => {
            for (const card of this.#cards.values()) { card.coarse = null; this.#paint(card); }
        });
        setInterval(() => this.#refresh(), everyMs);
    }

    #arrange() {
        const jobs = [...farm.running.values()].sort((a, b) => b.priority - a.priority || a.id - b.id).slice(0, cardsMax);
        const wanted = new Set(jobs.map((job) => job.id));
        for (const [id, card] of this.#cards) {
            if (wanted.has(id)) continue;
            card.element.remove();
            card.loaded?.release();
            this.#cards.delete(id);
        }
        let before = this.element.firstChild;
        for (const job of jobs) {
            let card = this.#cards.get(job.id);
            if (!card) {
                card = this.#card();
                this.#cards.set(job.id, card);
            }
            if (card.element === before) before = before.nextSibling;
            else this.element.insertBefore(card.element, before);
            this.#fill(card, job);
        }
        this.section.hidden = jobs.length === 0;
    }

    #card() {
        const canvas = h("canvas", { width: 192, height: 144, "aria-hidden": "true" });
        const name = shortName(), note = h("span.note"), bar = h("span.bar", { "aria-hidden": "true" }, h("span"));
        const link = h("a", {}, h("span.frame", {}, canvas), h("span.cardwords", {}, h("span.cardname", {}, name), note, bar));
        return { element: h("li.card", { "data-state": "running" }, link), canvas, name, note, bar, link, job: null, tiles: null, loaded: null, coarse: null, tries: 0, next: 0 };
    }

    #fill(card, job) {
        card.job = job;
        card.link.setAttribute("href", `#/jobs/${job.id}`);
        rename(card.name, called(job));
        const left = timeLeft(job.timeLeft);
        text(card.note, left ? `${left.about} left` : progressWords(job.progress));
        card.bar.firstChild.style.transform = `scaleX(${part(job.progress)})`;
    }

    async #refresh() {
        if (this.#busy || document.hidden || this.element.offsetParent === null || !farm.connected) return;
        this.#busy = true;
        this.#look();
        try {
            for (const card of this.#visible()) {
                if (!card.job.progress || card.job.progress.phase === "reading") continue;
                try {
                    card.tiles = await get(`/v1/jobs/${card.job.id}/tiles`);
                    this.#paint(card);
                } catch { /* not yet, or no more */ }
            }
        } finally {
            this.#busy = false;
        }
    }

    #visible() {
        return [...this.#cards.values()].filter((card) => {
            const box = card.element.getBoundingClientRect();
            return box.bottom > 0 && box.top < innerHeight && box.left < innerWidth;
        });
    }

    /** One preview at a time: the farm renders it, and it may have more to do. */
    async #look() {
        if (this.#looking) return;
        const card = this.#visible().find((each) => !each.loaded && each.tries < triesMax && performance.now() > each.next);
        if (!card) return;
        this.#looking = true;
        try {
            card.loaded = await picture(`/v1/jobs/${card.job.id}/preview?plain=true`);
            if (this.#cards.get(card.job.id) === card) this.#paint(card); else card.loaded.release();
        } catch {
            // Not yet, or no more: a picture may have been removed.
            card.tries += 1;
            card.next = performance.now() + 1000 * 2 ** Math.min(4, card.tries);
        } finally {
            this.#looking = false;
        }
        this.#look();
    }

    #paint(card) {
        const { canvas, loaded, tiles } = card;
        if (!loaded && !tiles?.columns) return;
        const pen = canvas.getContext("2d");
        const { naturalWidth, naturalHeight } = loaded?.image ?? { naturalWidth: tiles.width, naturalHeight: tiles.height };
        const scale = Math.min(canvas.width / naturalWidth, canvas.height / naturalHeight);
        const width = naturalWidth * scale, height = naturalHeight * scale;
        const box = { x: (canvas.width - width) / 2, y: (canvas.height - height) / 2, width, height };
        pen.clearRect(0, 0, canvas.width, canvas.height);
        pen.imageSmoothingQuality = "high";
        if (!loaded) {
            // Until there is a picture to show: which tiles are done.
            const css = getComputedStyle(canvas), across = width / tiles.width, down = height / tiles.height;
            pen.fillStyle = css.getPropertyValue("--sheet");
            pen.fillRect(box.x, box.y, width, height);
            pen.fillStyle = statePattern(pen, "running", canvas);
            for (const [column, row] of tiles.done) {
                const left = column * tiles.tileWidth, top = row * tiles.tileHeight;
                pen.fillRect(box.x + left * across, box.y + top * down,
                    Math.min(tiles.tileWidth, tiles.width - left) * across, Math.min(tiles.tileHeight, tiles.height - top) * down);
            }
        } else {
            card.coarse ??= halftone(loaded.image, naturalWidth, naturalHeight);
            const none = { width: 1, height: 1, tileWidth: 1, tileHeight: 1, done: [] };
            drawTiles(pen, loaded.image, card.coarse, tiles?.columns ? tiles : none, box);
        }
    }
}
