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
        "name", .text(bytesMax: 256), "NAME", standardShown: "the host's name", "What status and logs call the broker")

    static let key = SettingSyntax(
        "key", .path, "FILE", group: KeySetting.group, "The broker's secret key, made by ink keygen")
    static let allowWorkers = SettingSyntax(
        "allow-workers", .path, "PATH", group: KeySetting.group,
        "Public keys of workers that may connect: a .pub file or a folder of them")
    static let allowClients = SettingSyntax(
        "allow-clients", .path, "PATH", group: KeySetting.group,
        "Public keys of clients that may connect: a .pub file or a folder of them")

    static let data = SettingSyntax(
        "data", .path, "DIR", standard: "ink-data", group: files,
        "Jobs, contents and pictures; made if missing, for one broker at a time")
    static let inputRoot = SettingSyntax(
        "input-root", .path, "DIR", isList: true, group: files,
        "Folder below which clients may name projects by path (default: none)")
    static let outputRoot = SettingSyntax(
        "output-root", .path, "DIR", group: files,
        "Folder below which clients may have pictures written (default: none)")
    static let spillFolder = SettingSyntax(
        "spill-folder", .path, "DIR", standard: "/var/tmp", group: files,
        "Where blocks go that do not fit into memory, in files without a name")
    static let limits = SettingSyntax(
        "limits", .path, "FILE", group: files, "JSON file with other limits on projects than the default ones")
    static let presets = SettingSyntax(
        "presets", .path, "DIR", isList: true, group: files,
        "Folder of brush presets for projects that are named by path (default: none)")

    static let queueLimit = SettingSyntax(
        "queue-limit", .count(1...10_000_000), "N", standard: "100000", group: amounts,
        "Jobs that wait or run; more are answered \"busy, try again\"")
    static let active = SettingSyntax(
        "active", .count(1...10_000), "N", standard: "8", group: amounts,
        "Exports of one priority under way at once; four more of a higher one may overtake them")
    static let blockMemory = SettingSyntax(
        "block-memory", .bytes((1 << 20)...(1 << 44)), "SIZE", standard: "96M", group: amounts,
        "Blocks kept in memory; what is beyond goes to the spill folder")
    static let spill = SettingSyntax(
        "spill", .bytes(0...(1 << 50)), "SIZE", standard: "64G", group: amounts, "The most that goes there")
    static let quota = SettingSyntax(
        "quota", .bytes((1 << 20)...(1 << 50)), "SIZE", standard: "64G", group: amounts,
        "Contents and kept pictures in the data folder; beyond, submissions are answered \"busy, try again\"")
    static let verify = SettingSyntax(
        "verify", .share, "SHARE", standard: "0", group: amounts,
        "Share of tiles that is rendered a second time, on another worker, and compared")

    static let retention = SettingSyntax(
        "retention", .duration(plain: nil, 0...315_360_000_000), "TIME", standard: "7d", group: times,
        "How long ended jobs and the pictures kept for them stay")
    static let heartbeat = SettingSyntax(
        "heartbeat", .duration(plain: .milliseconds, 10...600_000), "MS", standard: "1000", group: times,
        "Milliseconds of silence after which a sign of life is sent")
    static let liveness = SettingSyntax(
        "liveness", .duration(plain: .milliseconds, 20...3_600_000), "MS", standard: "3000", group: times,
        "Milliseconds of silence after which a worker or client counts as gone")
    static let lease = SettingSyntax(
        "lease", .duration(plain: .milliseconds, 100...3_600_000), "MS", standard: "60000", group: times,
        "The least time that a worker has for a task, milliseconds")

    static let drainTime = SettingSyntax(
        "drain-time", .duration(plain: nil, 0...86_400_000), "TIME", standard: "60s", group: times,
        "How long SIGTERM waits for exports under way; the others begin again at the next start")

    static let all =
        [
            workers, clients, name, key, allowWorkers, allowClients, KeySetting.insecure, data, inputRoot, outputRoot,
            spillFolder, limits, presets, queueLimit, active, blockMemory, spill, quota, verify, retention, heartbeat,
            liveness, lease, drainTime,
        ] + LogSetting.all
}

/// What all that speak over a network share.
enum KeySetting {
    static let group = "Keys"

    static let insecure = SettingSyntax(
        "insecure", .flag, group: group, "Do without keys although others than this machine can connect")
    /// Of a worker or a client.
    static let key = SettingSyntax("key", .path, "FILE", group: group, "The own secret key, made by ink keygen")
    static let brokerKey = SettingSyntax(
        "broker-key", .path, "FILE", group: group, "The broker's public key (.pub)")
}

/// Where the events of a service go.
enum LogSetting {
    private static let group = "Log"

    static let format = SettingSyntax(
        "log", .choice(["text", "json"]), "text|json", standard: "text", group: group,
        "Form of the log on standard error")
    static let level = SettingSyntax(
        "log-level", .choice(LogLevel.allCases.map(\.rawValue)), "LEVEL", standard: "info", group: group,
        "error, warning, info or debug: the least that is logged")

    static let all = [format, level]
}

/// The settings of `ink worker`.
enum WorkerSetting {
    static let broker = SettingSyntax(
        "broker", .endpoint(binds: false), "ENDPOINT", standard: "tcp://127.0.0.1:5570",
        "The broker's endpoint for workers")
    static let threads = SettingSyntax(
        "threads", .count(1...512), "N", standardShown: "one a usable core", letter: "j", "Render threads")
    static let name = SettingSyntax(
        "name", .text(bytesMax: 256), "NAME", standardShown: "HOST-PID",
        "What status, logs and ink drain call the worker")
    static let cache = SettingSyntax(
        "cache", .bytes((16 << 20)...(1 << 44)), "SIZE", standard: "256M",
        "Blocks kept beyond what the tasks in hand need")

    static let all =
        [broker, threads, name, cache, KeySetting.key, KeySetting.brokerKey, KeySetting.insecure]
        + LogSetting.all
}

/// How the commands of a client find the broker. They read no settings file.
enum RemoteSetting {
    static let group = "Broker"

    static let broker = SettingSyntax(
        "broker", .endpoint(binds: false), "ENDPOINT", standard: "tcp://127.0.0.1:5571", group: group,
        "The broker's endpoint for clients")
    static let timeout = SettingSyntax(
        "timeout", .duration(plain: .seconds, 100...31_536_000_000), "SECONDS", group: group,
        "Give up when the broker has not answered for so long")

    static let all = [broker, KeySetting.key, KeySetting.brokerKey, KeySetting.insecure, timeout]
}
