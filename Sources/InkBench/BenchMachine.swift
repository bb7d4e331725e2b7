import Glibc
import InkEngine
import InkExports
import InkJSON
import InkSystem

/// What the times are times of.
package struct BenchMachine: Hashable, Sendable {
    /// As the system calls the processor.
    var processor: String
    /// Cores that the process may use.
    var cores: Int
    /// The level of the inner loops, see `KernelLevel`.
    var kernels: String
    var memoryBytes: Int?
    /// Distribution.
    var system: String
    /// Release of the system's kernel.
    var release: String

    package static func read() -> BenchMachine {
        let processor =
            value(of: "model name", in: text("/proc/cpuinfo"), separator: ":")
            ?? value(of: "Model", in: text("/proc/cpuinfo"), separator: ":") ?? "unknown processor"
        let memory = Memory.read()
        return BenchMachine(
            processor: processor, cores: UsableCores.count(), kernels: KernelLevel.selected.name,
            memoryBytes: [memory.totalBytes, memory.limitBytes].compactMap(\.self).min(),
            system: value(of: "PRETTY_NAME", in: text("/etc/os-release"), separator: "=") ?? "unknown system",
            release: text("/proc/sys/kernel/osrelease").replacingNewlines())
    }

    /// What stands behind the first line's name; blanks and quotes around it do not count.
    static func value(of name: String, in text: String, separator: Character) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let split = line.firstIndex(of: separator), line[..<split].trimmed() == name else { continue }
            let value = line[line.index(after: split)...].trimmed().filter { $0 != "\"" }
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// The text of a system file; empty if it cannot be read.
    private static func text(_ path: String) -> String {
        // What is missing is not known.
        String(decoding: (try? FileSystem.read(path, limitBytes: 1 << 20)) ?? [], as: UTF8.self)
    }

    var memoryText: String {
        memoryBytes.map { Shown.decimal(Double($0) / 0x1p30, places: 1) + " GiB" } ?? "unknown memory"
    }

    /// For a person, on one line.
    var text: String {
        "\(processor), \(cores) \(cores == 1 ? "core" : "cores"), kernels \(kernels), \(memoryText), \(system), "
            + "Linux \(release)"
    }

    /// What differs on another machine, each as a name with both values; which inner loops run is a setting too.
    func differences(from other: BenchMachine) -> [String] {
        let facts: [(name: String, here: String, there: String)] = [
            ("processor", processor, other.processor), ("cores", String(cores), String(other.cores)),
            ("memory", memoryText, other.memoryText),
            ("system", system, other.system), ("Linux", release, other.release),
        ]
        return facts.filter { $0.here != $0.there }.map { "\($0.name) \($0.there), now \($0.here)" }
    }

    var json: JSONValue {
        [
            "processor": .string(processor), "cores": .integer(cores), "kernels": .string(kernels),
            "memoryBytes": .optional(memoryBytes), "system": .string(system), "release": .string(release),
        ]
    }

}

extension BenchMachine {
    /// nil when this is not what `json` makes.
    init?(_ json: JSONValue?) {
        guard let json, let processor = json["processor"]?.string, let cores = json["cores"]?.integer,
            let kernels = json["kernels"]?.string, let system = json["system"]?.string,
            let release = json["release"]?.string
        else { return nil }
        self.init(
            processor: processor, cores: cores, kernels: kernels, memoryBytes: json["memoryBytes"]?.integer,
            system: system, release: release)
    }
}
