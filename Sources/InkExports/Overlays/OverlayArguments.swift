package import InkDocuments

/// The overlays that a command line asks for.
package struct OverlayArguments: Hashable, Sendable {
    /// A file that describes overlays.
    package var file: String?
    /// Its name in errors and warnings; nil: its path.
    package var shownFile: String?
    /// A text, or the path of a picture; drawn above those of the file.
    package var watermark: String?
    /// The watermark's place; the properties below belong to the watermark too.
    package var horizontal: OverlayLayout.Horizontal?
    package var vertical: OverlayLayout.Vertical?
    package var size: OverlayLength?
    package var opacity: Double?
    package var margin: OverlayLength?
    /// By which lengths on paper in the file are pixels.
    package var dotsPerInch = 72.0
    /// Font files: the first is that of texts that name none, the others are asked for what it lacks.
    package var fonts: [String] = []

    package init() {}

    package var isEmpty: Bool { file == nil && watermark == nil }
}

/// A length as a person writes it.
package enum OverlayLength: Hashable, Sendable {
    case pixels(Double)
    /// 0...1, of the picture.
    case share(Double)
}
