import InkCodecs
package import InkEngine

/// The zip archive of a bundle: the same bytes for the same files, on every machine.
///
/// Files come in byte order of their paths. Pictures that are compressed already are stored, the rest is deflated.
package struct PackArchive {
    private var zip = ZipArchive(madeBy: 0)
    private let deflater = ByteDeflater()
    /// The size of its directory.
    private var directoryBytes = 22
    private var count = 0
    private let path: String

    /// Bytes without the fields of zip64.
    private static let bytesMax = Int(UInt32.max)

    /// - Parameter path: the archive, for messages.
    package init(path: String) { self.path = path }

    /// The bytes of an entry.
    ///
    /// - Throws: `overLimit` before an archive that would need zip64.
    package mutating func add(_ name: String, _ content: [UInt8]) throws(EngineError) -> [UInt8] {
        let isStored = Self.isCompressed(content)
        guard content.count <= Int(Int32.max) else { throw tooLarge("more than \(content.count) bytes", "4 GiB") }
        let stored = isStored ? content : try deflater.deflate(content)
        count += 1
        directoryBytes += 46 + name.utf8.count
        guard count <= BundlePaths.filesMax else { throw tooLarge("\(count) files", "\(BundlePaths.filesMax) files") }
        guard Int(zip.byteCount) + 30 + name.utf8.count + stored.count + directoryBytes < Self.bytesMax else {
            throw tooLarge("more than 4 GiB", "4 GiB")
        }
        return zip.add(
            name, stored[...], crc: crc32(content), deflatedFrom: isStored ? nil : content.count)
    }

    /// What follows the last entry.
    package mutating func end() -> [[UInt8]] { zip.end(commentCount: 0) }

    private func tooLarge(_ found: String, _ limit: String) -> EngineError {
        .overLimit(Place(file: path), what: "the archive", found: found, limit: limit)
    }

    /// Whether a file is a PNG, WebP or JPEG.
    private static func isCompressed(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) || bytes.starts(with: [0xFF, 0xD8, 0xFF])
            || bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
    }
}
