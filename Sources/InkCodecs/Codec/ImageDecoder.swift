public import InkEngine

/// The library that reads a format.
public struct ImageLibrary: Hashable, Sendable {
    public var name: String
    /// nil when it is part of the program, or missing.
    public var version: String?
    /// The package to install, without which images of the format cannot be read; nil when all is there.
    public var missingPackage: String?

    public init(_ name: String, version: String? = nil, missingPackage: String? = nil) {
        self.name = name
        self.version = version
        self.missingPackage = missingPackage
    }
}

/// An image format for layers.
///
/// To add a format, write a type that conforms in a folder of its own, and add a line to `ImageDecoders`.
public protocol ImageDecoder: Sendable {
    /// The name in messages, such as `PNG`.
    var name: String { get }
    /// What its files are called; nil for images that are only made here.
    var fileType: FileType? { get }
    /// What reads the format.
    var library: ImageLibrary { get }
    /// Whether a file with these first bytes has this format.
    func recognizes(_ file: [UInt8]) -> Bool
    /// Reads only the header, and allocates no memory for pixels.
    ///
    /// - Throws: `badInput` at `place` if the header violates the format.
    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader
    /// What a file says of its colours; nothing where it cannot be read.
    func colors(of file: [UInt8]) -> FileColors
    /// Passes chunks of `ImageSlice.rowsPerChunk` rows to `onChunk` in order. An error may follow after chunks were
    /// passed, even after the last one. The image is valid only if the function returns.
    ///
    /// - Parameters:
    ///   - file: all of its bytes.
    ///   - use: what the pixels are for.
    ///   - convertsProfiles: whether an embedded colour profile counts; else it is ignored.
    ///   - place: names the image in errors.
    ///   - limits: beyond them the image is refused.
    ///   - onChunk: gets the rows.
    /// - Throws: `badInput` at `place` for damage; `overLimit`, before memory is allocated; errors of `onChunk`.
    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo
}

extension ImageDecoder {
    package func colors(of file: [UInt8]) -> FileColors { FileColors() }
}
