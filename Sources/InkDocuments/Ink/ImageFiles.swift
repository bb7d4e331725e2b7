import InkCodecs
import InkEngine

/// The image files of a project, inside the project's folder; each file is asked for once.
final class ImageFiles {
    private let companions: any CompanionFiles
    private let limits: Limits
    /// By the bytes of their paths, because equivalent names may be two files.
    private var images: [[UInt8]: EncodedImage] = [:]
    private var byteCount = 0

    init(_ companions: any CompanionFiles, limits: Limits) {
        self.companions = companions
        self.limits = limits
    }

    /// Whether no file has been read.
    var isEmpty: Bool { images.isEmpty }

    /// Adds the files that have been read to a digest, in the order of their paths.
    func update(_ digest: SHA256) {
        for (path, image) in images.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            digest.update(label: "image " + String(decoding: path, as: UTF8.self), image.bytes)
        }
    }

    /// The image in a file; nil where it is not known yet.
    ///
    /// - Parameter place: where the project names the file.
    /// - Throws: `badInput` if the path leaves the folder or is not an image, `overLimit` for its size.
    func read(_ text: String, at place: Place) throws(EngineError) -> EncodedImage? {
        let path = try rethrowing(try BundlePath(text)) { (error: BundlePath.Fault) in
            EngineError.badInput(place, reason: "the path \"\(shownText(text))\" \(error.reason)")
        }
        let key = Array(path.text.utf8)
        if let image = images[key] { return image }
        guard let name = CompanionName(.image, utf8: key) else {
            throw .badInput(
                place, reason: "the path \"\(shownText(text))\" is longer than \(CompanionName.bytesMax) bytes")
        }
        switch try companions.answer(to: name, limitBytes: limits.fileBytes - byteCount) {
        case nil: return nil
        case .file(let bytes, _):
            let image = try EncodedImage(checking: bytes, place: place, limits: limits)
            images[key] = image
            byteCount += bytes.count
            return image
        case .nowhere:
            throw .badInput(
                place, reason: "names a file, but the project has no folder here; put the image into the project")
        case .missing, .presetFolders:
            throw .badInput(place, reason: "there is no file \"\(shownText(path.text))\" in the project's folder")
        }
    }
}
