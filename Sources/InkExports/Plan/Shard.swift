import InkEngine

/// One of the parts that a run is cut into, so that an engine such as Slurm can start each by itself, and again.
///
/// An input belongs to a part by its name alone. A listing that changes between the parts moves no other input.
package struct Shard: Hashable, Sendable {
    /// The most parts of a run.
    package static let countMax = 1_000_000

    /// From 0.
    package let index: Int
    package let count: Int

    /// - Throws: `usage` for anything but `I/N` with 0 <= I < N <= 1,000,000.
    package init(_ text: String) throws(ExportError) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map(Self.number)
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else {
            throw .usage(
                "--shard (or INK_SHARD): \"\(text)\" is not I/N, such as 0/8 for the first of 8 parts")
        }
        guard (1...Self.countMax).contains(count) else {
            throw .usage("--shard (or INK_SHARD): \(count) parts are not 1 to \(Self.countMax)")
        }
        guard index < count else {
            throw .usage(
                "--shard (or INK_SHARD): \(text): parts are counted from 0, so the last of \(count) is \(count - 1)/\(count)"
            )
        }
        (self.index, self.count) = (index, count)
    }

    package init?(index: Int, count: Int) {
        guard (1...Self.countMax).contains(count), (0..<count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.isEmpty || !digits.utf8.allSatisfy { (48...57).contains($0) } ? nil : Int(digits)
    }

    /// Whether an input is of this part: the SHA-256 of its name as a number, modulo the number of parts.
    package func contains(_ input: ExportInput) -> Bool { Self.part(of: input.nameInRun, count: count) == index }

    /// The part that an input of this name belongs to, by its SHA-256 as a number of 256 bits.
    package static func part(of name: String, count: Int) -> Int {
        SHA256.digest(Array(name.utf8)).reduce(0) { ($0 << 8 | Int($1)) % count }
    }

    /// Identifies a run by the names of all its inputs, in any order: shards with the same have planned the same run.
    ///
    /// - Returns: SHA-256, hexadecimal, of the names in the order of their bytes, each with a NUL behind it.
    package static func plan(of inputs: [ExportInput]) -> String {
        let names = inputs.map { Array($0.nameInRun.utf8) + [0] }
        let digest = SHA256()
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) { digest.update(name) }
        return digest.finish().hexadecimal
    }
}

/// A shard with the run that it is a part of, as a report has it.
package struct PlannedShard: Hashable, Sendable {
    package var shard: Shard
    /// `Shard.plan` of the run.
    package var plan: String

    package init(shard: Shard, plan: String) {
        self.shard = shard
        self.plan = plan
    }
}

// MARK: - Collisions

/// What a picture of an input may be called, as far as that is known without reading it.
struct ClaimedName: Hashable, Sendable {
    /// A path, or with `isOpen` the beginning of paths.
    var path: String
    var isOpen = false
}

extension Shard {
    /// The inputs that have to be read to know whether their pictures' names are each other's.
    ///
    /// - Parameter resolve: one spelling for all paths to one place.
    static func ambiguous(
        _ inputs: [ExportInput], _ arguments: ExportArguments, resolve: (String) -> String
    ) -> Set<Int> {
        // Without any whose names lie in its contents, the plan itself finds all collisions.
        guard inputs.contains(where: { ExportPlan.needsOutline(of: $0, arguments) }) else { return [] }
        return ambiguous(inputs.map { claims(of: $0, arguments, resolve) })
    }

    /// - Parameter claims: of each input, what its pictures may be called.
    static func ambiguous(_ claims: [[ClaimedName]]) -> Set<Int> {
        var all: [(bytes: [UInt8], isOpen: Bool, input: Int)] = []
        for (input, names) in claims.enumerated() {
            // Some file systems take names that differ only in case for one.
            for name in names { all.append((Array(name.path.lowercased().utf8), name.isOpen, input)) }
        }
        all.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        var found: Set<Int> = []
        // The beginnings of the claim at hand, the longest last. Two inputs among them have both been found already.
        var open: [(bytes: [UInt8], input: Int)] = []
        for (index, claim) in all.enumerated() {
            while let last = open.last, !claim.bytes.starts(with: last.bytes) { open.removeLast() }
            if let other = open.last(where: { $0.input != claim.input }) {
                found.formUnion([other.input, claim.input])
            }
            if index > 0, all[index - 1].bytes == claim.bytes, all[index - 1].input != claim.input {
                found.formUnion([all[index - 1].input, claim.input])
            }
            if claim.isOpen { open.append((claim.bytes, claim.input)) }
        }
        return found
    }

    private static func claims(
        of input: ExportInput, _ arguments: ExportArguments, _ resolve: (String) -> String
    ) -> [ClaimedName] {
        if let file = arguments.outputFile { return [ClaimedName(path: resolve(file))] }
        let isRead = ExportPlan.needsOutline(of: input, arguments)
        func place(_ name: String) -> String { ExportPlan.place(name, of: input, output: arguments.output) }
        func open(_ name: String) -> ClaimedName {
            // The end of a name may be a slash, which resolving would take away.
            ClaimedName(path: String(resolve(place(name + "x")).dropLast()), isOpen: true)
        }
        var claims: [ClaimedName] = []
        for size in arguments.sizes(of: input) {
            for ending in ExportPlan.endings(of: input, arguments) {
                let picture = PlannedPicture(input: 0, size: size, output: "")
                func value(_ placeholder: NamePlaceholder) -> String {
                    placeholder == .ext
                        ? ending : ExportPlan.value(of: placeholder, input: input, outline: nil, picture, number: 1)
                }
                // Pages are named behind the name of their document.
                if isRead, let beginning = arguments.name.beginning(before: [.name], value) {
                    claims.append(open(beginning + NameTemplate.safe(input.stem + "-")))
                }
                if isRead, let beginning = arguments.name.beginning(before: [.layer, .viewport], value) {
                    claims.append(open(beginning))
                    // A name that is too long is refused by the plan.
                } else if let name = try? arguments.name.fill(value) {
                    claims.append(ClaimedName(path: resolve(place(name))))
                    // Several pictures of one name are numbered.
                    let stem = name.split(separator: ".", omittingEmptySubsequences: false).dropLast()
                    if isRead { claims.append(open(stem.joined(separator: ".") + "-")) }
                }
            }
        }
        return claims
    }
}

extension ExportArguments {
    /// That the names of pictures do not depend on what only a whole run knows.
    /// - Throws: `usage`.
    func checkShard(_ inputs: [ExportInput]) throws(ExportError) {
        guard run.shard != nil else { return }
        let named = name.placeholders
        if let placeholder = [NamePlaceholder.title, .id].first(where: named.contains) {
            throw .usage(
                "--shard (or INK_SHARD) and {\(placeholder.rawValue)} cannot be used together: each part would have to read all projects "
                    + "to know the names; use {name}")
        }
        let isUncounted = inputs.contains { $0.isFound || ExportPlan.needsOutline(of: $0, self) }
        if named.contains(.number), isUncounted {
            throw .usage(
                "--shard (or INK_SHARD) and {n} cannot be used together, where folders are searched or projects may give several pictures: "
                    + "the number of a picture could differ between the parts; use {name}")
        }
    }
}
