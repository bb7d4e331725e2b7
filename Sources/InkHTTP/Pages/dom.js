// Elements, words for figures, messages and dialogs. Text goes in as text nodes only, never as markup.

const svgNames = new Set(["svg", "path", "g", "circle", "rect", "line", "text", "defs", "pattern", "title", "polyline"]);

// Controls, marks that turn the direction of what follows, and characters without width: names may hold them. Joiners
// belong to words and to emoji.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text in which nothing is hidden. */
export const visible = (text) => String(text).replace(unseen, (each) => {
    const code = each.codePointAt(0);
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
});

/** An element with attributes (on… are listeners, props set as properties) and children. */
export function h(name, attributes = {}, ...children) {
    const [tag, ...classes] = name.split(".");
    const element = svgNames.has(tag)
        ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    if (classes.length) element.setAttribute("class", classes.join(" "));
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "style") Object.assign(element.style, value);
        else if (key in properties) element[key] = value;
        else element.setAttribute(key, value === true ? "" : visible(value));
    }
    element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => child instanceof Node ? child : visible(child)));
    return element;
}
const properties = { value: 1, checked: 1, disabled: 1, hidden: 1, textContent: 1, indeterminate: 1 };

export const one = (selector, root = document) => root.querySelector(selector);

/** Sets the text only when it differs: no layout, and nothing for a screen reader to repeat. */
export function text(element, value) {
    const shown = visible(value);
    if (element.textContent !== shown) element.textContent = shown;
}

/** A name in a sentence: of either direction, it does not turn the words around it. */
export const name = (value) => h("bdi", {}, value);

/** A line of text from the farm in which names are isolated. */
export function sentence(words, ...names) {
    const parts = [words];
    for (const each of names.filter(Boolean)) {
        parts.splice(0, parts.length, ...parts.flatMap((part) => typeof part !== "string" ? [part]
            : part.split(each).flatMap((piece, index) => index ? [name(each), piece] : [piece])));
    }
    return parts;
}

// Names of files differ at their ends more often than in the middle.
const tailLength = 14, wholeLength = 26;
const segmenter = Intl.Segmenter ? new Intl.Segmenter() : null;

/** Where the end of a name begins that is always shown; between words if there is such a place. */
function tailStart(value) {
    const from = value.length - 2 * tailLength, near = value.slice(from);
    const starts = segmenter ? [...segmenter.segment(near)].map((each) => each.index)
        : [...Array(near.length).keys()].filter((at) => !/[\udc00-\udfff]/.test(near[at]));
    const distance = (at) => Math.abs(near.length - at - tailLength)
        + (/^[\p{L}\p{M}]$/u.test(near[at - 1] ?? "") && /^[\p{L}\p{M}]/u.test(near.slice(at)) ? tailLength / 2 : 0);
    return from + starts.slice(1).reduce((best, at) => distance(at) < distance(best) ? at : best, starts[1] ?? 0);
}

/** A name of one line that loses its middle where there is no room; `rename` sets it. */
export function shortName(value = "") {
    const element = h("bdi.short", {}, h("span"), h("span"));
    rename(element, value);
    return element;
}

export function rename(element, value) {
    const shown = visible(value), [head, tail] = element.children;
    if (element.textContent === shown) return;
    const at = shown.length > wholeLength ? tailStart(shown) : shown.length;
    head.textContent = shown.slice(0, at);
    tail.textContent = shown.slice(at);
}

const icons = {
    cancel: "M6 6l12 12M18 6L6 18",
    pause: "M8 5v14M16 5v14",
    resume: "M8 5l11 7-11 7z",
    retry: "M19 12a7 7 0 1 1-2.2-5.1M19 4v5h-5",
    download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
    remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
    plus: "M12 5v14M5 12h14",
    minus: "M5 12h14",
    fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
    up: "M12 19V5M6 11l6-6 6 6",
    down: "M12 5v14M6 13l6 6 6-6",
    back: "M19 12H5M11 6l-6 6 6 6",
    leave: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9",
};

/** A line drawing of 24 × 24. */
export function icon(name) {
    return h("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
        h("path", { d: icons[name] }));
}

/** A button with an icon. `shown` also shows the words. */
export function button(words, name, onclick, { shown = true, kind = "", ...more } = {}) {
    return h("button" + (kind ? "." + kind : "") + (shown ? "" : ".bare"),
        { type: "button", onclick, title: shown ? null : words, ...more },
        name ? icon(name) : null, h(shown ? "span" : "span.unseen", {}, words));
}

const plain = new Intl.NumberFormat("en");
export const number = (value) => plain.format(Math.round(value));
export const decimal = (value) => value === 0 ? "0" : value >= 100 ? number(value) : value >= 10 ? value.toFixed(0) : value.toFixed(1);
export const count = (value, one, many = one + "s") => `${number(value)} ${value === 1 ? one : many}`;

/** Seconds in words. */
export function duration(seconds) {
    if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
    if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
    if (seconds < 99.5) return `${Math.round(seconds)} s`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
    if (seconds < 172800) return `${decimal(seconds / 3600)} h`;
    return `${Math.round(seconds / 86400)} days`;
}

/** "about 2 min", and the interval that contains the truth nine times of ten. */
export function timeLeft(left) {
    if (!left) return null;
    return { about: left.seconds < 1 ? "less than 1 s" : `about ${duration(left.seconds)}`,
        range: `${duration(left.low)} to ${duration(left.high)}` };
}

export function bytes(value) {
    const units = ["bytes", "KB", "MB", "GB", "TB"];
    let unit = 0;
    while (value >= 1024 && unit < 4) { value /= 1024; unit += 1; }
    return `${unit === 0 ? value : decimal(value)}\u00a0${units[unit]}`;
}

export function ago(date, now = Date.now()) {
    const seconds = (now - new Date(date)) / 1000;
    return seconds < 5 ? "just now" : `${seconds < 60 ? `${Math.floor(seconds)} s` : duration(seconds)} ago`;
}

export function when(date) {
    return h("time", { datetime: date, title: new Date(date).toLocaleString() }, ago(date));
}

/** Says something to people who listen to the page. */
export function announce(words) {
    one("#announcer").textContent = words;
}

/** A message that goes by itself, one of trouble later. `links` are pairs of words and addresses: what it is about. */
export function toast(words, { bad = false, links = [] } = {}) {
    const elsewhere = links.filter(([, href]) => href && href !== location.hash);
    const element = h(bad ? "div.toast.bad" : "div.toast", {}, h("span", {}, words), elsewhere.map(([verb, href]) => h("a", { href }, verb)),
        button("Close this message", "cancel", () => element.remove(), { shown: false }));
    one(bad ? "#alerts" : "#messages").append(element);
    setTimeout(() => element.remove(), bad ? 15000 : 7000);
}

export function prioritySelect(value, changed) {
    const select = h("select", { onchange: () => changed(Number(select.value)) });
    for (let each = 10; each >= -10; each--) {
        select.append(h("option", { value: each, selected: each === value },
            each === 10 ? "10, first" : each === 0 ? "0, usual" : each === -10 ? "−10, last" : String(each).replace("-", "−")));
    }
    return select;
}

/** Asks before something that cannot be undone. Resolves with whether to do it. */
export function confirm(title, words, verb) {
    return new Promise((resolve) => {
        const dialog = h("dialog.small", { "aria-labelledby": "confirm-title", onclose: () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        } },
        h("form", { method: "dialog" },
            h("h2", { id: "confirm-title" }, title), h("p", {}, words),
            h("div.buttons", {},
                h("button", { value: "no", autofocus: true }, "Keep it as it is"),
                h("button.danger", { value: "yes" }, verb))));
        document.body.append(dialog);
        dialog.showModal();
    });
}

export const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Whether a name holds a part, as people type it: capitals do not matter in any alphabet, nor how letters with marks are made
 * of characters. The same as NameSearch of the broker's lists.
 */
export function findsName(name, part) { return `\0${letters(name)}\0`.includes(`\0${letters(part)}\0`) || !part; }
const graphemes = (text) => segmenter ? Array.from(segmenter.segment(text), (each) => each.segment) : [...text.normalize()];
const letters = (text) => graphemes(text.toUpperCase()).map((each) => each.normalize()).join("\0");
