import InkCodecs
package import InkEngine

/// A file of the user's that is copied into a bundle.
package struct BundleCopy: Hashable, Sendable {
    /// Inside the pack's folder.
    package var path: String
    /// A text that must be in it.
    package var contains: String?
    /// In the pack file, for messages.
    package var place: String

    package static let bytesMax = 4 << 20

    /// Checks what is in the file.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: the pack, for messages.
    ///   - limits: of JSON.
    /// - Throws: `badInput`, `overLimit`.
    package func check(_ bytes: [UInt8], file: String, limits: Limits = Limits()) throws(EngineError) {
        let place = Place(file: file, path: place)
        guard bytes.count <= Self.bytesMax else {
            throw .overLimit(
                place, what: "the file \(shownText(path))", found: "\(bytes.count) bytes", limit: "\(Self.bytesMax)")
        }
        if path.lowercased().hasSuffix(".json") {
            _ = try JSONDocument(bytes, file: path, limits: limits)
        }
        if let contains, !bytes.holds(contains) {
            throw .badInput(place, reason: "the file \(shownText(path)) does not contain \(shownText(contains))")
        }
    }
}
