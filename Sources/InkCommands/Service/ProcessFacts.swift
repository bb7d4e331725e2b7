import Glibc
import InkExports

/// Facts about the process and its machine.
enum ProcessFacts {
    /// The environment; text that is not UTF-8 is left out.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            next = next.successor()
            guard let text = String(validatingCString: entry), let equals = text.firstIndex(of: "=") else { continue }
            variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return variables
    }

    /// The host's name without its domain; `localhost` if the system does not report it.
    static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let short = text.split(separator: ".").first.map(String.init) ?? ""
        return short.isEmpty || short.escapingControls() != short ? "localhost" : short
    }

    static func processID() -> Int { Int(getpid()) }
}
