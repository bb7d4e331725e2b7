import InkCodecs
import InkEngine

/// The image files of a project, inside the project's folder; each file is read once.
final class ImageFiles {
    private let folders: [String]
    private let limits: Limits
    private var bundles: [FolderBundle]?
    /// By the bytes of their paths, because equivalent names may be two files.
    private var images: [[UInt8]: EncodedImage] = [:]
    private var byteCount = 0

    /// - Parameter folders: searched in this order; each with a trailing slash, or empty for the current folder.
    init(folders: [String], limits: Limits) {
        self.folders = folders
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

    /// The image in a file.
    ///
    /// - Parameter place: where the project names the file.
    /// - Throws: `badInput` if the path leaves the folder or is not an image, `overLimit` for its size.
    func read(_ text: String, at place: Place) throws(EngineError) -> EncodedImage {
        let path = try rethrowing(try BundlePath(text)) { (error: BundlePath.Fault) in
            EngineError.badInput(place, reason: "the path \"\(shownText(text))\" \(error.reason)")
        }
        let key = Array(path.text.utf8)
        if let image = images[key] { return image }
        guard !folders.isEmpty else {
            throw .badInput(
                place, reason: "names a file, but the project has no folder here; put the image into the project")
        }
        for bundle in try openFolders() {
            guard let bytes = try bundle.read(path, limitBytes: limits.fileBytes - byteCount) else { continue }
            let image = try EncodedImage(checking: bytes, place: place, limits: limits)
            images[key] = image
            byteCount += bytes.count
            return image
        }
        throw .badInput(place, reason: "there is no file \"\(shownText(path.text))\" in the project's folder")
    }

    private func openFolders() throws(EngineError) -> [FolderBundle] {
        if let bundles { return bundles }
        var opened: [FolderBundle] = []
        for folder in folders { opened.append(try FolderBundle(path: folder.isEmpty ? "." : folder)) }
        bundles = opened
        return opened
    }
}
