import CSystem
import Glibc
import InkSystem

/// The number of processor cores that this process may use.
package enum UsableCores {
    /// The cores in the affinity mask, fewer if a control group limits the processor time; at least 1.
    package static func count() -> Int {
        let allowed = affinityCount() ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let quota = controlGroupFolders().compactMap { folder -> Double? in
            // A missing or unreadable file sets no limit.
            guard let bytes = try? FileSystem.read(folder + "/cpu.max", limitBytes: 4096) else { return nil }
            return cores(cpuMax: String(decoding: bytes, as: UTF8.self))
        }.min()
        guard let quota else { return allowed }
        return max(1, min(allowed, Int(quota.rounded(.up))))
    }

    /// The cores that a `cpu.max` file (cgroup v2: quota and period in microseconds) allows; nil for no limit.
    static func cores(cpuMax text: String) -> Double? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), quota > 0, period > 0
        else { return nil }
        return quota / period
    }

    private static func affinityCount() -> Int? {
        // The call fails on larger machines; the caller then asks sysconf.
        var processors = [Int32](repeating: 0, count: 1024)
        let count = Int(ink_allowed_processors(&processors, Int32(processors.count)))
        return count > 0 ? count : nil
    }

    /// The folders of this process's control group and its ancestors; each may set a limit.
    private static func controlGroupFolders() -> [String] {
        // Without /proc, the group's folder is unknown.
        guard let bytes = try? FileSystem.read("/proc/self/cgroup", limitBytes: 1 << 16),
            let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first(where: {
                $0.hasPrefix("0::")
            })
        else { return ["/sys/fs/cgroup"] }
        var folders = ["/sys/fs/cgroup"]
        for part in line.dropFirst(3).split(separator: "/") where part != ".." {
            folders.append((folders.last ?? "") + "/" + part)
        }
        return folders
    }
}
