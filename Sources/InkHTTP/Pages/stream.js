// A worker that all tabs of a browser share, and its stream of events: HTTP/1.1 allows six connections to a host, which
// a stream for each tab would use up. Its name is the token, so that tabs with other rights have a stream of their own.

import { follow, token } from "./api.js";

token.value = self.name;
const ports = new Set();
let state = null, again = null;

function tell(...message) {
    for (const port of ports) port.postMessage(message);
}

const on = Object.fromEntries(["stats", "jobs", "removed", "missed"].map((name) => [name, (data) => tell(name, data)]));
on.state = (name, detail) => {
    // Errors lose what they carry on the way.
    state = ["state", name, detail instanceof Error ? { status: detail.status, message: detail.message } : detail];
    if (name === "refused") again = begin;
    tell(...state);
};
function begin() { again = follow("/v1/events", on, { silence: 8 }); }

const orders = {
    join(port) {
        ports.add(port);
        if (state) port.postMessage(state);
    },
    leave(port) { ports.delete(port); },
    again() { again(); },
};

begin();
self.onconnect = ({ ports: [port] }) => {
    port.onmessage = ({ data }) => orders[data](port);
};
