// The last hour in charts: throughput, load, and the time of exports against the device tiers.

import { farm } from "./farm.js";
import { bytes, count, decimal, duration, h, number, text, timeLeft } from "./dom.js";

const tiers = [3, 5, 7];
// 2K: the longest edge is 2048 pixels.
const megapixels2K = 2048 * 2048 / 1e6;
const height = 220, pad = { left: 44, right: 14, top: 14, bottom: 26 };

export function showFigures(root) {
    document.title = "Figures · Ink farm";
    const title = h("h1", { tabindex: "-1" }, "Figures"), about = h("p.faint");
    const charts = [
        chart("Pictures a minute", "pictures", "lines", (bucket) => bucket.pictures * 6, (value) => decimal(value), "pictures a minute"),
        chart("Megapixels a second", "megapixels", "waves", (bucket) => bucket.megapixels / 10, (value) => decimal(value), "megapixels a second"),
        chart("Threads busy", "busy", "bars", (bucket) => bucket.busy, (value) => decimal(value), "threads"),
        chart("Jobs waiting", "queued", "dots", (bucket) => bucket.queued, number, "jobs"),
    ];
    const exportChart = exportTimes();
    const cache = h("div.store"), store = h("div.store");
    root.replaceChildren(h("div.listhead", {}, title, about), exportChart.element, h("div.charts", {}, charts.map((each) => each.element)),
        h("div.stores", {}, cache, store));

    function draw() {
        const { stats, history } = farm;
        if (!stats) return;
        const { picturesPerMinute = 0, tasksPerSecond = 0, megapixelsPerSecond = 0 } = stats.throughput;
        const left = timeLeft(stats.timeLeft);
        text(about, `Now: ${decimal(picturesPerMinute)} pictures a minute, ${decimal(tasksPerSecond)} tiles and ${decimal(megapixelsPerSecond)} megapixels a second`
            + (left ? `; all done in ${left.about} (${left.range})` : "") + `. ${stats.broker.name} has run ${duration(stats.broker.uptimeSeconds)}.`);
        for (const each of charts) each.draw(history, stats.broker.uptimeSeconds);
        exportChart.draw(farm.exports);
        const { rendered = 0, found = 0 } = stats.results ?? {};
        share(cache, "Tiles from the result cache", found, rendered + found,
            rendered + found ? `${number(found)} of ${count(rendered + found, "tile")} were found, ${number(rendered)} rendered.` : "No tile has been rendered yet.", "contours");
        const { usedBytes = 0, quotaBytes = 0, problem } = stats.store ?? {};
        share(store, "Store", usedBytes, quotaBytes, `${bytes(usedBytes)} of ${bytes(quotaBytes)} used.${problem ? ` ${problem}` : ""}`, "hatch");
    }
    farm.addEventListener("stats", draw);
    const resizes = new ResizeObserver(draw);
    resizes.observe(root);
    draw();
    farm.wantsHistory = true;
    farm.whole();
    return () => {
        farm.wantsHistory = false;
        farm.removeEventListener("stats", draw);
        resizes.disconnect();
    };
}

function share(element, name, value, of, words, fill) {
    const part = of ? Math.min(1, value / of) : 0;
    if (!element.firstChild) {
        element.append(h("h2", {}, name), h("div.meter", { role: "meter", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 100 }, h(`span.fill-${fill}`)), h("p.faint"));
    }
    const meter = element.children[1];
    meter.firstChild.style.width = `${100 * part}%`;
    meter.setAttribute("aria-valuenow", Math.round(100 * part));
    meter.setAttribute("aria-valuetext", words);
    text(element.lastChild, words);
}

/** Lines of an axis up to at least `most`, each with its value in as many digits as the step has; `whole` for counts. */
export function ticks(most, whole) {
    const least = most / 4 * 0.999999, power = Math.floor(Math.log10(least));
    const steps = [[1, 0], [2, 0], [2.5, 1], [5, 0], [10, 0]].map(([each, more]) => [each * 10 ** power, Math.max(0, more - power)]);
    const [step, digits] = steps.find(([each]) => each >= least && !(whole && each % 1)) ?? [1, 0];
    const shown = new Intl.NumberFormat("en", { minimumFractionDigits: whole ? 0 : digits, maximumFractionDigits: digits });
    const values = [...Array(Math.ceil(most / step - 1e-6) + 1).keys()].map((index) => index * step);
    return values.map((value) => ({ value, label: value ? shown.format(value) : "0" }));
}

const clock = (date, second) => new Date(date).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second });

/** Axes of a chart: lines with their values, and times below. */
function axes(svg, width, from, to, values, y) {
    for (const { value, label } of values) {
        svg.append(h("line.grid", { x1: pad.left, x2: width - pad.right, y1: y(value), y2: y(value) }),
            h("text", { x: pad.left - 7, y: y(value) + 4, "text-anchor": "end" }, label));
    }
    times(svg, width, height, from, to);
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];

/** Round times between two, at most so many. */
export function timeTicks(from, to, most) {
    const step = 1000 * (timeSteps.find((each) => 1000 * each * most >= to - from) ?? timeSteps.at(-1) * Math.ceil((to - from) / 6048e5 / most));
    // Of the clock on the wall.
    const zone = new Date(to).getTimezoneOffset() * 60e3, first = Math.ceil((from - zone) / step) * step + zone;
    return { step, at: [...Array(Math.max(0, Math.floor((to - first) / step) + 1)).keys()].map((index) => first + index * step) };
}

/** As many times below a chart as there is room for, with a mark where each is. */
function times(svg, width, tall, from, to) {
    const across = width - pad.left - pad.right, { step, at } = timeTicks(from, to, Math.max(2, Math.floor(across / 110)));
    const base = tall - pad.bottom;
    for (const time of at) {
        const x = pad.left + across * (time - from) / (to - from);
        const label = step < 86400e3 ? clock(time, step < 60e3 ? "2-digit" : undefined) : new Date(time).toLocaleDateString([], { day: "numeric", month: "short" });
        svg.append(h("line.grid", { x1: x, x2: x, y1: base, y2: base + 5 }),
            h("text", { x, y: tall - 7, "text-anchor": x < pad.left + 24 ? "start" : x > width - pad.right - 24 ? "end" : "middle" }, label));
    }
}

function table(head, rows) {
    return h("table", {}, h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value) => h("td", {}, value))))));
}

function patternDefs(id, fill) {
    const marks = {
        lines: h("path", { d: "M-2 10L10 -2M4 12L12 4" }),
        waves: h("path", { d: "M0 5q2.5 -5 5 0t5 0" }),
        bars: h("path", { d: "M3 0v10M8 0v10" }),
        dots: h("circle.dot", { cx: 4, cy: 4, r: 1.5 }),
    };
    return h("defs", {}, h("pattern", { id, width: 10, height: 10, patternUnits: "userSpaceOnUse" }, marks[fill]));
}

function chart(name, id, fill, value, shown, unit) {
    const svg = h("svg.chart", { role: "img" });
    const summary = h("p.faint"), details = h("details", {}, h("summary", {}, "As a table"));
    const element = h(`figure.chartbox.c-${id}`, {}, h("figcaption", {}, h("h2", {}, name), summary), svg, details);
    let drawn = "", rows = [];
    details.addEventListener("toggle", fillTable);
    function fillTable() {
        if (!details.open) return;
        details.querySelector(".scroller")?.remove();
        // A row a minute is enough to read.
        const minutes = new Map();
        for (const { at, value } of rows) {
            const minute = clock(at), have = minutes.get(minute) ?? [];
            have.push(value);
            minutes.set(minute, have);
        }
        details.append(h("div.scroller", { tabindex: "0", role: "region", "aria-label": `${name}, a table` }, table(["Time", unit[0].toUpperCase() + unit.slice(1)],
            [...minutes].reverse().map(([minute, values]) => [minute, shown(values.reduce((a, b) => a + b, 0) / values.length)]))));
    }
    return { element, draw(history, uptime) {
        const width = svg.clientWidth || 600, key = `${width} ${history.length} ${history.at(-1)?.at}`;
        if (drawn === key) return;
        drawn = key;
        rows = history.map((bucket) => ({ at: new Date(bucket.at).getTime(), value: value(bucket) }));
        // A farm that has just begun shows ten minutes.
        const span = Math.min(3600e3, Math.max(600e3, 1000 * uptime));
        const to = rows.at(-1)?.at ?? Date.now(), from = to - span;
        // A minute's mean: 10 seconds of few pictures jump.
        const smooth = rows.map((row, index) => {
            const near = rows.slice(Math.max(0, index - 5), index + 1);
            return { at: row.at, value: near.reduce((sum, each) => sum + each.value, 0) / near.length };
        });
        const values = ticks(Math.max(1, ...smooth.map((row) => row.value)), shown === number);
        const y = (v) => height - pad.bottom - (height - pad.bottom - pad.top) * v / values.at(-1).value;
        const x = (at) => pad.left + (width - pad.left - pad.right) * (at - from) / span;
        const line = smooth.filter((row) => row.at >= from).map((row) => `${x(row.at).toFixed(1)} ${y(row.value).toFixed(1)}`);
        svg.replaceChildren(patternDefs(`fill-${id}`, fill));
        axes(svg, width, from, to, values, y);
        if (line.length > 1) {
            const start = x(smooth.find((row) => row.at >= from).at), end = x(to), ground = y(0);
            svg.append(h("path.area", { d: `M${start} ${ground}L${line.join("L")}L${end} ${ground}Z`, fill: `url(#fill-${id})` }),
                h("path.line", { d: `M${line.join("L")}` }));
        }
        const latest = smooth.at(-1)?.value ?? 0, most = Math.max(0, ...smooth.map((row) => row.value));
        const mean = smooth.reduce((sum, row) => sum + row.value, 0) / Math.max(1, smooth.length);
        const words = rows.length ? `${shown(latest)} in the last minute; mean ${shown(mean)}, at most ${shown(most)} ${unit} in the last hour.` : "Nothing yet.";
        text(summary, words);
        svg.setAttribute("aria-label", `${name}: ${words}`);
        fillTable();
    } };
}

/** Seconds of each export, and how many meet the tiers. */
function exportTimes() {
    const svg = h("svg.chart.times", { role: "img" });
    const summary = h("p.faint"), marks = h("ul.tiers", { "aria-label": "Device tiers" });
    const details = h("details", {}, h("summary", {}, "As a table"));
    const only = h("select", { id: "times-of", onchange: () => { drawn = ""; draw(farm.exports); } },
        h("option", { value: "2k" }, "Exports of about 2K"), h("option", { value: "all" }, "All, as if they were 2K"));
    const element = h("figure.chartbox.wide.c-times", {}, h("figcaption", {}, h("h2", {}, "Rendering time against the device tiers"), summary,
        h("label.field", {}, "Show", only)), marks, svg, details);
    let drawn = "", points = [];
    details.addEventListener("toggle", fillTable);

    function fillTable() {
        if (!details.open) return;
        details.querySelector(".scroller")?.remove();
        details.append(h("div.scroller", { tabindex: "0", role: "region", "aria-label": "Export times, a table" }, table(["Job", "Ended", "Time", "Megapixels", "Meets"],
            points.slice().reverse().map((each) => [farm.gone.has(each.job) ? String(each.job) : h("a", { href: `#/jobs/${each.job}` }, String(each.job)), clock(each.endedAt), duration(each.seconds),
                decimal(each.megapixels), tierWords(each.scaled)]))));
    }
    const tierWords = (seconds) => {
        const tier = tiers.find((each) => seconds <= each);
        return tier ? `${tier} s` : "none";
    };

    function draw(exports) {
        const width = svg.clientWidth || 600, key = `${width} ${exports.length} ${exports.at(-1)?.job} ${only.value}`;
        if (drawn === key) return;
        drawn = key;
        points = exports.filter((each) => only.value === "all" || Math.abs(Math.log2(Math.max(0.01, each.megapixels) / megapixels2K)) <= 0.75)
            // The tiers are of 2K; a larger picture may take as much longer.
            .map((each) => ({ ...each, scaled: only.value === "all" ? each.seconds * megapixels2K / Math.max(megapixels2K, each.megapixels) : each.seconds }));
        const tall = 280, to = points.length ? new Date(points.at(-1).endedAt).getTime() : Date.now();
        const first = points.length ? new Date(points[0].endedAt).getTime() : to - 3600e3, from = Math.min(first, to - 60e3);
        const longest = Math.max(0, ...points.map((each) => each.scaled)), top = Math.max(8, Math.min(20, Math.ceil(1.1 * longest)));
        const y = (seconds) => tall - pad.bottom - (tall - pad.bottom - pad.top) * Math.min(seconds, top) / top;
        const x = (at) => pad.left + (width - pad.left - pad.right) * (at - from) / (to - from);
        svg.replaceChildren();
        let below = 0;
        for (const [index, tier] of tiers.entries()) {
            svg.append(h(`rect.tier${index}`, { x: pad.left, width: width - pad.left - pad.right, y: y(tier), height: y(below) - y(tier) }),
                h("line.tierline", { x1: pad.left, x2: width - pad.right, y1: y(tier), y2: y(tier) }),
                h("text", { x: pad.left - 7, y: y(tier) + 4, "text-anchor": "end" }, `${tier} s`));
            below = tier;
        }
        for (const [value, label] of [[0, "0"], [top, longest > top ? `> ${top} s` : `${top} s`]]) {
            svg.append(h("line.grid", { x1: pad.left, x2: width - pad.right, y1: y(value), y2: y(value) }),
                h("text", { x: pad.left - 7, y: y(value) + 4, "text-anchor": "end" }, label));
        }
        times(svg, width, tall, from, to);
        for (const each of points) {
            const at = [x(new Date(each.endedAt).getTime()), y(each.scaled)];
            svg.append(each.scaled <= tiers[2] ? h("circle.point", { cx: at[0].toFixed(1), cy: at[1].toFixed(1), r: 3.2 })
                : each.scaled <= top ? h("path.point.over", { d: `M${at[0] - 4} ${at[1] - 4}l8 8m0 -8l-8 8` })
                // Longer than the chart is high.
                : h("path.point.over", { d: `M${at[0]} ${at[1] + 9}v-8m-4 4l4 -4l4 4` }));
        }
        const sorted = points.map((each) => each.scaled).sort((a, b) => a - b);
        const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
        const words = points.length ? `${count(points.length, "export")}: half take at most ${duration(at(0.5))}, 95 of 100 at most ${duration(at(0.95))}, without the time that they waited.`
            : "No such picture has been exported yet.";
        text(summary, words);
        marks.replaceChildren(...tiers.map((tier, index) => {
            const met = sorted.filter((each) => each <= tier).length;
            return h("li", {}, h(`span.swatch.tier${index}`, { "aria-hidden": "true" }), h("b", {}, points.length ? `${Math.floor(100 * met / points.length)}%` : "–"), ` within ${tier} s`);
        }));
        svg.setAttribute("aria-label", `Export times. ${words} ${marks.textContent}`);
        fillTable();
    }
    return { element, draw };
}
