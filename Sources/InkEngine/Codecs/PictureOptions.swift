/// A further file of a picture.
public struct PictureFileOptions: Hashable, Sendable {
    public var encoding: PictureEncoding
    /// As `PictureOptions.digest`.
    public var digest: [UInt8]?

    public init(encoding: PictureEncoding, digest: [UInt8]? = nil) {
        self.encoding = encoding
        self.digest = digest
    }
}

/// The content and form of an exported picture, apart from its size. The same options are used on the command line, on
/// the wire, in stored jobs and by the broker.
public struct PictureOptions: Hashable, Sendable {
    /// nil: the project's.
    public var background: RGBA8?
    public var includesBaseImage: Bool
    /// Numbers of elements of the layer tree (see `[Layer].flattened`), drawn in drawing order whether visible or not,
    /// with all that is visible in them; nil draws all that is visible.
    public var layers: [Int]?
    /// nil: the canvas, or everything visible on an infinite one.
    public var view: ViewChoice?
    /// Whether layers without strokes and content are filled with their suggested pattern.
    public var fillsSuggested: Bool
    public var colorMode: ColorMode
    public var encoding: PictureEncoding
    /// Tiles of this size, clipped to the picture; nil: bands chosen by their cost.
    public var tile: PixelSize?
    /// nil: not written.
    public var dotsPerInch: Double?
    /// Whether anything of what the project or the photo says about itself is written into the picture.
    public var hasMetadata: Bool
    /// What of it, where it is written.
    public var keeps = MetadataKinds.all
    /// Digest of the picture's inputs, 32 bytes, written into it for `skip-unchanged`; nil: not written.
    public var digest: [UInt8]?
    /// Files of the same picture beside the one that `encoding` and `digest` are about; at most
    /// `PictureSet.countMax - 1`.
    public var otherFiles: [PictureFileOptions] = []

    public static let dotsPerInchRange = 1.0...100_000.0

    public init(
        background: RGBA8? = nil, includesBaseImage: Bool = true, layers: [Int]? = nil, view: ViewChoice? = nil,
        fillsSuggested: Bool = false,
        colorMode: ColorMode = .automatic, encoding: PictureEncoding = PictureEncoding(), tile: PixelSize? = nil,
        dotsPerInch: Double? = nil, hasMetadata: Bool = true, digest: [UInt8]? = nil
    ) {
        self.background = background
        self.includesBaseImage = includesBaseImage
        self.layers = layers
        self.view = view
        self.fillsSuggested = fillsSuggested
        self.colorMode = colorMode
        self.encoding = encoding
        self.tile = tile
        self.dotsPerInch = dotsPerInch
        self.hasMetadata = hasMetadata
        self.digest = digest
    }

    /// Checks that the formats of all files can represent a picture of a size.
    ///
    /// - Throws: `EngineError.overLimit` or `badInput` at `place`, `internalError` for a format that only another version
    ///   knows.
    public func checkFormats(_ size: PixelSize, place: Place) throws(EngineError) {
        for file in files {
            let codec = try PictureCodecs.codec(file.encoding.format)
            guard size.longestEdge <= codec.edgePixelsMax else {
                throw .overLimit(
                    place, what: "the longest edge that --size gives", found: "\(size.longestEdge) pixels",
                    limit:
                        "\(codec.edgePixelsMax) pixels in \(codec.name); choose a smaller --size, or another --format")
            }
            try codec.check(size, file.encoding, dotsPerInch: dotsPerInch, place: place)
        }
    }

    /// All files of the picture, at least one.
    public var files: [PictureFileOptions] {
        get { [PictureFileOptions(encoding: encoding, digest: digest)] + otherFiles }
        set {
            precondition(!newValue.isEmpty, "a picture has a file")
            (encoding, digest) = (newValue[0].encoding, newValue[0].digest)
            otherFiles = Array(newValue.dropFirst())
        }
    }

    /// Everything that determines the bytes of the first file, with one spelling per meaning. The tiling is omitted,
    /// because it does not affect the pixels.
    public var canonicalText: String {
        var parts = [
            "background=\(background.map(\.description) ?? "project")",
            "base=\(includesBaseImage)",
            "fill=\(fillsSuggested ? "suggested" : "none")",
            "color=\(colorMode.name)",
            "dpi=\(dotsPerInch.map { String($0) } ?? "none")",
            "metadata=\(hasMetadata)\(keeps == .all ? "" : keeps.names.joined(separator: "+"))",
            "layers=\(layers.map { $0.map(String.init).joined(separator: ",") } ?? "visible")",
        ]
        if let view { parts.append("view=\(view.canonicalText)") }
        parts += encoding.canonicalParts
        return parts.joined(separator: ";")
    }

    /// - Throws: `EngineError.badInput` at `place` for invalid options.
    public func check(place: Place) throws(EngineError) {
        func fault(_ reason: String) -> EngineError { .badInput(place, reason: reason) }
        if let dotsPerInch, !PictureOptions.dotsPerInchRange.contains(dotsPerInch) {
            throw fault("\(dotsPerInch) dpi, 1 to 100000 are possible")
        }
        guard files.count <= PictureSet.countMax else {
            throw fault("\(files.count) files of one picture, at most \(PictureSet.countMax) are possible")
        }
        for file in files { try check(file.encoding, fault) }
    }

    private func check(
        _ encoding: PictureEncoding, _ fault: (String) -> EngineError
    ) throws(EngineError) {
        let codec: any PictureCodec
        do { codec = try PictureCodecs.codec(encoding.format) } catch { throw fault(error.description) }
        if codec.isLayered { throw fault("\(codec.name) is made by ink export, not by a broker") }
        if let quality = encoding.quality {
            guard PictureEncoding.qualities.contains(quality) else {
                throw fault("quality \(quality), 1 to 100 are possible")
            }
            guard codec.settings.contains(.quality) else { throw fault("\(codec.name) has no quality") }
        }
        if encoding.isProgressive, !codec.settings.contains(.progressive) {
            throw fault("\(codec.name) is never progressive")
        }
        if encoding.isLossless, !codec.settings.contains(.lossless) {
            throw fault("\(codec.name) has no choice of losses")
        }
        if encoding.chroma != nil, !codec.settings.contains(.chroma) {
            throw fault("\(codec.name) has no chroma sampling")
        }
        if encoding.compression != nil, !codec.settings.contains(.compression) {
            throw fault("\(codec.name) has no choice of compression")
        }
        if let bleed = encoding.bleed {
            guard PictureEncoding.bleeds.contains(bleed) else {
                throw fault("a bleed of \(bleed) thousandths of a point, 1 to 500000 are possible")
            }
            guard codec.settings.contains(.bleed) else { throw fault("\(codec.name) has no bleed") }
        }
        if let tile = encoding.tileSize {
            guard PictureEncoding.tileSizes.contains(tile) else {
                throw fault("tiles of \(tile) pixels, 128, 256 and 512 are possible")
            }
            guard codec.settings.contains(.tileSize) else { throw fault("\(codec.name) has no tiles") }
        }
        guard PictureEncoding.tileOverlaps.contains(encoding.tileOverlap) else {
            throw fault("an overlap of \(encoding.tileOverlap) pixels, 0 and 1 are possible")
        }
        if encoding.tileOverlap > 0, !codec.settings.contains(.tileOverlap) {
            throw fault("\(codec.name) has no tiles that overlap")
        }
        if colorMode == .rgba, !codec.hasAlpha, otherFiles.isEmpty { throw fault("\(codec.name) has no transparency") }
    }
}

/// The channels of the picture.
public enum ColorMode: UInt8, Hashable, Sendable, CaseIterable {
    /// `rgb` if the background is opaque or the format has no transparency, else `rgba`.
    case automatic = 0
    /// Opaque; a transparent background is composited onto white first.
    case rgb = 1
    case rgba = 2

    public var name: String {
        switch self {
        case .automatic: "automatic"
        case .rgb: "rgb"
        case .rgba: "rgba"
        }
    }
}
