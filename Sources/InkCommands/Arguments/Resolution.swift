import InkExports

/// The resolution by which lengths on paper are pixels, dots per inch.
struct Resolution: Hashable, Sendable {
    /// That of `--dpi`; that of prints where only a size is a length on paper; else a pixel is a point, as in PDF files.
    var ofLengths: Double
    /// That which is written into files; nil: none.
    var ofFiles: Double?

    private static let print = 300.0
    private static let points = 72.0
    /// The resolution of plots, whose files are in millimetres.
    private static let plot = 96.0

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        func isPhysical(_ text: String) -> Bool {
            WrittenLength(text)?.isPhysical ?? WrittenLength.pair(text).map {
                $0.width.isPhysical || $0.height.isPhysical
            }
                ?? false
        }
        if let text = parsed.value("dpi") {
            ofLengths = try TextValue.number(text, option: "--dpi", in: 1...100_000)
            ofFiles = ofLengths
        } else if parsed.isGiven("plot") {
            ofLengths = Self.plot
        } else if parsed.list("size").contains(where: isPhysical) {
            ofLengths = Self.print
            ofFiles = Self.print
        } else {
            ofLengths = Self.points
        }
    }

    /// A canvas has so many pixels in an inch where it is about paper, as those of SVG have.
    static let canvas = 96.0
}
