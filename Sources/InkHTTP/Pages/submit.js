// Documents that are dropped or chosen: options, upload, and what became of them.

import { get, upload } from "./api.js";
import { farm } from "./farm.js";
import { button, bytes, count, h, name, one, prioritySelect, shortName, text, toast } from "./dom.js";

let formats = null;

// What not everybody has met.
const explained = {
    jxl: "JXL (JPEG XL) makes small files, which few browsers show yet.",
    szi: "SZI is for pictures that are too large to be shown at once: tiles of all sizes in one file, for viewers that zoom.",
    dzi: "DZI and IIIF are folders of such tiles, for web pages; you get them as a zip file.",
};

// What a photo says about itself, as `keep` names it.
const kinds = [["copyright", "Copyright"], ["caption", "Caption"], ["dates", "Dates"], ["camera", "Camera"], ["places", "Places"]];

/** What is wrong with a file that was chosen, in words; null if it can be read as it was. Browsers read it only when it is sent. */
async function trouble(file) {
    try {
        await file.slice(0, 1).arrayBuffer();
        return null;
    } catch (error) {
        return error.name === "NotFoundError" ? "It is not there any more: it was moved, renamed or deleted."
            : error.name === "NotReadableError" ? "It has changed on the disk, or cannot be read any more, since it was chosen."
            : `It cannot be read: ${error.message}`;
    }
}

/** The dialog for an export; `drop` takes files from anywhere on the page. */
export class Submitter {
    #files = [];
    /** Those that cannot be sent as they were chosen. */
    #stale = new Set();
    #dialog = null;
    #abort = null;
    /** What was sent, but perhaps not accepted: sent again under the same key, it is accepted once. */
    #keys = new Map();

    constructor() {
        get("/v1/formats").then((answer) => { formats ??= answer.formats; }, () => { /* asked again with the dialog */ });
        const drop = one("#drop");
        let depth = 0;
        const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
        addEventListener("dragenter", (event) => {
            if (!carries(event)) return;
            event.preventDefault();
            depth += 1;
            drop.hidden = !farm.may("submit");
        });
        addEventListener("dragleave", () => {
            depth = Math.max(0, depth - 1);
            if (!depth) drop.hidden = true;
        });
        addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
        addEventListener("drop", (event) => {
            if (!carries(event)) return;
            event.preventDefault();
            depth = 0;
            drop.hidden = true;
            if (!farm.may("submit")) return toast("This token shows the farm only: it cannot export documents.", { bad: true });
            // A folder cannot be read as a file.
            const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
            const folders = items.filter((item) => item.webkitGetAsEntry?.()?.isDirectory);
            const files = items.filter((item) => !folders.includes(item)).map((item) => item.getAsFile()).filter(Boolean);
            if (folders.length) toast("Folders are not taken. Drop the documents themselves, and templates as ZIP files.", { bad: true });
            if (files.length) this.open(files);
        });
    }

    async open(files = []) {
        if (this.#abort) return;
        for (const file of files) {
            // Chosen again, a file takes the place of what it was.
            const before = this.#files.findIndex((each) => this.#stale.has(each) && each.name === file.name);
            if (before < 0) this.#files.push(file); else this.#files[before] = file;
        }
        if (!this.#dialog) this.#build();
        this.#list();
        if (!this.#dialog.open) {
            this.#dialog.showModal();
            (this.#files.length ? this.go : this.chooser).focus();
        }
        try {
            formats ??= (await get("/v1/formats")).formats;
            if (!this.formats.querySelector("input")) this.#fillFormats();
        } catch (error) {
            toast(error.message, { bad: true });
        }
    }

    #build() {
        const field = (words, control, hint) => h("label.field", {}, h("span", {}, words), control, hint ? h("small.faint", {}, hint) : null);
        const check = (name, words) => h("label.check", {}, h("input", { type: "checkbox", name }), words);
        const select = (name, ...options) => h("select", { name }, options.map(([value, words]) => h("option", { value }, words)));
        const input = (name, more) => h("input", { name, type: "text", autocomplete: "off", spellcheck: "false", ...more });
        this.chooser = h("input", { type: "file", multiple: true, id: "files", class: "unseen", onchange: () => {
            this.open([...this.chooser.files]);
            this.chooser.value = "";
        } });
        this.files = h("ul.files", { "aria-label": "Documents" });
        this.form = h("form.export", { onsubmit: (event) => { event.preventDefault(); this.#send(); } },
            h("header.dialoghead", {}, h("h2", { id: "export-title" }, "Export documents"),
                button("Close", "cancel", () => this.#close(), { shown: false })),
            h("div.dialogbody", {},
                h("div.well", {}, this.files, h("label.choose", { for: "files" }, "Choose documents"), this.chooser,
                    h("p.faint", {}, "or drop them anywhere: drawings, templates, photos")),
                h("fieldset", {}, h("legend", {}, "Size"),
                    h("div.chips", {}, [["1x", "1×"], ["1080p", "1080p"], ["2k", "2K"], ["4k", "4K"], ["8k", "8K"]].map(([value, words]) =>
                        h("label.chip", {}, h("input", { type: "checkbox", name: "size", value, checked: value === "2k" }), h("span", {}, words))),
                        input("other-size", { placeholder: "1600x900", "aria-label": "Another size: pixels, WIDTHxHEIGHT, or a factor such as 0.5x", maxlength: 64 }))),
                h("fieldset", {}, h("legend", {}, "Format"), this.formats = h("div.chips", {}, h("span.faint", {}, "…")),
                    this.explanation = h("p.faint.explanation")),
                h("div.two", {},
                    this.quality = field("Quality", h("input", { name: "quality", type: "number", min: 1, max: 100, placeholder: "usual" })),
                    h("div.mark-choice", {},
                        field("Watermark", this.markText = input("watermark", { maxlength: 1024, placeholder: "© A. Painter" }), "In the lower right corner: a text, or a picture"),
                        h("div", {}, this.mark = h("input", { type: "file", name: "watermark-picture", id: "mark", class: "unseen", onchange: () => this.#marked(),
                                accept: "image/*,.heic,.heif,.avif,.tif,.tiff" }),
                            h("label.choose", { for: "mark" }, "Choose a picture", h("span.unseen", {}, " as watermark")),
                            this.markName = h("span.filename", { hidden: true }), this.markOut = button("Leave out the watermark", "cancel", () => {
                                this.mark.value = "";
                                this.#marked();
                                this.mark.focus();
                            }, { shown: false, hidden: true })))),
                h("details", {}, h("summary", {}, "More options"),
                    h("div.two", {},
                        this.most = field("Largest file", input("max-bytes", { placeholder: "any; 200K, 2M", maxlength: 32 }), "In the best quality that fits"),
                        field("Background", input("background", { placeholder: "#ffffff, transparent", maxlength: 32 })),
                        field("Compression", select("effort", ["", "balanced"], ["fast", "fast, larger files"], ["small", "small files, slower"])),
                        field("Resolution", h("input", { name: "dpi", type: "number", min: 1, max: 100000, step: "any", placeholder: "dots per inch" })),
                        field("Paper", select("paper", ["", "none; scores: their own"], ["a4", "A4"], ["letter", "Letter"], ["a5", "A5"])),
                        field("Paper margin", input("paper-margin", { placeholder: "10mm", maxlength: 32 })),
                        field("Staff size", input("staff-size", { placeholder: "7mm", maxlength: 32 }), "Height of the staves of scores"),
                        field("Margin", h("input", { name: "margin", type: "number", min: 0, step: "any", placeholder: "canvas pixels" })),
                        field("Layers", input("layers", { placeholder: "Sketch, Ink" }), "Only these, by name or id"),
                        field("Viewport", input("viewport", { maxlength: 256, placeholder: "name or X,Y,ZOOM" })),
                        field("Chroma", select("chroma", ["", "usual"], ["4:4:4", "4:4:4"], ["4:2:0", "4:2:0"])),
                        field("TIFF compression", select("compression", ["", "usual"], ...["deflate", "lzw", "zstd", "none"].map((each) => [each, each]))),
                        field("Empty layers", select("fill", ["", "usual"], ["suggested", "fill with their suggested pattern"])),
                        h("div.field", {}, h("label.field", {}, h("span", {}, "Priority"), this.priority = prioritySelect(0, () => {})))),
                    h("div.checks", {}, check("lossless", "Lossless"), check("rgba", "Keep transparency"), check("progressive", "Progressive JPEG"),
                        check("landscape", "Landscape paper"), check("crop-marks", "Crop marks"),
                        check("each-layer", "A picture for each layer"), check("each-viewport", "A picture for each viewport"),
                        check("no-metadata", "Without metadata")),
                    h("fieldset", {}, h("legend", {}, "Of what a photo says about itself, keep"),
                        h("div.checks", {}, kinds.map(([value, words]) => h("label.check", {},
                            h("input", { type: "checkbox", name: "keep", value, checked: true }), words))))),
                this.trouble = h("div.trouble", { role: "alert", hidden: true })),
            h("footer.dialogfoot", {}, this.sum = h("p.faint", { role: "status" }), this.cancelButton = button("Close", null, () => this.#close()),
                this.go = h("button.primary", {}, "Export")));
        this.form.addEventListener("change", () => this.#summarize());
        farm.addEventListener("stats", () => { if (this.#dialog.open && !this.#abort) this.#summarize(); });
        this.#dialog = h("dialog.sheet", { "aria-labelledby": "export-title", oncancel: (event) => {
            if (this.#abort) { event.preventDefault(); this.#abort.abort(); }
        } }, this.form);
        document.body.append(this.#dialog);
    }

    /** A watermark is a picture or a text. */
    #marked() {
        const file = this.mark.files[0];
        this.markText.disabled = Boolean(file);
        this.markName.replaceChildren(...(file ? [name(file.name), `, ${bytes(file.size)}`] : []));
        this.markName.hidden = this.markOut.hidden = !file;
    }

    #fillFormats() {
        this.formats.replaceChildren(...formats.map((each) => h("label.chip", {},
            h("input", { type: "checkbox", name: "format", value: each.name, checked: each.name === "png" }), h("span", {}, each.name.toUpperCase()))));
        this.explanation.replaceChildren(...formats.flatMap((each) => explained[each.name] ? [explained[each.name], " "] : []));
        this.#summarize();
    }

    #close() {
        if (this.#abort) return this.#abort.abort();
        this.#files = [];
        this.#dialog.close();
    }

    #list() {
        this.files.hidden = !this.#files.length;
        this.files.replaceChildren(...this.#files.map((file) => {
            const bar = h("span.bar", { "aria-hidden": "true", hidden: true }, h("span"));
            const item = h(this.#stale.has(file) ? "li.stale" : "li", {}, h("span.filename", { title: file.name }, shortName(file.name)), h("span.faint", {}, bytes(file.size)), bar,
                button(`Leave out ${file.name}`, "cancel", () => {
                    this.#files = this.#files.filter((each) => each !== file);
                    this.#list();
                    this.chooser.focus();
                }, { shown: false }));
            file.bar = bar;
            return item;
        }));
        this.trouble.hidden = true;
        this.#summarize();
    }

    #options() {
        const data = new FormData(this.form), options = {};
        const sizes = [...data.getAll("size"), ...data.get("other-size").split(",").map((each) => each.trim())].filter(Boolean);
        if (sizes.length) options.size = sizes;
        for (const name of ["watermark", "max-bytes", "background", "effort", "viewport", "chroma", "compression", "fill",
            "paper", "paper-margin", "staff-size"]) {
            if (data.get(name)) options[name] = data.get(name);
        }
        for (const name of ["dpi", "margin"]) if (data.get(name)) options[name] = Number(data.get(name));
        if (data.get("quality")) options.quality = Number(data.get("quality"));
        const layers = data.get("layers").split(",").map((each) => each.trim()).filter(Boolean);
        if (layers.length) options.layers = layers;
        for (const name of ["lossless", "rgba", "progressive", "landscape", "crop-marks", "each-layer", "each-viewport", "no-metadata"]) {
            if (data.get(name)) options[name] = true;
        }
        const kept = data.getAll("keep");
        if (!kept.length) options["no-metadata"] = true;
        else if (kept.length < kinds.length && !options["no-metadata"]) options.keep = kept;
        return { options, formats: data.getAll("format") };
    }

    #summarize() {
        const { options, formats: chosen } = this.#options();
        const some = (property) => formats?.some((each) => each[property] && chosen.includes(each.name));
        this.quality.hidden = !some("lossy");
        this.most.hidden = !some("bounded");
        const pictures = this.#files.length * Math.max(1, options.size?.length ?? 1) * Math.max(1, chosen.length);
        const size = this.#files.reduce((sum, file) => sum + file.size, 0) + (this.mark.files[0]?.size ?? 0), most = farm.limits?.documentBytes ?? Infinity;
        const tooLarge = size > most;
        text(this.sum, !this.#files.length ? "No document yet"
            : tooLarge ? `${bytes(size)} are too large: the broker takes ${bytes(most)} at once. ${this.#files.length > 1 ? "Export them in parts." : "Its operator can raise --http-document-size."}`
            : `${count(this.#files.length, "document")}, ${count(pictures, "picture")} or more`);
        this.sum.classList.toggle("wrong", tooLarge);
        this.go.disabled = !this.#files.length || this.#abort !== null || tooLarge;
    }

    async #send() {
        const { options, formats: chosen } = this.#options();
        const files = this.#files, mark = this.mark.files[0], priority = Number(this.priority.value);
        const abort = this.#abort = new AbortController();
        this.trouble.hidden = true;
        this.#summarize();
        this.cancelButton.lastChild.textContent = "Stop";
        for (const file of files) file.bar.hidden = false;
        const answers = [], sent = [];
        try {
            await this.#check([...files, mark].filter(Boolean));
            // A submission takes one format.
            const wanted = chosen.length ? chosen : [null];
            for (const [index, format] of wanted.entries()) {
                const form = new FormData();
                const own = format ? { ...options, format: [format] } : { ...options };
                const known = formats?.find((each) => each.name === format);
                if (!known?.lossy) delete own.quality;
                if (!known?.bounded) delete own["max-bytes"];
                const text = JSON.stringify(own);
                const same = JSON.stringify([text, priority, [...files, mark ?? []].map((file) => [file.name, file.size, file.lastModified])]);
                if (!this.#keys.has(same)) this.#keys.set(same, newKey());
                form.append("options", text);
                form.append("priority", String(priority));
                for (const file of files) form.append("document", file, file.name);
                if (mark) form.append("watermark", mark, mark.name);
                answers.push(await upload("/v1/jobs", form, this.#keys.get(same), (loaded) => {
                    let before = 0;
                    for (const file of files) {
                        const part = Math.max(0, Math.min(1, (loaded - before) / Math.max(1, file.size)));
                        file.bar.firstChild.style.transform = `scaleX(${(index + part) / wanted.length})`;
                        before += file.size;
                    }
                }, abort.signal));
                sent.push(same);
            }
            // All of it: the next time is a time of its own.
            for (const same of sent) this.#keys.delete(same);
        } catch (error) {
            if (error.name !== "AbortError") await this.#explain(error, [...files, mark].filter(Boolean));
        } finally {
            this.#abort = null;
            text(this.cancelButton.lastChild, "Close");
            for (const file of files) file.bar.hidden = true;
        }
        const jobs = answers.flatMap((each) => each.jobs), failures = answers.flatMap((each) => each.failures);
        if (jobs.length) {
            farm.changed(jobs);
            const batches = answers.filter((each) => each.jobs.length);
            toast(`${count(jobs.length, "picture is", "pictures are")} queued.`, { links: batches.map(({ batch, jobs }) => [
                batches.length > 1 ? `Watch ${jobs[0].formats.join(", ").toUpperCase()}` : "Watch", jobs.length === 1 ? `#/jobs/${jobs[0].id}` : `#/batches/${batch}`]) });
        }
        if (failures.length) {
            const bad = new Set(failures.map((each) => each.name));
            this.#files = files.filter((file) => bad.has(file.name));
            this.#list();
            const lines = new Map(failures.map((each) => [`${each.name}: ${each.text}`, [name(each.name), `: ${each.text.replace(`${each.name}: `, "")}`]]));
            this.#fail([...lines.values()]);
        } else if (jobs.length && this.trouble.hidden) this.#close();
        this.#summarize();
    }

    /** Before anything is sent. */
    async #check(files) {
        const lines = [], stale = [];
        for (const file of files) {
            const words = await trouble(file);
            if (!words) continue;
            stale.push(file);
            lines.push([name(file.name), `: ${words}`]);
        }
        if (!stale.length) return;
        this.#stale = new Set(stale);
        this.#list();
        throw Object.assign(new Error("files"), { lines, mark: stale.includes(this.mark.files[0]) });
    }

    /** Why nothing, or not all, was sent. */
    async #explain(error, files) {
        // The browser does not say what stopped it: files may have changed meanwhile.
        if (error.status === 0) error = await this.#check(files).then(() => error, (found) => found);
        if (error.lines) {
            const again = error.mark ? this.mark : this.chooser;
            return this.#fail(error.lines, button("Choose again", null, () => again.click()));
        }
        if (error.status === 0) {
            const answers = await fetch("/healthz", { cache: "no-store" }).then((answer) => answer.ok, () => false);
            return this.#fail([!navigator.onLine ? "This computer has no network. The documents stay here: export them when it is back."
                : answers ? "The broker ended the upload before all had arrived. It may be too large, or the connection was interrupted: try again."
                : "The broker does not answer. The documents stay here: export them when it is back. None is taken twice."]);
        }
        this.#fail([error.status === 413 ? `Too large: ${error.message}` : error.message]);
    }

    #fail(lines, action = null) {
        this.trouble.hidden = false;
        this.trouble.replaceChildren(h("p.trouble-text", {}, "Not all could be taken"), h("ul", {}, lines.map((each) => h("li", {}, each))), action ?? "");
        this.trouble.scrollIntoView({ block: "nearest" });
    }
}

/** crypto.randomUUID is not there without TLS. */
function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}
