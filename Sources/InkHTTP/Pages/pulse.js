// The band at the top: lines as of an engraving, which the load lifts: of the last hour, or since the farm began.

import { farm } from "./farm.js";

// Buckets of 10 seconds: a farm that has just begun shows ten minutes.
const lines = 15, fewest = 61;

export function drawPulse(canvas) {
    const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio;
    if (!box.width) return;
    const size = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const pen = canvas.getContext("2d"), css = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    const values = farm.history.map((bucket) => bucket.busy);
    if (farm.stats) values.push(farm.stats.workers.busy ?? 0);
    while (values.length < fewest) values.unshift(0);
    const most = Math.max(1, farm.stats?.workers.threads ?? 1, ...values);
    // Smooth enough for a line.
    const height = (x) => {
        const at = x / box.width * (values.length - 1), span = 7;
        let sum = 0, weights = 0;
        for (let i = Math.max(0, Math.round(at) - span); i <= Math.min(values.length - 1, Math.round(at) + span); i++) {
            const weight = Math.exp(-(((i - at) / 3.2) ** 2));
            sum += weight * values[i];
            weights += weight;
        }
        return sum / weights / most;
    };
    const step = Math.max(2, box.width / 600), heights = [];
    for (let x = 0; x <= box.width + step; x += step) heights.push(height(x));
    const ground = box.height - 6, gap = box.height / 23;
    const inks = [css.getPropertyValue("--accent"), css.getPropertyValue("--ink")];
    const paper = css.getPropertyValue("--paper");
    for (let line = lines - 1; line >= 0; line--) {
        const depth = line / (lines - 1), base = ground - line * gap;
        const lift = box.height * 0.52 * Math.exp(-(((depth - 0.38) / 0.3) ** 2));
        pen.beginPath();
        heights.forEach((value, index) => {
            const x = index * step;
            const wave = 1.3 * Math.sin(x / 46 + line * 0.55);
            pen.lineTo(x, base - lift * value ** 1.25 + wave);
        });
        // What lies in front hides what is behind it.
        pen.save();
        pen.lineTo(box.width + step, box.height);
        pen.lineTo(0, box.height);
        pen.closePath();
        pen.fillStyle = paper;
        pen.fill();
        pen.restore();
        pen.beginPath();
        heights.forEach((value, index) => {
            const x = index * step;
            pen.lineTo(x, base - lift * value ** 1.25 + 1.3 * Math.sin(x / 46 + line * 0.55));
        });
        pen.strokeStyle = inks[line % 4 === 0 ? 0 : 1];
        pen.globalAlpha = 0.9 - 0.68 * depth;
        pen.lineWidth = line % 4 === 0 ? 1.5 : 1;
        pen.stroke();
        pen.globalAlpha = 1;
    }
}
