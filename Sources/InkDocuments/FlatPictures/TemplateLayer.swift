import InkCodecs
package import InkEngine
import InkSystem
import Synchronization

/// A layer of a template that is being made.
package struct TemplateLayer: Sendable {
    package var name: String
    /// A gray PNG in the size of the canvas; empty where the outline stands for it.
    package var mask: [UInt8]
    /// The border of what the layer shows, in pixels of the canvas, filled by the even-odd rule; nil: the mask says it.
    package var outline: ShapePath?
    package var pattern: SuggestedPattern
    package var opacity = 1.0
    package var blendMode = BlendMode.normal
    package var isVisible = true

    package init(name: String, mask: [UInt8], pattern: SuggestedPattern) {
        self.name = name
        self.mask = mask
        self.pattern = pattern
    }
}

extension FlatRegions {
    /// The regions as layers, the largest at the bottom.
    ///
    /// - Parameters:
    ///   - picture: whose regions these are.
    ///   - hasOutlines: whether outlines say what the layers show; else masks do.
    ///   - place: of the picture, for errors.
    ///   - limits: of paths and their segments.
    /// - Throws: `internalError` if the compressor fails; `overLimit` for borders that are too long for a project.
    package func layers(
        of picture: FlatPicture, hasOutlines: Bool, place: Place, limits: Limits
    ) throws(EngineError) -> [TemplateLayer] {
        let map = RegionMap(self)
        let names = RegionNames.names(of: self)
        let areas = regions.map { PatternSuggestion.Area(color: $0.color.opaque, isThin: $0.isThin) }
        let patterns = PatternSuggestion.patterns(for: areas, neighbours: map.neighbours)
        let masks = Mutex<[Int: (png: [UInt8], outline: ShapePath?)]>([:])
        let boxes = map.boxes
        let colors = (picture: picture, regions: regions.map(\.color))
        let areMade = ParallelWork.perform(regions.count) { number in
            if hasOutlines {
                let outline = RegionOutline(of: number, in: map, colors: colors, box: boxes[number]).path()
                masks.withLock { $0[number] = ([], outline) }
                return true
            }
            // The compressor fails for lack of memory only; that is thrown below, once for all threads.
            guard let png = try? WholePNG.encode(samples: mask(of: number), size: size) else { return false }
            masks.withLock { $0[number] = (png, nil) }
            return true
        }
        let made = masks.withLock { $0 }
        guard areMade, made.count == regions.count else { throw .internalError("the masks could not be compressed") }
        let counts = made.values.map { $0.outline?.segmentCount ?? 0 }
        let (all, longest) = (counts.reduce(0, +), counts.max() ?? 0)
        guard longest <= limits.pathSegments, all <= limits.segments else {
            throw .overLimit(
                place, what: "the borders of the regions (--masks bitmap makes do without)",
                found: "\(all) curves and lines, \(longest) of one region",
                limit: "\(limits.segments), \(limits.pathSegments) of one region")
        }
        return regions.indices.map { number in
            var layer = TemplateLayer(name: names[number], mask: made[number]?.png ?? [], pattern: patterns[number])
            layer.outline = made[number]?.outline
            return layer
        }
    }
}
