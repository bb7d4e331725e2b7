import InkExports

/// The settings of `ink broker`.
enum BrokerSetting {
    private static let files = "Files"
    private static let amounts = "Amounts"
    private static let times = "Times"

    static let workers = SettingSyntax(
        "workers", .endpoint(binds: true), "ENDPOINT", standard: "tcp://127.0.0.1:5570", "Where workers connect")
    static let clients = SettingSyntax(
        "clients", .endpoint(binds: true), "ENDPOINT", standard: "tcp://127.0.0.1:5571", "Where clients connect")
    static let name = SettingSyntax(
        "name", .text(bytesMax: 256), "NAME", standardShown: "the host's name", "Name of the broker in status and logs")

    static let key = SettingSyntax(
        "key", .path, "FILE", group: KeySetting.group, "The broker's secret key, from ink keygen")
    static let allowWorkers = SettingSyntax(
        "allow-workers", .path, "PATH", group: KeySetting.group,
        "Public keys of workers that may connect: a .pub file or a folder of them")
    static let allowClients = SettingSyntax(
        "allow-clients", .path, "PATH", group: KeySetting.group,
        "Public keys of clients that may connect: a .pub file or a folder of them")

    private static let web = "HTTP"
    static let http = SettingSyntax(
        "http", .text(bytesMax: 256), "HOST:PORT", group: web,
        "Serve the dashboard, the HTTP API and metrics there (default: not at all)")
    static let httpTokens = SettingSyntax(
        "http-tokens", .path, "FILE", group: web,
        "Tokens that the HTTP front accepts, from ink keygen --http; needed unless HOST is of this machine only")
    static let httpHost = SettingSyntax(
        "http-host", .text(bytesMax: 256), "NAME", isList: true, group: web,
        "Further name by which browsers reach the HTTP front, for example behind a proxy")
    static let httpDocument = SettingSyntax(
        "http-document-size", .bytes(1024...(1 << 40)), "SIZE", standard: "256M", group: web,
        "Largest document that the HTTP front takes, at most a quarter of the memory that the broker is limited to")

    static let notifyCommand = SettingSyntax(
        "notify-command", .path, "FILE", group: web,
        "Program to run when a job or batch has ended, with a JSON document on its standard input")
    static let webhook = SettingSyntax(
        "webhook", .text(bytesMax: 4096), "URL", group: web,
        "Address to which the same document is posted, tried again until it is taken")
    static let webhookSecret = SettingSyntax(
        "webhook-secret", .path, "FILE", group: web, "File with the secret by which these are signed (HMAC-SHA256)")

    static let otlp = SettingSyntax(
        "otlp-endpoint", .text(bytesMax: 4096), "URL", group: web,
        "Collector of OpenTelemetry that gets the spans of ended jobs, such as http://localhost:4318")

    static let data = SettingSyntax(
        "data", .path, "DIR", standard: "ink-data", group: files,
        "Folder for jobs, projects and pictures; created if missing, for one broker at a time")
    static let inputRoot = SettingSyntax(
        "input-root", .path, "DIR", isList: true, group: files,
        "Folder from which clients may name projects by path (default: none)")
    static let outputRoot = SettingSyntax(
        "output-root", .path, "DIR", group: files,
        "Folder into which clients may have pictures written (default: none)")
    static let spillFolder = SettingSyntax(
        "spill-folder", .path, "DIR", standard: "/var/tmp", group: files,
        "Folder for blocks that do not fit into memory, in unnamed files")
    static let cache = SettingSyntax(
        "result-cache", .path, "DIR", group: files,
        "Folder for results of tiles, so that only what has changed is rendered (default: none)")
    static let limits = SettingSyntax(
        "limits", .path, "FILE", group: files, "JSON file with limits on projects that replace the default ones")
    static let presets = SettingSyntax(
        "presets", .path, "DIR", isList: true, group: files,
        "Folder of brush presets for projects named by path (default: none)")

    static let queueLimit = SettingSyntax(
        "queue-limit", .count(1...10_000_000), "N", standard: "100000", group: amounts,
        "Most jobs waiting or running; further ones are answered \"busy, try again\"")
    static let active = SettingSyntax(
        "active", .count(1...10_000), "N", standard: "8", group: amounts,
        "Exports of one priority rendered at a time; four of a higher one may overtake them")
    static let blockMemory = SettingSyntax(
        "block-memory", .bytes((1 << 20)...(1 << 44)), "SIZE", standard: "96M", group: amounts,
        "Blocks kept in memory; the rest goes to the spill folder")
    static let spill = SettingSyntax(
        "spill", .bytes(0...(1 << 50)), "SIZE", standard: "64G", group: amounts, "Most data in the spill folder")
    static let quota = SettingSyntax(
        "quota", .bytes((1 << 20)...(1 << 50)), "SIZE", standard: "64G", group: amounts,
        "Most data in projects and kept pictures; beyond it, submissions are answered \"busy, try again\"")
    static let cacheSize = SettingSyntax(
        "result-cache-size", .bytes((1 << 20)...(1 << 50)), "SIZE", standard: "4G", group: amounts,
        "Most data in the folder of the result cache; what was used least recently goes first")
    static let verify = SettingSyntax(
        "verify", .share, "SHARE", standard: "0", group: amounts,
        "Share of the tiles rendered a second time, by another worker, and compared")

    static let retention = SettingSyntax(
        "retention", .duration(plain: nil, 0...315_360_000_000), "TIME", standard: "7d", group: times,
        "How long ended jobs and their pictures are kept")
    static let heartbeat = SettingSyntax(
        "heartbeat", .duration(plain: .milliseconds, 10...600_000), "MS", standard: "1000", group: times,
        "Milliseconds of silence after which a heartbeat is sent")
    static let liveness = SettingSyntax(
        "liveness", .duration(plain: .milliseconds, 20...3_600_000), "MS", standard: "3000", group: times,
        "Milliseconds of silence after which a worker or client counts as lost")
    static let lease = SettingSyntax(
        "lease", .duration(plain: .milliseconds, 100...3_600_000), "MS", standard: "60000", group: times,
        "Shortest time that a worker gets for a task, milliseconds")

    static let drainTime = SettingSyntax(
        "drain-time", .duration(plain: nil, 0...86_400_000), "TIME", standard: "60s", group: times,
        "How long SIGTERM waits for running exports; unfinished ones start again with the broker")

    static let all =
        [
            workers, clients, name, key, allowWorkers, allowClients, KeySetting.insecure, http,
            httpTokens, httpHost, httpDocument, notifyCommand, webhook, webhookSecret, otlp, data, inputRoot,
            outputRoot,
            spillFolder, cache, limits, presets,
            queueLimit, active, blockMemory, spill, quota, cacheSize, verify,
            retention, heartbeat,
            liveness, lease, drainTime,
        ] + LogSetting.all
}

/// Settings of everything that uses the network.
enum KeySetting {
    static let group = "Keys"

    static let insecure = SettingSyntax(
        "insecure", .flag, group: group, "Connect to or accept other machines without keys (unsafe)")
    /// Settings of a worker or a client.
    static let key = SettingSyntax("key", .path, "FILE", group: group, "Your secret key, from ink keygen")
    static let brokerKey = SettingSyntax(
        "broker-key", .path, "FILE", group: group, "The broker's public key (.pub)")
}

/// Where the events of a service go.
enum LogSetting {
    private static let group = "Log"

    static let format = SettingSyntax(
        "log", .choice(["text", "json"]), "text|json", standard: "text", group: group,
        "Format of the log on standard error")
    static let level = SettingSyntax(
        "log-level", .choice(LogLevel.allCases.map(\.rawValue)), "LEVEL", standard: "info", group: group,
        "Least severe events that are logged: error, warning, info or debug")

    static let all = [format, level]
}

/// The settings of `ink worker`.
enum WorkerSetting {
    static let broker = SettingSyntax(
        "broker", .endpoint(binds: false), "ENDPOINT", standard: "tcp://127.0.0.1:5570",
        "The broker's endpoint for workers")
    static let threads = SettingSyntax(
        "threads", .count(1...512), "N", standardShown: "one per usable core", letter: "j", "Render threads")
    static let name = SettingSyntax(
        "name", .text(bytesMax: 256), "NAME", standardShown: "HOST-PID",
        "Name of the worker in status, logs and ink drain")
    static let cache = SettingSyntax(
        "cache", .bytes((16 << 20)...(1 << 44)), "SIZE", standard: "256M",
        "Blocks cached in addition to those of current tasks")

    static let all =
        [broker, threads, name, cache, KeySetting.key, KeySetting.brokerKey, KeySetting.insecure]
        + LogSetting.all
}

/// How the commands of a client find the broker.
enum RemoteSetting {
    static let group = "Broker"

    static let broker = SettingSyntax(
        "broker", .endpoint(binds: false), "ENDPOINT", standard: "tcp://127.0.0.1:5571", group: group,
        "The broker's endpoint for clients")
    static let timeout = SettingSyntax(
        "timeout", .duration(plain: .seconds, 100...31_536_000_000), "SECONDS", group: group,
        "Give up after this long without an answer from the broker")

    static let all = [broker, KeySetting.key, KeySetting.brokerKey, KeySetting.insecure, timeout]
}
