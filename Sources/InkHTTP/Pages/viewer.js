// A picture that can be moved and enlarged: coarse dots where tiles are not done yet, beside an older one to compare.

import { button, h, stillness, text } from "./dom.js";
import { canvasPattern, isDark } from "./patterns.js";

const fade = 350;

/** The picture as dots of its colours, larger where it is darker: what stands for tiles that are not done. */
export function halftone(image, width, height) {
    const cells = 88, scale = cells / Math.max(width, height);
    const columns = Math.max(1, Math.round(width * scale)), rows = Math.max(1, Math.round(height * scale));
    const small = new OffscreenCanvas(columns, rows).getContext("2d", { willReadFrequently: true });
    small.imageSmoothingQuality = "high";
    small.drawImage(image, 0, 0, columns, rows);
    const { data } = small.getImageData(0, 0, columns, rows);
    const size = 12, canvas = new OffscreenCanvas(columns * size, rows * size), pen = canvas.getContext("2d");
    const dark = isDark();
    pen.fillStyle = dark ? "#191c27" : "#fffdf8";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
            const i = 4 * (row * columns + column);
            const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
            const light = (0.3 * r + 0.59 * g + 0.11 * b) / 255;
            const ink = (dark ? light : 1 - light) * data[i + 3] / 255;
            pen.fillStyle = `rgb(${r} ${g} ${b})`;
            pen.beginPath();
            pen.arc((column + 0.5) * size, (row + 0.5) * size, size * (0.2 + 0.42 * Math.sqrt(ink)), 0, 7);
            pen.fill();
        }
    }
    return canvas;
}

/** Draws a picture of which some tiles are done into a rectangle. */
export function drawTiles(pen, image, coarse, tiles, box, { now = Infinity, born = null } = {}) {
    const { x, y, width, height } = box;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(coarse, x, y, width, height);
    const across = width / tiles.width, down = height / tiles.height;
    const ix = image.naturalWidth / tiles.width, iy = image.naturalHeight / tiles.height;
    for (const [column, row] of tiles.done) {
        const left = column * tiles.tileWidth, top = row * tiles.tileHeight;
        const w = Math.min(tiles.tileWidth, tiles.width - left), h = Math.min(tiles.tileHeight, tiles.height - top);
        if (w <= 0 || h <= 0) continue;
        const age = born ? now - (born.get(`${column},${row}`) ?? 0) : Infinity;
        pen.globalAlpha = age < fade ? Math.max(0, age / fade) : 1;
        // Half a pixel more, so that no line is seen between tiles.
        pen.drawImage(image, left * ix, top * iy, w * ix, h * iy,
            x + left * across, y + top * down, w * across + 0.5, h * down + 0.5);
    }
    pen.globalAlpha = 1;
}

export class Viewer {
    #image = null;
    #coarse = null;
    #before = null;
    #born = new Map();
    #view = { scale: 1, x: 0, y: 0 };
    #fitted = true;
    #frame = 0;
    #pointers = new Map();
    tiles = null;
    byWorker = false;
    split = 0.5;

    constructor(label) {
        this.canvas = h("canvas", { "aria-hidden": "true" });
        this.words = h("p.unseen", { id: "picture-words" }, label);
        this.note = h("p.stage-note", { hidden: true });
        this.zoomWords = h("output.zoom", { "aria-label": "Zoom" });
        this.slider = h("input.split", { type: "range", min: 0, max: 100, value: 50, hidden: true,
            "aria-label": "Before and after: where the pictures meet",
            oninput: () => { this.split = this.slider.value / 100; this.draw(); } });
        this.stage = h("div.stage", { tabindex: "0", role: "group", "aria-describedby": "picture-words",
            "aria-label": "Picture. Plus and minus change its size, arrow keys move it, 0 fits it, 1 shows its pixels." },
            this.canvas, this.note);
        this.bar = h("div.zoombar", { role: "group", "aria-label": "Zoom" },
            button("Smaller", "minus", () => this.zoom(1 / 1.5), { shown: false }), this.zoomWords,
            button("Larger", "plus", () => this.zoom(1.5), { shown: false }),
            button("Fit the window", "fit", () => this.fit(), { shown: false }),
            h("button.bare", { type: "button", onclick: () => this.actual(), title: "A pixel of the picture for each of the screen" }, "1:1"));
        this.element = h("div.viewer", {}, this.stage, this.slider, this.words);
        this.#listen();
        this.resizes = new ResizeObserver(() => this.#resize());
        this.resizes.observe(this.stage);
    }

    destroy() {
        this.resizes.disconnect();
        cancelAnimationFrame(this.#frame);
    }

    get size() {
        if (this.tiles?.width) return { width: this.tiles.width, height: this.tiles.height };
        return this.picture ?? { width: this.#image?.naturalWidth || 1, height: this.#image?.naturalHeight || 1 };
    }

    /** Shows an image; size is that of the picture, of which the image may be a smaller one. */
    show(image, size) {
        const first = !this.#image;
        this.#image = image;
        this.picture = size ?? this.picture;
        this.#coarse = null;
        this.unsay();
        if (first || this.#fitted) this.fit(); else this.draw();
    }

    get hasImage() { return this.#image !== null; }

    /** Words in place of a picture. */
    say(words) {
        this.note.hidden = false;
        this.note.replaceChildren(h("span", {}, words));
        this.stage.classList.add("bare");
        this.bar.hidden = true;
    }

    unsay() {
        this.note.hidden = true;
        this.stage.classList.remove("bare");
        this.bar.hidden = false;
    }

    describe(words) { text(this.words, words); }

    /** Before a job begins anew. */
    clear() {
        this.#image = this.#coarse = this.#before = null;
        this.tiles = null;
        this.#born.clear();
        this.slider.hidden = true;
        this.fit();
    }

    /** An older picture to compare with, or null. */
    compare(image, words) {
        this.#before = image;
        this.labels = words;
        this.slider.hidden = !image;
        this.draw();
    }

    addTiles(tiles, whole) {
        const now = performance.now();
        if (!this.tiles || whole || tiles.width !== this.tiles.width || tiles.columns !== this.tiles.columns) {
            this.tiles = { ...tiles, done: [] };
            this.#born.clear();
            if (this.#fitted) this.fit();
        }
        this.tiles.workers = tiles.workers;
        for (const tile of tiles.done) {
            const key = `${tile[0]},${tile[1]}`;
            if (this.#born.has(key)) continue;
            this.#born.set(key, whole || stillness.matches ? 0 : now);
            this.tiles.done.push(tile);
        }
        this.draw();
    }

    get isWhole() { return !this.tiles || this.tiles.done.length >= this.tiles.columns * this.tiles.rows; }

    /** The job has ended: all of it is sharp. */
    finish() {
        if (this.tiles && !this.isWhole) {
            const { columns, rows } = this.tiles;
            const done = [];
            for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) done.push([column, row, 0]);
            this.addTiles({ ...this.tiles, done: done.filter(([c, r]) => !this.#born.has(`${c},${r}`)) });
        }
        this.draw();
    }

    themed() { this.#coarse = null; this.draw(); }

    // MARK: Place and size

    get #box() { return this.stage.getBoundingClientRect(); }

    get #fitScale() {
        const { width, height } = this.size, box = this.#box;
        return Math.min((box.width - 16) / width, (box.height - 16) / height);
    }

    fit() {
        this.#fitted = true;
        const { width, height } = this.size, box = this.#box, scale = this.#fitScale;
        this.#view = { scale, x: (box.width - width * scale) / 2, y: (box.height - height * scale) / 2 };
        this.draw();
    }

    actual() {
        const box = this.#box;
        this.zoom(1 / devicePixelRatio / this.#view.scale, box.width / 2, box.height / 2);
    }

    zoom(factor, x = this.#box.width / 2, y = this.#box.height / 2) {
        const least = Math.min(this.#fitScale, 1) * 0.5;
        const scale = Math.max(least, Math.min(16, this.#view.scale * factor));
        const real = scale / this.#view.scale;
        this.#view = { scale, x: x - (x - this.#view.x) * real, y: y - (y - this.#view.y) * real };
        this.#fitted = false;
        this.#keep();
    }

    move(dx, dy) {
        this.#view.x += dx;
        this.#view.y += dy;
        this.#fitted = false;
        this.#keep();
    }

    /** Some of the picture stays in sight. */
    #keep() {
        const { width, height } = this.size, box = this.#box, { scale } = this.#view;
        const keep = 60;
        this.#view.x = Math.min(box.width - keep, Math.max(keep - width * scale, this.#view.x));
        this.#view.y = Math.min(box.height - keep, Math.max(keep - height * scale, this.#view.y));
        this.draw();
    }

    #resize() {
        if (this.#fitted) this.fit(); else this.draw();
    }

    #listen() {
        const stage = this.stage;
        stage.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || event.target !== stage) return;
            const step = event.shiftKey ? 200 : 60;
            const actions = {
                "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(),
                "1": () => this.actual(), ArrowLeft: () => this.move(step, 0), ArrowRight: () => this.move(-step, 0),
                ArrowUp: () => this.move(0, step), ArrowDown: () => this.move(0, -step),
            };
            if (!actions[event.key]) return;
            event.preventDefault();
            actions[event.key]();
        });
        stage.addEventListener("wheel", (event) => {
            event.preventDefault();
            const box = this.#box;
            const lines = event.deltaMode === 1 ? 18 : 1;
            this.zoom(Math.exp(-event.deltaY * lines * 0.0016), event.clientX - box.left, event.clientY - box.top);
        }, { passive: false });
        stage.addEventListener("dblclick", (event) => {
            const box = this.#box;
            this.zoom(2, event.clientX - box.left, event.clientY - box.top);
        });
        stage.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            stage.setPointerCapture(event.pointerId);
            this.#pointers.set(event.pointerId, event);
            const box = this.#box;
            this.onDivider = this.#before && Math.abs(event.clientX - box.left - this.#divider) < 18;
        });
        stage.addEventListener("pointermove", (event) => {
            const old = this.#pointers.get(event.pointerId);
            if (!old) return;
            const box = this.#box;
            if (this.onDivider) {
                const { scale, x } = this.#view;
                this.split = Math.max(0, Math.min(1, (event.clientX - box.left - x) / (this.size.width * scale)));
                this.slider.value = 100 * this.split;
                this.draw();
            } else if (this.#pointers.size === 1) {
                this.move(event.clientX - old.clientX, event.clientY - old.clientY);
            } else {
                const other = [...this.#pointers.values()].find((each) => each.pointerId !== event.pointerId);
                const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
                this.zoom(gap(event) / Math.max(1, gap(old)), (event.clientX + other.clientX) / 2 - box.left,
                    (event.clientY + other.clientY) / 2 - box.top);
            }
            this.#pointers.set(event.pointerId, event);
        });
        for (const name of ["pointerup", "pointercancel"]) {
            stage.addEventListener(name, (event) => this.#pointers.delete(event.pointerId));
        }
    }

    get #divider() { return this.#view.x + this.size.width * this.#view.scale * this.split; }

    // MARK: Drawing

    draw() {
        if (this.#frame) return;
        this.#frame = requestAnimationFrame((now) => {
            this.#frame = 0;
            this.#paint(now);
        });
    }

    #paint(now) {
        const box = this.#box, ratio = devicePixelRatio;
        if (!box.width) return;
        const [w, hh] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
        if (this.canvas.width !== w || this.canvas.height !== hh) Object.assign(this.canvas, { width: w, height: hh });
        const pen = this.canvas.getContext("2d");
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(0, 0, w, hh);
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        text(this.zoomWords, this.#image || this.tiles ? `${Math.round(this.#view.scale * ratio * 100)}%` : "–");
        const { width, height } = this.size, { scale, x, y } = this.#view;
        const area = { x, y, width: width * scale, height: height * scale };
        const css = getComputedStyle(this.stage);
        if (this.#image) {
            pen.imageSmoothingEnabled = this.#image.naturalWidth / width * 3 > scale * ratio;
            pen.imageSmoothingQuality = "high";
            if (this.isWhole) {
                pen.fillStyle = "#fff";
                pen.drawImage(this.#image, area.x, area.y, area.width, area.height);
            } else {
                this.#coarse ??= halftone(this.#image, width, height);
                drawTiles(pen, this.#image, this.#coarse, this.tiles, area, { now, born: this.#born });
            }
        } else if (this.tiles) {
            pen.fillStyle = css.getPropertyValue("--sheet");
            pen.fillRect(area.x, area.y, area.width, area.height);
        }
        if (this.tiles && (this.byWorker || !this.#image)) this.#paintWorkers(pen, area, ratio);
        if (this.#before) this.#paintBefore(pen, area, css);
        if (this.#image || this.tiles) {
            pen.strokeStyle = css.getPropertyValue("--line");
            pen.lineWidth = 1;
            pen.strokeRect(area.x - 0.5, area.y - 0.5, area.width + 1, area.height + 1);
        }
        const newest = this.tiles?.done.at(-1);
        if (newest && now - (this.#born.get(`${newest[0]},${newest[1]}`) ?? 0) < fade + 50) this.draw();
    }

    #paintWorkers(pen, area, ratio) {
        const { tiles } = this, fills = new Map();
        const across = area.width / tiles.width, down = area.height / tiles.height;
        // Light marks need more of the dark on a picture that is as light as paper.
        const [veil, cover] = isDark() ? ["#11131b", 0.65] : ["#fffdf8", 0.45];
        for (const [column, row, worker] of tiles.done) {
            const name = tiles.workers[worker];
            if (name === undefined) continue;
            if (!fills.has(worker)) fills.set(worker, canvasPattern(pen, name, ratio));
            const left = area.x + column * tiles.tileWidth * across, top = area.y + row * tiles.tileHeight * down;
            const w = Math.min(tiles.tileWidth, tiles.width - column * tiles.tileWidth) * across;
            const h = Math.min(tiles.tileHeight, tiles.height - row * tiles.tileHeight) * down;
            pen.globalAlpha = cover;
            pen.fillStyle = veil;
            pen.fillRect(left, top, w, h);
            pen.globalAlpha = 1;
            pen.fillStyle = fills.get(worker);
            pen.fillRect(left + 0.5, top + 0.5, w - 1, h - 1);
        }
    }

    #paintBefore(pen, area, css) {
        const at = this.#divider;
        pen.save();
        pen.beginPath();
        pen.rect(area.x, area.y, area.width * this.split, area.height);
        pen.clip();
        pen.clearRect(area.x, area.y, area.width, area.height);
        pen.drawImage(this.#before, area.x, area.y, area.width, area.height);
        pen.restore();
        const middle = Math.max(30, Math.min(this.#box.height - 30, area.y + area.height / 2));
        pen.strokeStyle = css.getPropertyValue("--sheet");
        pen.lineWidth = 4;
        pen.beginPath();
        pen.moveTo(at, area.y);
        pen.lineTo(at, area.y + area.height);
        pen.stroke();
        pen.fillStyle = css.getPropertyValue("--accent");
        pen.fillRect(at - 1, area.y, 2, area.height);
        pen.beginPath();
        pen.arc(at, middle, 15, 0, 7);
        pen.fill();
        pen.strokeStyle = css.getPropertyValue("--on-accent");
        pen.lineWidth = 2;
        pen.beginPath();
        for (const side of [-1, 1]) {
            pen.moveTo(at + side * 4, middle - 5);
            pen.lineTo(at + side * 9, middle);
            pen.lineTo(at + side * 4, middle + 5);
        }
        pen.stroke();
        this.#label(pen, this.labels?.[0], area, "left", css);
        this.#label(pen, this.labels?.[1], area, "right", css);
    }

    #label(pen, words, area, side, css) {
        if (!words) return;
        const box = this.#box;
        pen.font = "13px system-ui, sans-serif";
        const width = pen.measureText(words).width + 16;
        const x = side === "left" ? Math.max(8, area.x + 8) : Math.min(box.width - 8, area.x + area.width - 8) - width;
        const y = Math.max(8, area.y + 8);
        pen.fillStyle = css.getPropertyValue("--sheet");
        pen.fillRect(x, y, width, 24);
        pen.fillStyle = css.getPropertyValue("--ink");
        pen.textBaseline = "middle";
        pen.fillText(words, x + 8, y + 12.5);
    }
}
