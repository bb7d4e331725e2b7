package import InkJSON
package import InkProtocol

extension PhaseTimes {
    /// The phases without waiting.
    package static var work: [(name: String, path: Path)] { all.filter { $0.name != "queue" } }

    /// Milliseconds by name.
    package var json: JSONValue {
        .object(Self.all.map { ($0.name, .milliseconds(nanoseconds: self[keyPath: $0.path])) })
    }

    /// Missing phases are 0; nil if this is not an object of times.
    package init?(_ json: JSONValue) {
        self.init()
        guard let members = json.members,
            members.allSatisfy({ $0.1.number.map { (0...1e12).contains($0) } ?? false })
        else { return nil }
        for phase in Self.all { self[keyPath: phase.path] = UInt64(((json[phase.name]?.number ?? 0) * 1e6).rounded()) }
    }
}
