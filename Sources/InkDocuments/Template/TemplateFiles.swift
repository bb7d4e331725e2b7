import InkCodecs
package import InkEngine

/// All files of a template, in a folder or a zip archive.
package struct TemplateFiles {
    let bundle: any TemplateBundle
    private let file: String
    private let limits: Limits

    /// - Throws: `badInput` for what is neither a folder nor a zip archive, and for one without a manifest; `io`.
    package init(path: String, limits: Limits) throws(EngineError) {
        file = path
        self.limits = limits
        bundle = try TemplateReader.bundle(path: path, limits: limits)
        guard try bundle.paths(limits: limits).contains(where: { $0.text == FolderBundle.manifestName }) else {
            throw .badInput(
                Place(file: path), reason: "there is no \(FolderBundle.manifestName) in it, it is not a template")
        }
    }

    /// A file in a template folder that no command has written there, as a path inside it; nil for none.
    ///
    /// - Throws: `io`, `overLimit` for too many files.
    package static func foreignFile(in folder: String, limits: Limits) throws(EngineError) -> String? {
        let own: Set = [FolderBundle.manifestName, "base.png", "guide.png", "preview.png", ".DS_Store"]
        return try FolderBundle(path: folder).names(limits: limits).first { name in
            !own.contains(name)
                && !(name.hasPrefix("layers/") && name.hasSuffix("_mask.png") && name.split(separator: "/").count == 2)
        }
    }

    /// The paths of the files, in byte order, without hidden ones.
    package func paths() throws(EngineError) -> [String] { try bundle.paths(limits: limits).map(\.text) }

    /// Passes on all files, in byte order of their paths, without hidden ones.
    ///
    /// - Throws: `badInput` for links and devices, `overLimit` for more bytes than a project file may have, `io`; errors
    ///   of `onFile`.
    package func forEach(
        _ onFile: (_ path: String, _ bytes: [UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        var left = limits.fileBytes
        for path in try bundle.paths(limits: limits) {
            guard let bytes = try bundle.read(path, limitBytes: left) else {
                throw .badInput(Place(file: file, path: path.text), reason: "has disappeared")
            }
            left -= bytes.count
            try onFile(path.text, bytes)
        }
    }

    /// Passes on the pieces of a zip archive of all files: the same bytes for the same files.
    ///
    /// - Throws: as `forEach`.
    package func pack(_ write: ([UInt8]) throws(EngineError) -> Void) throws(EngineError) {
        var archive = ZipArchive()
        try forEach { (path, bytes) throws(EngineError) in
            guard bytes.count <= Int(Int32.max) else {
                throw .overLimit(
                    Place(file: file, path: path), what: "the file", found: "\(bytes.count) bytes", limit: "2 GiB")
            }
            try write(archive.add(path, bytes[...], crc: crc32(bytes)))
        }
        for part in archive.end(commentCount: 0) { try write(part) }
    }
}

extension TemplateBundle {
    /// The paths of all regular files and links, in byte order. What is hidden, and what macOS adds to archives, is left
    /// out.
    func paths(limits: Limits) throws(EngineError) -> [BundlePath] {
        var paths: [BundlePath] = []
        for text in try names(limits: limits) {
            // What cannot be named in a manifest is no part of a template.
            guard let path = try? BundlePath(text),
                !path.components.contains(where: { $0.hasPrefix(".") || $0 == FolderBundle.foreignFolder })
            else { continue }
            paths.append(path)
        }
        return paths.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }
}
