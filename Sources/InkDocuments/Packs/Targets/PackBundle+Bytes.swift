import InkEngine
import InkJSON

extension PackBundle {
    /// Checks the contents of all texts and JSON files.
    ///
    /// - Throws: what makes a bundle impossible, before anything is rendered.
    package func check() throws(TargetError) {
        for file in files where file.content == .text { _ = try bytes(of: file) }
    }

    /// The bytes of a text or a JSON file; nothing for other files.
    package func bytes(of file: BundleFile) throws(TargetError) -> [UInt8] {
        let entry = source.recipe.files[file.entry]
        var expansion = TargetExpansion(self, place: entry.place)
        switch entry.content {
        case .json(let template): return try expansion.value(template, item: file.item).packText
        case .text(let lines): return try expansion.text(lines, item: file.item)
        case .picture, .copy, .sheet: return []
        }
    }

    /// A UUID of this bundle.
    func uuid(_ role: String) throws(TargetError) -> NameUUID {
        try TargetBundles.input { () throws(EngineError) in
            try NameUUID(namespace: source.identity, name: "\(key)/\(role)")
        }
    }
}

/// Fills in a template, within a limit of bytes.
private struct TargetExpansion {
    private let bundle: PackBundle
    /// The file's place in the recipe.
    private let place: String
    private var bytesLeft = TargetExpansion.bytesMax
    private var depth = 0

    /// The most bytes of a file, about: a short recipe may repeat much for each of many items.
    private static let bytesMax = 64 << 20

    init(_ bundle: PackBundle, place: String) {
        self.bundle = bundle
        self.place = place
    }

    private func mistake(_ reason: String) -> TargetError { bundle.mistake(place, reason) }

    private mutating func count(_ byteCount: Int) throws(TargetError) {
        bytesLeft -= byteCount
        guard bytesLeft >= 0 else {
            throw .input(
                .overLimit(
                    Place(file: bundle.source.file, path: bundle.source.target.place),
                    what: "a file of target \(bundle.source.recipe.name) (\(place))",
                    found: "more than \(Self.bytesMax) bytes", limit: "\(Self.bytesMax) bytes"))
        }
    }

    private mutating func text(_ template: TargetText, item: Int?) throws(TargetError) -> String {
        let text = try bundle.text(template, item: item)
        try count(text.utf8.count + 1)
        return text
    }

    mutating func text(_ lines: [TargetFile.Line], item: Int?) throws(TargetError) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            switch line {
            case .once(let line): bytes += (try text(line, item: item) + "\n").utf8
            case .each(let lines):
                for item in bundle.items {
                    for line in lines { bytes += (try text(line, item: item) + "\n").utf8 }
                }
            }
        }
        return bytes
    }

    mutating func value(_ template: TargetTemplate, item: Int?) throws(TargetError) -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        try count(2 * depth + 2)
        switch template {
        case .plain(let value):
            try count(value.plainText.utf8.count)
            return value
        case .text(let text):
            let value = try bundle.value(of: text, item: item)
            try count(value.string?.utf8.count ?? 1)
            return value
        case .list(let elements):
            var values: [JSONValue] = []
            for element in elements {
                switch element {
                case .value(let template): values.append(try value(template, item: item))
                case .each(let template):
                    for item in bundle.items { values.append(try value(template, item: item)) }
                }
            }
            return .array(values)
        case .object(let members):
            var object = OrderedMembers()
            try add(members, item: item, to: &object)
            return .object(object.members)
        case .numbers(let template):
            let text = try text(template, item: item)
            guard let numbers = TargetTemplate.numbers(text) else {
                throw mistake("$list needs whole numbers between points, has \"\(shownText(text))\"")
            }
            return .array(numbers.map { .integer($0) })
        case .uuid(let template): return .string("\(try bundle.uuid(try text(template, item: item)))")
        }
    }

    private mutating func add(
        _ members: [TargetTemplate.Member], item: Int?, to object: inout OrderedMembers
    ) throws(TargetError) {
        for member in members {
            switch member {
            case .value(let key, let template):
                let key = try text(key, item: item)
                object.set(key, try value(template, item: item))
            case .each(let members):
                for item in bundle.items { try add(members, item: item, to: &object) }
            case .parts(let names):
                for name in names {
                    let name = try text(name, item: item)
                    guard let part = bundle.source.recipe.parts[name] else {
                        let known = bundle.source.recipe.parts.keys.sorted()
                        throw mistake("unknown part \"\(shownText(name))\"\(didYouMean(name, among: known))")
                    }
                    try add(part, item: item, to: &object)
                }
            }
        }
    }
}

/// The members of an object; a key that comes again keeps its place and gets the later value.
private struct OrderedMembers {
    private(set) var members: [(String, JSONValue)] = []
    private var places: [String: Int] = [:]

    mutating func set(_ key: String, _ value: JSONValue) {
        if let place = places[key] {
            members[place].1 = value
        } else {
            places[key] = members.count
            members.append((key, value))
        }
    }
}
