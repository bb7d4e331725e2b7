import InkBroker
package import InkCodecs
package import InkEngine
import InkPlanning

extension PlannedPicture {
    /// The options of this picture of a project, with a margin on paper as canvas pixels.
    ///
    /// - Throws: as `Project.viewport`; `badInput` where such a margin leaves no room.
    package func options(
        _ arguments: ExportArguments, of project: Project, place: Place
    ) throws(EngineError) -> PictureOptions {
        var options = options(arguments)
        guard let margin = arguments.outputMargin, case .fit = options.view else { return options }
        let box = project.visibleBounds.map { CanvasSize(width: $0.maxX - $0.minX, height: $0.maxY - $0.minY) }
        guard let box else {
            throw .badInput(place, reason: "nothing is visible, so there is nothing that a picture could show")
        }
        guard let grown = size.canvasMargin(of: margin, around: box) else {
            throw .badInput(
                place,
                reason:
                    "a margin of \(Shown.plain(margin.rounded())) pixels on each side leaves no room in a picture of "
                    + "\(size.name); choose a larger --size or a smaller --margin")
        }
        options.view = .fit(margin: grown)
        return options
    }
}

extension ExportSize {
    /// The canvas pixels that are so many output pixels on each side of what is shown; nil if that leaves no room.
    func canvasMargin(of pixels: Double, around box: CanvasSize) -> Double? {
        func inside(_ edge: Double, _ length: Double) -> Double? {
            edge > 2 * pixels ? pixels * length / (edge - 2 * pixels) : nil
        }
        switch self {
        case .factor(let factor, _): return pixels / factor
        case .resolution(let dots, _): return pixels * 72 / dots
        case .longestEdge(let edge, _): return inside(Double(edge), max(box.width, box.height))
        case .fit(let size):
            // The picture touches one pair of edges: the one that asks for the smaller scale.
            guard let first = inside(Double(size.width), box.width),
                let second = inside(Double(size.height), box.height)
            else { return nil }
            return max(first, second)
        }
    }
}
