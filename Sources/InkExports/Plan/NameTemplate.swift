import InkCodecs
import InkEngine

/// The placeholders `{...}` of a picture's name.
package enum NamePlaceholder: String, Hashable, Sendable, CaseIterable {
    /// The project file's name without its ending.
    case name
    /// The project's own name.
    case title
    /// The name of the folder that contains the project.
    case dir
    /// The project's id.
    case id
    case size
    case layer
    case viewport
    /// The picture's number in the run, from 1; the same for all files of a picture. `{n:03}` has at least three digits.
    case number = "n"
    /// The usual ending of the file's format, without the dot.
    case ext

    /// Whether its value is known only when the project has been read.
    var needsProject: Bool {
        switch self {
        case .title, .id, .layer, .viewport: true
        case .name, .dir, .size, .number, .ext: false
        }
    }
}

/// How the files of a run are named: `{name}-{size}.png`.
package struct NameTemplate: Hashable, Sendable {
    private enum Piece: Hashable, Sendable {
        case literal(String)
        /// - Parameter digits: to which a number is padded with zeros; nil: as it is.
        case placeholder(NamePlaceholder, digits: Int?)
    }

    /// Longest value that is put into a name, bytes of UTF-8.
    static let valueBytesMax = 200
    /// Longest part of a path that comes out, bytes: 255 is what Linux file systems take, and the temporary file
    /// beside the picture has a longer name.
    static let componentBytesMax = 235
    /// Most digits to which a number is padded.
    static let digitsMax = 9

    private let pieces: [Piece]

    /// - Throws: `usage` for an unknown placeholder, an open brace, an absolute path or one with `..`, and for a name
    ///   that does not end like a picture.
    package init(_ text: String) throws(ExportError) {
        pieces = try Self.parse(text)
        let endings = PictureCodecs.all.flatMap(\.endings).map { ".\($0)" } + [".{\(NamePlaceholder.ext.rawValue)}"]
        guard let ending = endings.first(where: { text.hasEnding($0) }) else {
            throw .usage(
                "--name: \"\(text)\" does not end like a picture; end it in .{ext}, which is the ending of the format, as in "
                    + "{name}-{size}.{ext}")
        }
        guard text.utf8.count > ending.utf8.count else {
            throw .usage("--name: \"\(text)\" has nothing before the \(ending)")
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
            throw .usage("--name: \"\(text)\" is absolute, leaves the folder or has an empty part")
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw .usage("--name contains a control character")
        }
    }

    package var placeholders: Set<NamePlaceholder> {
        Set(
            pieces.compactMap { piece in
                if case .placeholder(let placeholder, _) = piece { placeholder } else { nil }
            })
    }

    var needsProject: Bool { placeholders.contains(where: \.needsProject) }

    /// The relative path of a picture. `values` are made safe here.
    /// - Throws: `usage` when a part of the path becomes too long.
    func fill(_ value: (NamePlaceholder) -> String) throws(ExportError) -> String {
        let path = pieces.map { piece in
            switch piece {
            case .literal(let text): text
            case .placeholder(let placeholder, let digits): Self.safe(Self.padded(value(placeholder), to: digits))
            }
        }.joined()
        for part in path.split(separator: "/") {
            if part.utf8.count > Self.componentBytesMax {
                throw .usage("--name: \"\(part)\" is longer than \(Self.componentBytesMax) bytes")
            }
        }
        return path
    }

    /// The beginning of a path, up to one of these placeholders; nil if it has none of them. `values` are made safe here.
    func beginning(before stops: Set<NamePlaceholder>, _ value: (NamePlaceholder) -> String) -> String? {
        var beginning = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): beginning += text
            case .placeholder(let placeholder, _) where stops.contains(placeholder): return beginning
            case .placeholder(let placeholder, let digits):
                beginning += Self.safe(Self.padded(value(placeholder), to: digits))
            }
        }
        return nil
    }

    private static func padded(_ number: String, to digits: Int?) -> String {
        String(repeating: "0", count: max(0, (digits ?? 0) - number.utf8.count)) + number
    }

    /// A value that can stand inside a file name: no separators, no control characters, no `..`, no dot in front, not
    /// empty, and at most `valueBytesMax` bytes, cut between characters.
    package static func safe(_ value: String) -> String {
        var scalars = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in value.unicodeScalars {
            let isHarmful = scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
            let isSecondDot = scalar == "." && (scalars.last == "." || scalars.isEmpty)
            let kept: Unicode.Scalar = isHarmful || isSecondDot ? "_" : scalar
            let size = String(kept).utf8.count
            if byteCount + size > valueBytesMax { break }
            scalars.append(kept)
            byteCount += size
        }
        return scalars.isEmpty ? "_" : String(scalars)
    }

    /// The digits of `03`, which stands behind the colon of `{n:03}`.
    private static func digits(_ format: String, _ placeholder: NamePlaceholder) throws(ExportError) -> Int {
        let shown = "{\(placeholder.rawValue):\(format)}"
        guard placeholder == .number else {
            throw .usage("--name: \(shown): only {n} is a number that can have a number of digits, as in {n:03}")
        }
        guard format.hasPrefix("0"), let digits = Int(format), (1...digitsMax).contains(digits), format.utf8.count == 2
        else {
            throw .usage(
                "--name: \(shown) is unknown; {n:03} pads the number with zeros to three digits, up to {n:0\(digitsMax)}"
            )
        }
        return digits
    }

    private static func parse(_ text: String) throws(ExportError) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw .usage("--name: \"\(text)\" has a brace without its partner")
            }
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            let word = String(rest[rest.index(after: open)..<close])
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let placeholder = NamePlaceholder(rawValue: parts[0]) else {
                let all = NamePlaceholder.allCases.map(\.rawValue)
                let known = all.map { "{\($0)}" }.joined(separator: ", ")
                throw .usage(
                    "--name: {\(word)} is unknown\(didYouMean(parts[0], among: all)); choose from \(known)")
            }
            pieces.append(.placeholder(placeholder, digits: try parts.count > 1 ? digits(parts[1], placeholder) : nil))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        return pieces
    }
}
