import InkCodecs
import InkExports
import InkSystem

/// Where a command writes, as the command line names it. A path that looks like a file counts as a folder only if that
/// folder exists or the path ends with a slash.
enum OutputPlace {
    private static let pictureEndings = [
        ".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".jp2", ".jxl", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif",
        ".heic",
        ".heif",
        ".tga",
        ".exr", ".ico", ".eps", ".dng", ".svg", ".pdf", ".psd",
    ]
    private static let fileEndings =
        pictureEndings + [".ink", ".zip", ".json", ".ndjson", ".txt", ".pub", ".key"]

    /// Whether a path has the ending of a picture, of any format.
    static func isPicture(_ path: String) -> Bool { pictureEndings.contains { path.hasEnding($0) } }

    /// Whether a path has the ending of a format that can be written.
    static func isWritable(_ path: String) -> Bool { PictureCodecs.codec(ofFile: path) != nil }

    /// The path of a picture, with an ending that can be written.
    static func asPicture(_ path: String) -> String {
        guard !isWritable(path), let ending = pictureEndings.first(where: { path.hasEnding($0) }) else { return path }
        let stem = path.dropLast(ending.utf8.count)
        return (stem.isEmpty || stem.hasSuffix("/") ? "\(stem)picture" : stem) + ".png"
    }

    /// A folder, or with the ending of a picture a file.
    /// - Throws: `usage` for the name of another file.
    static func pictures(_ path: String, option: String) throws(CommandError) -> String {
        // A picture that is a folder replaces the one that is there.
        if let codec = PictureCodecs.codec(ofFile: path), codec.format != .iiif, isFolder(path) { return path + "/" }
        guard !isWritable(path), let ending = fileEnding(of: path) else { return path }
        if pictureEndings.contains(ending) {
            throw .usage(
                "\(option): only \(written) is written, not \(ending); use \(option) \(asPicture(path)), or \(option) \(path)/ for a folder of "
                    + "this name")
        }
        throw looksLikeFile(
            path, option, "a picture ends in \(anyOf(PictureCodecs.all.map { ".\($0.endings[0])" }))")
    }

    private static var written: String { anyOf(PictureCodecs.all.map { $0.name.uppercased() }) }

    /// Such as `PNG, JPEG or TIFF`.
    private static func anyOf(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A folder.
    /// - Throws: `usage` for the name of a file.
    static func folder(_ path: String, option: String) throws(CommandError) -> String {
        if path.isEmpty { throw .usage("\(option) is empty") }
        guard fileEnding(of: path) != nil else { return path }
        throw looksLikeFile(path, option, "the command names its files itself")
    }

    private static func looksLikeFile(_ path: String, _ option: String, _ why: String) -> CommandError {
        .usage(
            "\(option): \(path) looks like a file, but a folder is needed (\(why)); for a folder of this name use \(option) \(path)/"
        )
    }

    private static func fileEnding(of path: String) -> String? {
        guard let ending = fileEndings.first(where: { path.hasEnding($0) }) else { return nil }
        // A picture that is a folder replaces the one that is there.
        if PictureCodecs.codec(ofFile: path)?.format == .iiif { return ending }
        return isFolder(path) ? nil : ending
    }

    /// Errors are reported when the path is written to.
    private static func isFolder(_ path: String) -> Bool { (try? FileSystem.status(path)?.isFolder) == true }
}
