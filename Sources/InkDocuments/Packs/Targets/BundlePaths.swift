import InkEngine

/// The paths of a bundle's files, each of which everybody has to be able to unpack.
struct BundlePaths {
    private let source: TargetBundles
    /// The written path of each file, by its path in lower case. Swift's == equates canonically equivalent names, as
    /// file systems do.
    private var files: [String: String] = [:]
    /// A file in each folder, by the folder's path in lower case.
    private var folders: [String: String] = [:]

    /// The entries that an archive can count.
    static let filesMax = 65_535
    /// Characters of a path, where a recipe says nothing.
    static let lengthMax = 1_000
    /// Bytes of a name in most file systems.
    static let nameBytesMax = 255

    init(_ source: TargetBundles) { self.source = source }

    /// - Parameter place: of the item or the target, for messages.
    mutating func add(_ path: String, place: String) throws(TargetError) {
        let rules = source.recipe.rules
        func fault(_ reason: String) -> TargetError {
            source.fault(place, "the path \"\(shownText(path, limit: 120))\" of target \(source.recipe.name) \(reason)")
        }
        guard files.count < Self.filesMax else {
            throw .input(
                .overLimit(
                    Place(file: source.file, path: place),
                    what: "the number of files in a bundle of target "
                        + source.recipe.name, found: "more than \(Self.filesMax)", limit: "\(Self.filesMax)"))
        }
        var counted = path[...]
        if rules.skipsFolder, let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) {
            counted = path[path.utf8.index(after: slash)...]
        }
        let (length, most) = (counted.unicodeScalars.count, min(rules.pathLength ?? Self.lengthMax, Self.lengthMax))
        guard length <= most else { throw fault("has \(length) characters, can have at most \(most)") }
        if let names = rules.names, !names.matches(path) { throw fault("must match \(names.text)") }
        // By bytes: a slash and an accent behind it are one character.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        for part in parts {
            if let reason = Self.fault(ofName: part) { throw fault(reason) }
        }
        let lower = path.lowercased()
        if let other = files[lower] {
            throw fault(
                other.utf8.elementsEqual(path.utf8)
                    ? "is there twice" : "differs only in case from \"\(shownText(other, limit: 120))\"")
        }
        if let other = folders[lower] { throw fault("is also a folder, of \"\(shownText(other, limit: 120))\"") }
        files[lower] = path
        var folder = ""
        for part in lower.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
            folder += (folder.isEmpty ? "" : "/") + String(decoding: part, as: UTF8.self)
            guard files[folder] == nil else { throw fault("is inside of \"\(shownText(folder, limit: 120))\", a file") }
            if folders[folder] == nil { folders[folder] = path }
        }
    }

    /// Why a name cannot be that of a file or folder everywhere, the end of a message; nil if it can.
    static func fault(ofName name: String) -> String? {
        if name.isEmpty { return "has an empty name" }
        if name == "." || name == ".." { return "has the name \(name), which leads elsewhere" }
        if name.utf8.count > nameBytesMax { return "has a name of more than \(nameBytesMax) bytes" }
        if let scalar = name.unicodeScalars.first(where: { $0.isControl || "<>:\"/\\|?*".unicodeScalars.contains($0) })
        {
            return "has the character \"\(shownText(String(scalar)))\", which names of files cannot have everywhere"
        }
        if name.hasSuffix(".") || name.hasSuffix(" ") { return "has a name that ends with a point or a blank" }
        if isDevice(name) { return "has the name of a device of Windows" }
        return nil
    }

    /// Whether Windows takes a name for a device, whatever its ending.
    static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.lowercased()
        if ["con", "prn", "aux", "nul"].contains(stem) { return true }
        guard stem.utf8.count == 4, let digit = stem.utf8.last, (49...57).contains(digit) else { return false }
        return stem.hasPrefix("com") || stem.hasPrefix("lpt")
    }
}
