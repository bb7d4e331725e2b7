// What the page knows of the farm, kept up to date by a stream of events. Views listen to it.

import { get, post, token } from "./api.js";
import { count, name, toast } from "./dom.js";

const samples = 300;
const eventMax = 200;
const roles = ["read", "submit", "operate"];
const pollMs = 3000, silenceMs = 30000;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Farm extends EventTarget {
    /** The newest stats; history, exports, caller and limits are from the last whole ones. */
    stats = null;
    history = [];
    exports = [];
    caller = null;
    limits = null;
    workers = [];
    /** Of each worker's name: [{at, rate}], oldest first; rate is null where the broker does not tell it. */
    past = new Map();
    running = new Map();
    /** Numbers of jobs that are no more. */
    gone = new Set();
    connected = false;
    lost = null;
    #port = null;
    #heard = 0;
    #was = false;
    #turns = 0;
    #again = 0;
    #polling = false;

    tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }

    /** Whether the token allows what a role may do. */
    may(role) { return !this.caller || roles.indexOf(this.caller.role) >= roles.indexOf(role); }

    async start() {
        this.#pollWorkers();
        // The worker cannot ask for a token.
        await this.whole();
        this.#share();
        // The history grows every 10 seconds. Few need to see that at once, and 200 pages may be open.
        setInterval(() => {
            this.#turns += 1;
            if (!document.hidden && this.connected && (this.wantsHistory || this.#turns % 6 === 0)) this.whole();
            if (Date.now() - this.#heard > silenceMs) this.#poll();
        }, 10000);
    }

    // MARK: The stream

    #share() {
        this.#heard = Date.now();
        try {
            const worker = new SharedWorker("/stream.js", { type: "module", name: token.value ?? "" });
            worker.onerror = () => this.#poll();
            this.#port = worker.port;
            this.#port.onmessage = ({ data: [kind, ...rest] }) => {
                this.#heard = Date.now();
                this.#on[kind](...rest);
            };
            this.#port.postMessage("join");
            addEventListener("pagehide", () => this.#port.postMessage("leave"));
            addEventListener("pageshow", ({ persisted }) => { if (persisted) this.#port.postMessage("join"); });
        } catch {
            this.#heard = 0;
            this.#poll();
        }
    }

    /** Where a browser shares no stream. One of each tab would use up its connections. */
    async #poll() {
        if (this.#polling) return;
        this.#polling = true;
        let before = "";
        do {
            if (!document.hidden || !this.#was) {
                try {
                    this.take(await get("/v1/stats"));
                    const first = !this.connected, { jobs } = this.stats, now = JSON.stringify(jobs);
                    if (first) this.#state("open");
                    else if (jobs.running || now !== before) {
                        this.#readRunning();
                        this.tell("missed");
                    }
                    before = now;
                } catch (error) {
                    this.#state(error.status ? "refused" : "lost", error.status ? error : pollMs / 1000);
                }
            }
            await pause(pollMs);
        } while (Date.now() - this.#heard > silenceMs);
        this.#polling = false;
    }

    retryNow() {
        this.#port?.postMessage("again");
    }

    #on = {
        stats: (stats) => this.take(stats),
        jobs: (jobs) => this.changed(jobs),
        removed: (ids) => this.removed(ids),
        missed: () => this.#readAgain(),
        state: (state, detail) => this.#state(state, detail),
    };

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

    #readAgain() {
        clearTimeout(this.#again);
        this.#again = setTimeout(() => { this.#readRunning(); this.tell("missed"); }, 1000);
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
        for (const part of ["history", "exports", "caller", "limits"]) if (stats[part]) this[part] = stats[part];
        if (stats.caller) document.body.dataset.role = stats.caller.role;
        this.stats = stats;
        this.tell("stats");
    }

    changed(jobs) {
        for (const job of jobs) {
            // Numbers that were told as removed may be given again.
            this.gone.delete(job.id);
            if (job.state === "running") this.running.set(job.id, job);
            else this.running.delete(job.id);
        }
        this.tell("jobs", jobs);
        this.tell("running");
        // An event names no more: others may have changed too.
        if (jobs.length >= eventMax) this.#readAgain();
    }

    removed(ids) {
        for (const id of ids) {
            this.gone.add(id);
            this.running.delete(id);
        }
        this.tell("removed", ids);
        this.tell("running");
    }

    // MARK: Workers

    /** Whether somebody looks at the history. */
    wantsHistory = false;

    /** How often workers are looked at: often where they are shown. */
    eager = false;
    async #pollWorkers() {
        for (;;) {
            if (!document.hidden) await this.readWorkers();
            await pause(this.eager ? 2000 : 8000);
        }
    }

    async readWorkers() {
        try {
            this.workers = (await get("/v1/workers")).workers;
        } catch { return; }
        const at = Date.now(), names = new Set(this.workers.map((worker) => worker.name));
        for (const each of this.past.keys()) if (!names.has(each)) this.past.delete(each);
        for (const worker of this.workers) {
            const past = this.past.get(worker.name) ?? [];
            past.push({ at, rate: worker.tasksPerSecond ?? null });
            if (past.length > samples) past.shift();
            this.past.set(worker.name, past);
        }
        this.tell("workers");
    }

    // MARK: Jobs

    /** Why a job waits, in words. */
    why(job) {
        const stats = this.stats;
        if (!stats) return "Waits for its turn";
        if (stats.broker.state === "draining") return "Waits: the broker is stopping";
        const { count: workers, draining } = stats.workers;
        if (workers === 0) return "Waits for a worker: none is connected";
        if (draining === workers) return "Waits for a worker: those that are connected take no more";
        const running = stats.jobs.running ?? 0;
        if (running === 0) return "Starts soon";
        return `Waits for its turn: ${count(running, "job is", "jobs are")} rendered now`;
    }

    /** Does something to a job, a batch or a worker, and says so with a link to it. Returns what it is then, or null. */
    async act(kind, id, verb, body, said) {
        try {
            const answer = await post(`/v1/${kind}/${encodeURIComponent(id)}/${verb}`, body);
            if (kind === "jobs" && answer) this.changed([answer]);
            if (kind === "batches") this.tell("missed");
            if (said) toast(said, { links: [["Show", kind === "workers" ? "#/workers" : `#/${kind}/${id}`]] });
            return answer ?? {};
        } catch (error) {
            toast(error.message, { bad: true });
            return null;
        }
    }
}

export const farm = new Farm();

/** What a job is called. */
export const called = (job) => job.name || `Job ${job.id}`;

/** "owl.ink is queued again." */
export const about = (job, words) => [name(called(job)), words];

/** Why a job failed, in words: its document has been named already. */
export function reason(job) {
    let words = job.error?.text ?? "";
    const names = [job.name, job.name.split("/").at(-1)].filter(Boolean);
    for (let each; (each = names.find((name) => words.startsWith(`${name}: `)));) words = words.slice(each.length + 2);
    return words;
}

/** Whether the same again can end otherwise. */
export const canHelp = (job) => job.state === "cancelled" || job.state === "failed" && job.error?.code !== "bad-input";

/** What can be done with a job in a state, and with this token. */
export function actions(job) {
    const ended = ["finished", "failed", "cancelled"].includes(job.state), may = farm.may("submit");
    return {
        pause: may && (job.state === "queued" || job.state === "running"),
        resume: may && job.state === "paused",
        cancel: may && !ended,
        retry: may && canHelp(job),
        download: job.state === "finished" && job.picture?.kept,
        remove: farm.may("operate") && ended,
        priority: may && !ended,
    };
}
