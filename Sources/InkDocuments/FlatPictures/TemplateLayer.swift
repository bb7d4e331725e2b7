import InkCodecs
package import InkEngine
import InkSystem
import Synchronization

/// A layer of a template that is being made.
package struct TemplateLayer: Sendable {
    package var name: String
    /// A gray PNG in the size of the canvas.
    package var mask: [UInt8]
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
    /// - Throws: `internalError` if the compressor fails.
    package func layers() throws(EngineError) -> [TemplateLayer] {
        let names = RegionNames.names(of: self)
        let areas = regions.map { PatternSuggestion.Area(color: $0.color.opaque, isThin: $0.isThin) }
        let patterns = PatternSuggestion.patterns(for: areas, neighbours: RegionMap(self).neighbours)
        let masks = Mutex<[Int: [UInt8]]>([:])
        let areMade = ParallelWork.perform(regions.count) { number in
            // The compressor fails for lack of memory only; that is thrown below, once for all threads.
            guard let png = try? WholePNG.encode(samples: mask(of: number), size: size) else { return false }
            masks.withLock { $0[number] = png }
            return true
        }
        let made = masks.withLock { $0 }
        guard areMade, made.count == regions.count else { throw .internalError("the masks could not be compressed") }
        return regions.indices.map { number in
            TemplateLayer(name: names[number], mask: made[number] ?? [], pattern: patterns[number])
        }
    }
}
