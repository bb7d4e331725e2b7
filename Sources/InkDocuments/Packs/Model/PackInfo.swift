/// What a pack says of itself, and the values that count for all of its items.
package struct PackInfo: Sendable {
    /// `[a-z][a-z0-9_]{1,31}`
    package var id: String
    /// 1 to 60 characters.
    package var name: String
    /// 1 to 200 characters.
    package var description: String
    /// Up to 60 characters.
    package var author = ""
    /// Up to 60 characters.
    package var license = ""
    /// Up to 200 characters.
    package var url = ""
    package var release = PackRelease(major: 1, minor: 0, patch: 0)
    /// The identity that the pack asks for, in lower case; nil where it follows from the author and the id.
    package var uuid: String?
    /// The name or the path of the picture of bundles of all items; nil: the first item.
    package var icon: String?
    /// Values of all items, which those of items and of targets' entries override.
    package var values: [String: PackValue] = [:]

    package init(id: String, name: String, description: String) {
        self.id = id
        self.name = name
        self.description = description
    }
}

/// The number of a release: three whole numbers below 100,000, such as 1.4.0; 0.0.0 is none.
package struct PackRelease: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var major: Int
    package var minor: Int
    package var patch: Int

    package init(major: Int, minor: Int, patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses `1.4.0`; nil for anything else: another count of numbers, a sign, leading zeros, 0.0.0.
    package init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false) {
            guard (1...5).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                part.utf8.count == 1 || part.utf8.first != 48, let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        guard numbers.count == 3, numbers != [0, 0, 0] else { return nil }
        self.init(major: numbers[0], minor: numbers[1], patch: numbers[2])
    }

    package var description: String { "\(major).\(minor).\(patch)" }

    package static func < (one: PackRelease, other: PackRelease) -> Bool {
        (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
    }
}

/// One entry of a pack's `targets`.
package struct PackTarget: Sendable {
    /// What kind of bundles a target makes: one of all items, or one of each.
    package enum Bundling: String, CaseIterable, Sendable {
        case pack, item
    }

    /// The name of a recipe, or the path of one inside the pack's folder (`./mine.json`).
    package var target: String
    /// What the recipe says, where it is nil.
    package var bundle: Bundling?
    package var values: [String: PackValue] = [:]
    /// The entry's place in the pack file: `targets[0]`; empty for one of the command line.
    package var place: String

    package init(_ target: String, bundle: Bundling? = nil, place: String = "") {
        self.target = target
        self.bundle = bundle
        self.place = place
    }
}
