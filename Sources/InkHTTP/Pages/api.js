// The HTTP API: requests, the bearer token, server-sent events.

const tokenKey = "ink-token";
let asking = null;

/** Asks a person for the token; set by the page. Resolves with a token. */
export const ask = { token: null };

let remembered = null;
/** Kept for reloads where the browser allows that, in memory in any case. */
export const token = {
    get value() { return remembered; },
    set value(value) {
        remembered = value || null;
        try {
            if (value) sessionStorage.setItem(tokenKey, value); else sessionStorage.removeItem(tokenKey);
        } catch { /* blocked, or not in a worker */ }
    },
};
try { remembered = sessionStorage.getItem(tokenKey); } catch { /* the same */ }

/** A problem document (RFC 9457), or what stands for one. */
export class Problem extends Error {
    constructor(status, words) {
        super(words);
        this.status = status;
    }
}

export function headers(more = {}) {
    return token.value ? { ...more, Authorization: `Bearer ${token.value}` } : more;
}

/** The token that a 401 asks for; one dialog for all requests that wait for it. */
export function newToken(refused) {
    if (token.value && token.value !== refused) return Promise.resolve();
    asking ??= ask.token(refused !== null).then((value) => {
        token.value = value;
        asking = null;
    });
    return asking;
}

async function problem(response) {
    const body = await response.json().catch(() => null);
    return new Problem(response.status, body?.detail || body?.title || `The broker answered ${response.status}.`);
}

/** Fetches until there is a token that is accepted. Throws a Problem. */
export async function request(path, options = {}) {
    for (;;) {
        const used = token.value;
        let response;
        try {
            response = await fetch(path, { ...options, headers: headers(options.headers) });
        } catch (error) {
            if (error.name === "AbortError") throw error;
            throw new Problem(0, "The broker does not answer.");
        }
        if (response.status === 401 && ask.token) {
            await newToken(used);
            continue;
        }
        if (!response.ok) throw await problem(response);
        return response;
    }
}

export const get = async (path, options) => (await request(path, options)).json();

export async function post(path, body) {
    const response = await request(path, body === undefined ? { method: "POST" } : {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return response.status === 204 ? null : response.json();
}

/** An image that the API serves; `release` frees it. */
export async function picture(path, signal) {
    const blob = await (await request(path, { signal })).blob();
    const url = URL.createObjectURL(blob);
    const image = new Image();
    image.src = url;
    try {
        await image.decode();
    } catch {
        URL.revokeObjectURL(url);
        throw new Problem(0, "This browser cannot show the picture.");
    }
    return { image, release: () => URL.revokeObjectURL(url) };
}

/**
 * Follows server-sent events: on.NAME(data). Reconnects with backoff until it is refused. `on.state("open")`,
 * `("lost", seconds)` and `("refused", problem)` tell how it goes. A stream that is silent for `silence` seconds counts
 * as lost. Returns what tries again at once.
 */
export function follow(path, on, { silence }) {
    let timer = null, wait = 0.5, wake = null;

    async function read() {
        const abort = new AbortController();
        const watch = () => {
            clearTimeout(timer);
            timer = setTimeout(() => abort.abort(), silence * 1000);
        };
        watch();
        const response = await request(path, { signal: abort.signal, headers: { Accept: "text/event-stream" } });
        on.state("open");
        wait = 0.5;
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            watch();
            rest += value;
            const blocks = rest.split(/\r?\n\r?\n/);
            rest = blocks.pop();
            for (const block of blocks) {
                let name = "message";
                const data = [];
                for (const line of block.split(/\r?\n/)) {
                    if (line.startsWith("event:")) name = line.slice(6).trim();
                    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
                }
                if (data.length) on[name]?.(JSON.parse(data.join("\n")));
            }
        }
    }

    (async () => {
        for (;;) {
            try {
                await read();
            } catch (error) {
                if (error.status >= 400 && error.status < 500) {
                    clearTimeout(timer);
                    return on.state("refused", error);
                }
            }
            clearTimeout(timer);
            const seconds = wait * (0.8 + 0.4 * Math.random());
            on.state("lost", seconds);
            wait = Math.min(wait * 2, 15);
            await new Promise((resolve) => {
                wake = resolve;
                setTimeout(resolve, seconds * 1000);
            });
        }
    })();

    return () => wake?.();
}

/** Sends a form with progress (bytes sent so far). Resolves with the answer. */
export async function upload(path, form, key, progress, signal) {
    for (;;) {
        const used = token.value;
        const answer = await new Promise((resolve, reject) => {
            const sender = new XMLHttpRequest();
            sender.open("POST", path);
            sender.responseType = "json";
            for (const [name, value] of Object.entries(headers({ "Idempotency-Key": key }))) {
                sender.setRequestHeader(name, value);
            }
            sender.upload.onprogress = (event) => progress(event.loaded, event.total);
            sender.onload = () => resolve(sender);
            sender.onerror = () => reject(new Problem(0, "The broker does not answer."));
            sender.onabort = () => reject(new DOMException("aborted", "AbortError"));
            signal?.addEventListener("abort", () => sender.abort());
            sender.send(form);
        });
        if (answer.status === 401) {
            await newToken(used);
            continue;
        }
        const body = answer.response;
        if (answer.status >= 400) {
            throw new Problem(answer.status, body?.detail || body?.title || `The broker answered ${answer.status}.`);
        }
        return body;
    }
}
