public import InkEngine

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
    /// The colour below all layers; nil: the project's.
    public var background: RGBA8?
    public var includesBaseImage: Bool
    /// Numbers of elements of the layer tree (see `[Layer].flattened`), drawn in drawing order whether visible or not,
    /// with all that is visible in them; nil draws all that is visible.
    public var layers: [Int]?
    /// The part of the drawing to show; nil: the canvas, or everything visible on an infinite one.
    public var view: ViewChoice?
    /// Where the drawing lies in a picture of another shape; nil: it fills the picture.
    public var fit: PictureFit?
    /// Whether layers without strokes and content are filled with their suggested pattern.
    public var fillsSuggested: Bool
    public var colorMode: ColorMode
    public var encoding: PictureEncoding
    /// Tiles of this size, clipped to the picture; nil: bands chosen by their cost.
    public var tile: PixelSize?
    /// The resolution to write; nil: none.
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

    /// The possible resolutions.
    public static let dotsPerInchRange = PictureDensity.range

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
        if let fit { parts.append("fit=\(fit.alignment.name) \(fit.margin)\(fit.repeatsPixels ? " pixels" : "")") }
        parts += encoding.canonicalParts
        return parts.joined(separator: ";")
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
