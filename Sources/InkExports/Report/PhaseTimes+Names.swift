package import InkJSON

extension PhaseTimes {
    /// Each phase with its name in reports, in order.
    package static let all: [(name: String, path: any WritableKeyPath<PhaseTimes, Double> & Sendable)] = [
        ("read", \.read), ("decode", \.decode), ("queue", \.queue), ("prepare", \.prepare), ("raster", \.raster),
        ("composite", \.composite), ("encode", \.encode), ("stitch", \.stitch),
    ]

    /// The phases without waiting.
    package static var work: [(name: String, path: any WritableKeyPath<PhaseTimes, Double> & Sendable)] {
        all.filter { $0.name != "queue" }
    }

    /// Milliseconds by name.
    package var json: JSONValue {
        .object(Self.all.map { ($0.name, .milliseconds(self[keyPath: $0.path])) })
    }

    /// Missing phases are 0; nil if this is not an object of numbers.
    package init?(_ json: JSONValue) {
        self.init()
        guard let members = json.members, members.allSatisfy({ $0.1.number != nil }) else { return nil }
        for phase in Self.all { self[keyPath: phase.path] = json[phase.name]?.number ?? 0 }
    }

    package mutating func add(_ other: PhaseTimes) {
        for phase in Self.all { self[keyPath: phase.path] += other[keyPath: phase.path] }
    }
}
