import InkBroker
import InkEngine

/// What the options of an export say of a picture, apart from its size and layers.
struct PictureLook: Hashable, Sendable {
    /// nil: the project's.
    var background: RGBA8?
    var includesBaseImage = true
    var fillsSuggested = false
    var colorMode = ColorMode.automatic
    /// nil: none is written.
    var dotsPerInch: Double?
    var effort = EncodingEffort.balanced
    /// nil: chosen by the splitter.
    var tile: PixelSize?
    var hasMetadata = true

    /// The options that the bytes of a picture depend on, one spelling for one meaning. The tiling is left out: tiles
    /// do not show.
    func canonicalText(drawnLayers: [Int]?) -> String {
        [
            "background=\(background.map(\.description) ?? "project")",
            "base=\(includesBaseImage)",
            "fill=\(fillsSuggested ? "suggested" : "none")",
            "color=\(colorMode.rawValue)",
            "dpi=\(dotsPerInch.map { String($0) } ?? "none")",
            "effort=\(effort.name)",
            "metadata=\(hasMetadata)",
            "layers=\(drawnLayers.map { $0.map(String.init).joined(separator: ",") } ?? "visible")",
        ].joined(separator: ";")
    }
}
