public import InkEngine

/// The picture formats that can be written.
public enum PictureCodecs {
    /// The first is the default.
    public static let all: [any PictureCodec] = [
        PNGCodec(), JPEGCodec(), WebPCodec(), HEIFCodec(isAVIF: true), JXLCodec(), HEIFCodec(isAVIF: false),
        TIFFCodec(), PDFCodec(), PSDCodec.psd, PSDCodec.psb, ORACodec(), SVGCodec(),
        ZoomCodec.szi, ZoomCodec.dzi, ZoomCodec.iiif,
    ]

    /// Other forms of these formats, which have options of their own, and parts of their files.
    static let forms: [any PictureCodec] = [plot, vectorPDF, PSDCodec.planes]
    public static let plot: any PictureCodec = PlotCodec()
    public static let vectorPDF: any PictureCodec = VectorPDFCodec()

    /// Finds a format by its number; nil for an unknown one, which only another version may send.
    public static func codec(of format: PictureFormat) -> (any PictureCodec)? {
        all.first { $0.format == format } ?? forms.first { $0.format == format }
    }

    /// For numbers that may come from another version.
    ///
    /// - Throws: `EngineError.internalError` for an unknown one.
    public static func codec(_ format: PictureFormat) throws(EngineError) -> any PictureCodec {
        guard let codec = codec(of: format) else {
            throw .internalError("picture format \(format.rawValue) is not known to this version")
        }
        return codec
    }

    /// Finds a format by name, as in options, or by file extension.
    public static func codec(named name: String) -> (any PictureCodec)? {
        let name = name.lowercased()
        return all.first { $0.name == name || $0.endings.contains(name) }
    }

    /// Finds a format by the extension of a file name.
    public static func codec(ofFile path: String) -> (any PictureCodec)? {
        let path = path.lowercased()
        return all.first { $0.endings.contains { path.hasSuffix(".\($0)") } }
    }

    /// Makes the assembler for a picture's file.
    ///
    /// - Throws: `internalError` for an unknown format, and what its codec throws for a picture that it cannot hold.
    public static func assembler(for head: PictureHead) throws(EngineError) -> any PictureAssembler {
        try codec(head.encoding.format).makeAssembler(head)
    }
}
