// Patterns of the brand: each state has one, and each worker one with a colour, so that no colour stands alone.

import { h } from "./dom.js";

export const states = {
    running: { word: "Running", fill: "lines", tint: "--accent" },
    queued: { word: "Waiting", fill: "dots", tint: "--amber" },
    paused: { word: "Paused", fill: "bars", tint: "--grey" },
    finished: { word: "Finished", fill: "contours", tint: "--green" },
    failed: { word: "Failed", fill: "hatch", tint: "--red" },
    cancelled: { word: "Cancelled", fill: "sparse", tint: "--grey" },
};

const kinds = ["lines", "dots", "waves", "hatch", "bars"];
const inks = {
    light: ["#2447a6", "#b3261e", "#1f6b4c", "#8a5a00", "#6b2f8a", "#0b6573", "#a0306a", "#4d5b12"],
    dark: ["#9db4ff", "#ff8a7a", "#7fd3a8", "#f0c26b", "#d0a3f0", "#72d2e0", "#f59ac4", "#c0cf70"],
};
const seen = [];

export function isDark() {
    return document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Colour and pattern of a worker, the same as long as the page is open. */
export function look(worker) {
    let index = seen.indexOf(worker);
    if (index < 0) index = seen.push(worker) - 1;
    const set = inks[isDark() ? "dark" : "light"];
    return { ink: set[index % set.length], fill: kinds[index % kinds.length] };
}

/** The mark of a worker in lists. */
export function workerSwatch(name) {
    const { ink, fill } = look(name);
    return h(`span.swatch.fill-${fill}`, { "aria-hidden": "true", style: { color: ink } });
}

/** A square of a pattern, to repeat on a canvas. */
function square(fill, ink) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 24, height: 24 });
    const pen = canvas.getContext("2d");
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = 2.5;
    const line = (x0, y0, x1, y1) => { pen.beginPath(); pen.moveTo(x0, y0); pen.lineTo(x1, y1); pen.stroke(); };
    for (let i = -24; i < 48; i += 8) {
        if (fill === "lines" || fill === "hatch" || fill === "sparse" && i % 24 === 0) line(i, 24, i + 24, 0);
        if (fill === "hatch") line(i, 0, i + 24, 24);
        if (fill === "bars") line(i + 4, 0, i + 4, 24);
        if (fill === "dots") {
            for (let j = 4; j < 24; j += 8) { pen.beginPath(); pen.arc(i + 4, j, 2.4, 0, 7); pen.fill(); }
        }
        if (fill === "waves") {
            pen.beginPath();
            for (let x = -1; x <= 25; x++) pen.lineTo(x, i + 4 + 2 * Math.sin(x * Math.PI / 6));
            pen.stroke();
        }
    }
    for (const radius of fill === "contours" ? [2.2, 6.6, 11] : []) {
        pen.beginPath();
        pen.arc(12, 12, radius, 0, 7);
        pen.stroke();
    }
    return canvas;
}

/** Sets --swatch-STATE to a picture of each state's pattern: drawn faster than gradients and masks, row by row. */
export function paintSwatches(element) {
    const css = getComputedStyle(element);
    for (const [state, { fill, tint }] of Object.entries(states)) {
        element.style.setProperty(`--swatch-${state}`, `url(${square(fill, css.getPropertyValue(tint)).toDataURL()})`);
    }
}

/** The pattern of a state for a canvas of twice the page's pixels. */
export function statePattern(context, state, element) {
    const { fill, tint } = states[state];
    return context.createPattern(square(fill, getComputedStyle(element).getPropertyValue(tint)), "repeat");
}

/** The pattern of a worker for a canvas, `scale` device pixels a pixel of the page. */
export function canvasPattern(context, worker, scale) {
    const { ink, fill } = look(worker);
    const pattern = context.createPattern(square(fill, ink), "repeat");
    pattern.setTransform(new DOMMatrix().scale(scale * 0.7));
    return pattern;
}
