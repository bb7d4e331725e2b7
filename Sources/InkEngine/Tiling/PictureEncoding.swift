/// A picture file format, identified by a number on the wire and in stored jobs. Numbers are never reused.
public struct PictureFormat: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Where nothing else is said.
    public static let png = PictureFormat(rawValue: 0)
}

/// The user's choices for encoding a picture's file. Each format uses the fields that apply to it
/// (`PictureCodec.settings`).
public struct PictureEncoding: Hashable, Sendable {
    public var format: PictureFormat
    public var effort: EncodingEffort
    /// 1 to 100; nil: the format's default.
    public var quality: Int?
    /// How colours are subsampled; nil: determined by the quality.
    public var chroma: ChromaSampling?
    /// Whether a coarse picture comes first in the file, and details follow.
    public var isProgressive = false
    /// Whether the file shows exactly the picture, in a format that need not.
    public var isLossless = false
    /// How strips are packed; nil: the format's default.
    public var compression: StripCompression?
    /// How far the picture reaches beyond each edge of the finished page, in thousandths of a point; nil: not at all.
    public var bleed: Int?
    /// Edge of the tiles of a picture for zooming, one of `tileSizes`; nil: 256.
    public var tileSize: Int?

    /// Pixels that a tile of a picture for zooming has in common with each of its neighbours, one of `tileOverlaps`.
    public var tileOverlap = 0

    /// The most bytes of the file, whose quality is then the best with which it is not larger, up to `quality`; nil: any
    /// number.
    public var bytesMax: Int?

    /// What plots draw, and with how many pens.
    public var plot = PlotSettings()

    /// Ten times as far as any printer asks for.
    public static let bleeds = 1...500_000

    /// The possible qualities of lossy formats.
    public static let qualities = 1...100

    /// What a file may be limited to, in bytes.
    public static let bounds = 1...(1 << 50)

    /// This encoding with a quality, whatever the bytes.
    public func with(quality: Int) -> PictureEncoding {
        var encoding = self
        (encoding.quality, encoding.bytesMax) = (quality, nil)
        return encoding
    }

    /// Everything that affects the file, with one spelling per meaning.
    package var canonicalParts: [String] {
        var parts = ["effort=\(effort.name)"]
        if format != .png { parts.append("format=\(format.rawValue)") }
        if let quality { parts.append("quality=\(quality)") }
        if let chroma { parts.append("chroma=\(chroma.name)") }
        if isProgressive { parts.append("progressive") }
        if isLossless { parts.append("lossless") }
        if let compression { parts.append("compression=\(compression.name)") }
        if let bleed { parts.append("bleed=\(bleed)") }
        if let tileSize { parts.append("tile=\(tileSize)") }
        if let bytesMax { parts.append("max-bytes=\(bytesMax)") }
        if tileOverlap > 0 { parts.append("overlap=\(tileOverlap)") }
        if plot.keepsHidden { parts.append("plot-hidden=keep") }
        if let pens = plot.pens { parts.append("pens=\(pens)") }
        if let hatch = plot.hatch { parts.append("plot-fill=hatch:\(hatch.spacing),\(hatch.angle)") }
        return parts
    }

    public init(
        format: PictureFormat = .png, effort: EncodingEffort = .balanced, quality: Int? = nil,
        chroma: ChromaSampling? = nil, compression: StripCompression? = nil, bleed: Int? = nil
    ) {
        self.format = format
        self.effort = effort
        self.quality = quality
        self.chroma = chroma
        self.compression = compression
        self.bleed = bleed
    }
}

/// The user's choices for plots.
public struct PlotSettings: Hashable, Sendable {
    /// Parallel lines inside of areas.
    public struct Hatch: Hashable, Sendable {
        /// From line to line, in thousandths of a millimetre, one of `spacings`.
        public var spacing: Int
        /// Whole degrees clockwise from the right, one of `angles`.
        public var angle: Int

        public init(spacing: Int = 1000, angle: Int = 45) {
            self.spacing = spacing
            self.angle = angle
        }
    }

    /// Whether lines are drawn where something opaque lies above them.
    public var keepsHidden = false
    /// The most pens, one of `penCounts`; nil: one for each colour.
    public var pens: Int?
    /// What areas are filled with; nil: nothing.
    public var hatch: Hatch?

    public static let penCounts = 1...1000
    public static let spacings = 50...1_000_000
    public static let angles = 0...359

    public init() {}
}

/// The trade-off between compression time and file size.
public enum EncodingEffort: UInt8, Hashable, Sendable, CaseIterable {
    case fast = 0
    case balanced = 1
    case small = 2

    public var name: String {
        switch self {
        case .fast: "fast"
        case .balanced: "balanced"
        case .small: "small"
        }
    }
}

/// The number of chroma samples per luma sample.
public enum ChromaSampling: UInt8, Hashable, Sendable, CaseIterable {
    /// 4:4:4, one per luma sample.
    case full = 1
    /// 4:2:0, one per four luma samples.
    case quarter = 2

    public var name: String { self == .full ? "4:4:4" : "4:2:0" }
}

/// How the strips of a TIFF are packed, all without loss.
public enum StripCompression: UInt8, Hashable, Sendable, CaseIterable {
    case deflate = 1
    /// For old programs.
    case lzw = 2
    /// For programs with libtiff 4.0.10 or later.
    case zstd = 3
    case none = 4

    public var name: String {
        switch self {
        case .deflate: "deflate"
        case .lzw: "lzw"
        case .zstd: "zstd"
        case .none: "none"
        }
    }
}

/// How full-width rows are encoded to a piece of each file of a picture.
public struct PieceEncoding: Hashable, Sendable {
    public var picture: PictureEncoding
    /// The encodings of the picture's further files; the piece then has a part for each.
    public var others: [PictureEncoding]
    /// Whether these are the picture's last rows.
    public var isLast: Bool

    public var pictures: [PictureEncoding] { [picture] + others }

    public init(
        _ picture: PictureEncoding = PictureEncoding(), others: [PictureEncoding] = [], isLast: Bool
    ) {
        self.picture = picture
        self.others = others
        self.isLast = isLast
    }
}
