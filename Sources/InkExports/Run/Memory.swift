import InkSystem

/// Available memory, bytes; nil if the system does not report it.
package struct Memory: Hashable, Sendable {
    package var totalBytes: Int?
    package var availableBytes: Int?
    /// The memory limit of the control group.
    package var limitBytes: Int?

    package static func read() -> Memory {
        let information = text("/proc/meminfo")
        return Memory(
            totalBytes: kilobytes("MemTotal:", in: information).map { $0 << 10 },
            availableBytes: kilobytes("MemAvailable:", in: information).map { $0 << 10 },
            limitBytes: groupLimit())
    }

    /// The lowest limit of this process's control group and those around it. In a container its own is the outermost.
    private static func groupLimit() -> Int? {
        let line = text("/proc/self/cgroup").split(separator: "\n").first { $0.hasPrefix("0::") }
        var group = line.map { String($0.dropFirst(3)) } ?? "/"
        var limits: [Int] = []
        while true {
            let found = text("/sys/fs/cgroup\(group)/memory.max").trimmed().replacingNewlines()
            if let limit = Int(found) { limits.append(limit) }
            guard group.count > 1, group.hasPrefix("/") else { return limits.min() }
            group = group.splitPath().folder
        }
    }

    /// The largest picture that fits beside what is made of it while it is read and packed; nil without a limit.
    package var documentBytesMax: Int? { limitBytes.map { $0 / 4 } }
    /// The largest other document that fits: these take several times as much in memory as in a file.
    package var projectBytesMax: Int? { limitBytes.map { $0 / 8 } }

    package var text: String {
        func shown(_ bytes: Int?) -> String {
            bytes.map { Shown.decimal(Double($0) / 0x1p30, places: 1) + " GiB" } ?? "unknown"
        }
        let limit = limitBytes.map { ", limited to \(shown($0))" } ?? ""
        return "\(shown(totalBytes)), \(shown(availableBytes)) available\(limit)"
    }

    /// The text of a system file; empty if it is missing.
    private static func text(_ path: String) -> String {
        // What is missing sets no limit.
        String(decoding: (try? FileSystem.read(path, limitBytes: 1 << 16)) ?? [], as: UTF8.self)
    }

    private static func kilobytes(_ name: String, in text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}
