// What the page knows of the farm, kept up to date by one stream of events. Views listen to it.

import { follow, get, post } from "./api.js";
import { count, toast } from "./dom.js";

const samples = 300;
const eventMax = 200;

class Farm extends EventTarget {
    /** The newest stats; history and exports are from the last whole ones. */
    stats = null;
    history = [];
    exports = [];
    workers = [];
    /** Of each worker's name: [{at, tasks, rate}], oldest first. */
    past = new Map();
    running = new Map();
    connected = false;
    lost = null;
    #stream = null;
    #was = false;
    #turns = 0;
    #again = 0;

    tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }

    start() {
        this.#stream = follow("/v1/events", {
            stats: (stats) => this.take(stats),
            jobs: (jobs) => this.changed(jobs),
            state: (state, detail) => this.#state(state, detail),
        }, { silence: 8 });
        this.whole();
        this.#pollWorkers();
        // The history grows every 10 seconds. Few need to see that at once, and 200 pages may be open.
        setInterval(() => {
            this.#turns += 1;
            if (!document.hidden && this.connected && (this.wantsHistory || this.#turns % 6 === 0)) this.whole();
        }, 10000);
    }

    retryNow() { this.#stream.now(); }

    #state(state, detail) {
        if (state === "open") {
            this.connected = true;
            this.lost = null;
            this.tell("connection");
            this.#readRunning();
            if (this.#was) {
                // What changed while nobody listened.
                this.whole();
                this.tell("missed");
            }
            this.#was = true;
        } else {
            this.connected = false;
            this.lost = state === "refused" ? detail : new Error(`Trying again in ${Math.ceil(detail)} s.`);
            this.tell("connection");
        }
    }

    async #readRunning() {
        try {
            const page = await get("/v1/jobs?state=running&limit=200");
            this.running = new Map(page.jobs.map((job) => [job.id, job]));
            this.tell("running");
        } catch { /* the stream tells that the broker is gone */ }
    }

    /** Stats with their history. */
    async whole() {
        try {
            this.take(await get("/v1/stats"));
        } catch { /* the stream tells */ }
    }

    take(stats) {
        if (stats.history) this.history = stats.history;
        if (stats.exports) this.exports = stats.exports;
        this.stats = stats;
        this.tell("stats");
    }

    changed(jobs) {
        for (const job of jobs) {
            if (job.state === "running") this.running.set(job.id, job);
            else this.running.delete(job.id);
        }
        this.tell("jobs", jobs);
        this.tell("running");
        if (jobs.length >= eventMax) {
            // An event names no more: others may have changed too.
            clearTimeout(this.#again);
            this.#again = setTimeout(() => { this.#readRunning(); this.tell("missed"); }, 1000);
        }
    }

    /** Whether somebody looks at the history. */
    wantsHistory = false;

    /** How often workers are looked at: often where they are shown. */
    eager = false;
    async #pollWorkers() {
        for (;;) {
            if (!document.hidden) await this.readWorkers();
            await new Promise((resolve) => setTimeout(resolve, this.eager ? 2000 : 8000));
        }
    }

    async readWorkers() {
        try {
            this.workers = (await get("/v1/workers")).workers;
        } catch { return; }
        const at = Date.now(), names = new Set(this.workers.map((worker) => worker.name));
        for (const name of this.past.keys()) if (!names.has(name)) this.past.delete(name);
        for (const worker of this.workers) {
            const past = this.past.get(worker.name) ?? [];
            past.push({ at, tasks: worker.tasks, rate: worker.tasksPerSecond ?? 0 });
            if (past.length > samples) past.shift();
            this.past.set(worker.name, past);
        }
        this.tell("workers");
    }

    /** Why a job waits, in words. */
    why(job) {
        const stats = this.stats;
        if (!stats) return "Waits for its turn";
        if (stats.broker.state === "draining") return "Waits: the broker is stopping";
        if (stats.workers.count === 0) return "Waits for a worker: none is connected";
        const running = stats.jobs.running ?? 0;
        if (running === 0) return "Starts soon";
        return `Waits for its turn: ${count(running, "job is", "jobs are")} rendered now`;
    }

    /** Does something to a job or a batch, and says so. Returns what it is then, or null. */
    async act(kind, id, verb, body, said) {
        try {
            const answer = await post(`/v1/${kind}/${encodeURIComponent(id)}/${verb}`, body);
            if (kind === "jobs" && answer) this.changed([answer]);
            if (kind === "batches") this.tell("missed");
            if (said) toast(said);
            return answer ?? {};
        } catch (error) {
            toast(error.message, { bad: true });
            return null;
        }
    }
}

export const farm = new Farm();

/** What can be done with a job in a state. */
export function actions(job) {
    const ended = ["finished", "failed", "cancelled"].includes(job.state);
    return {
        pause: job.state === "queued" || job.state === "running",
        resume: job.state === "paused",
        cancel: !ended,
        retry: job.state === "failed" || job.state === "cancelled",
        download: job.state === "finished" && job.picture?.kept,
        remove: ended,
        priority: !ended,
    };
}
