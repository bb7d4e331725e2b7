import InkCodecs
import InkDocuments
import InkEngine
import InkSystem

/// The fonts that texts of overlays are set in.
struct OverlayFonts {
    struct Missing: Error {
        var reason: String
    }

    private struct File {
        var path: String
        var bytes: [UInt8]
    }

    static let regular = 400.0
    /// From here on texts in the standard font are bold.
    static let bold = 600.0

    /// What texts are set in where nothing is said: a dependency of the program.
    static let standardFamily = "DejaVu Sans"
    private static let standardFolders = ["/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts"]

    /// In the order in which they were given.
    private var files: [File] = []
    private var byteCount = 0

    /// Adds the fonts of a file.
    /// - Throws: `engine` where it cannot be read, is too large or is no font.
    mutating func add(_ path: String) throws(ExportError) {
        if files.contains(where: { $0.path == path }) { return }
        let left = Font.bytesMax - byteCount
        let bytes = try ExportError.wrapping(try FileSystem.read(path, limitBytes: left))
        guard Font.count(in: bytes) > 0 else {
            throw .engine(.badInput(Place(file: path), reason: "is not a TrueType or OpenType font"))
        }
        files.append(File(path: path, bytes: bytes))
        byteCount += bytes.count
    }

    /// The fonts of a text: the first that was given, else the standard one, and then all others.
    func chosen(weight: Double) throws(ExportError) -> [Font] {
        guard let first = files.first else { return [try Self.standard(weight)] }
        return try opened([first] + files, weight: weight)
    }

    /// A font by its file, and then all others.
    mutating func chosen(file path: String, weight: Double) throws(ExportError) -> [Font] {
        try add(path)
        let own = files.filter { $0.path == path }
        return try opened(own + files, weight: weight)
    }

    /// The font of a family whose weight is nearest, and then all others.
    func chosen(family: String, weight: Double) throws(Missing) -> [Font] {
        let all = try rethrowing(try opened(files, weight: weight)) { (error: ExportError) in
            Missing(reason: error.description)
        }
        let wanted = family.lowercased()
        let fitting = all.filter { $0.family.lowercased() == wanted }
        // Upright ones first; the first of equals.
        let best = fitting.min { a, b in
            (a.isItalic ? 1 : 0, abs(a.weight - weight)) < (b.isItalic ? 1 : 0, abs(b.weight - weight))
        }
        if let best { return [best] + all }
        if wanted == Self.standardFamily.lowercased() {
            do throws(ExportError) {
                return [try Self.standard(weight)] + all
            } catch {
                throw Missing(reason: error.description)
            }
        }
        let names = Set(all.map(\.family)).sorted()
        let known = names.isEmpty ? "no fonts are given" : "there are " + names.joined(separator: ", ")
        throw Missing(reason: "\"\(family)\" is not among the fonts (\(known)); give its file with \"fonts\" or --font")
    }

    private func opened(_ files: [File], weight: Double) throws(ExportError) -> [Font] {
        var fonts: [Font] = []
        var seen: Set<String> = []
        for file in files where seen.insert(file.path).inserted {
            for index in 0..<Font.count(in: file.bytes) {
                fonts.append(
                    try ExportError.wrapping(
                        try Font(file.bytes, index: index, weight: weight, place: Place(file: file.path))))
            }
        }
        return fonts
    }

    /// - Throws: `unavailable` where it is not installed.
    private static func standard(_ weight: Double) throws(ExportError) -> Font {
        let name = weight >= bold ? "DejaVuSans-Bold.ttf" : "DejaVuSans.ttf"
        for folder in standardFolders {
            let path = folder.appendingPath(name)
            // A font that cannot be looked at is as good as one that is not installed.
            guard (try? FileSystem.exists(path)) == true else { continue }
            return try ExportError.wrapping { () throws(EngineError) in
                try Font(
                    try FileSystem.read(path, limitBytes: Font.bytesMax), weight: weight, place: Place(file: path))
            }
        }
        throw .unavailable(
            "\(standardFamily) is not installed (package fonts-dejavu-core); install it, or give a font with --font")
    }
}

/// The pictures of overlays.
enum OverlayImages {
    /// - Throws: `engine` where it cannot be read or is no picture, `unavailable` where a library for it is missing.
    static func read(_ path: String, limits: Limits) throws(ExportError) -> ImageOverlay {
        let place = Place(file: path)
        let (bytes, decoder) = try ExportError.wrapping { () throws(EngineError) in
            let bytes = try FileSystem.read(path, limitBytes: limits.fileBytes)
            return (bytes, try ImageDecoders.decoder(of: bytes, place: place))
        }
        if let package = decoder.library.missingPackage {
            throw .unavailable("\(path): \(decoder.name) pictures cannot be read here; install the package \(package)")
        }
        return try ExportError.wrapping(try ImageOverlay(bytes, place: place, limits: limits))
    }
}
