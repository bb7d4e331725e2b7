import InkCodecs
import InkEngine

/// An artboard: a group that has a background and hides what of its elements lies beyond its edges.
struct PSDArtboard {
    /// Canvas pixels.
    let rect: Rect
    /// The colour of the artboard; nil: transparent.
    let background: RGBA8?

    /// The names of the block, as versions of Photoshop have it.
    static let keys = ["artb", "artd", "abdd"]

    /// - Throws: `badInput` for a block that is damaged or has no rectangle.
    init(_ block: ByteReader) throws(EngineError) {
        var reader = block
        let values = try PSDDescriptor(versioned: &reader)
        guard let edges = values.object("artboardRect"), let left = edges.number("Left"),
            let top = edges.number("Top "), let right = edges.number("Rght"), let bottom = edges.number("Btom"),
            [left, top, right, bottom].allSatisfy({ abs($0) <= Self.coordinateMax })
        else { throw reader.fault("an artboard has no edges") }
        rect = Rect(minX: left, minY: top, maxX: max(left, right), maxY: max(top, bottom))
        switch values.number("artboardBackgroundType") {
        case 2: background = .black
        case 3: background = nil
        case 4: background = values.object("Clr ")?.color ?? .white
        default: background = .white
        }
    }

    private static let coordinateMax = 1e6
}
