import CKernels

/// Draws strokes of contour lines: quads along seven lines between neighbouring stations, which are stamps' places. A stroke is
/// one shape, whose alpha is the sum of the quads' alphas times their areas, at most the largest alpha at the pixel.
final class ContourPainter: MarkPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    /// Both 0 everywhere between strokes.
    private let sums: KernelPlane<Float>
    private let largest: KernelPlane<Float>
    private let drawn: DrawnBlocks
    /// Neighbours whose quads are not yet added.
    private var stations: [ink_station] = []

    /// Pairs of stations whose areas are added up as whole numbers, which hold them even where all of their seven quads lie on
    /// one pixel.
    private static let pairsAtOnce = 4096
    private static let stationsMax = 64

    init(_ tools: PainterTools) {
        kernels = tools.kernels
        accumulator = tools.accumulator
        sums = tools.covered
        largest = KernelPlane(maxWidth: tools.maxWidth, maxHeight: tools.maxHeight, value: 0)
        drawn = DrawnBlocks(maxWidth: tools.maxWidth, maxHeight: tools.maxHeight)
    }

    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        guard case .contour(let placed) = stroke.marks else { return }
        let brush = stroke.brush
        largest.move(to: accumulator.cell)
        drawn.move(to: accumulator.cell)
        let near = NearCell(accumulator.cell, scale: scale, reach: ContourMark.reach(of: brush))
        var lines = ink_contour(spacing: brush.spacing, width: brush.lineWidth, scale_x: scale.x, scale_y: scale.y)
        let weighted = ink_sums(
            sums: sums.values, largest: largest.values, stride: sums.stride, drawn: drawn.bits)
        var part = 0, last = -1
        var alpha: Float = 0
        var top = Double.infinity, bottom = -Double.infinity
        // From the middle line to the outer border of the outermost one.
        let side = 3 * brush.spacing + brush.lineWidth / 2
        func rows() -> Range<Int> { scale.pixels(of: Rect(minX: 0, minY: top, maxX: 0, maxY: bottom)).rows }
        func extendRows(to station: Stamp) {
            let reach = side * station.size * abs(station.across.y)
            // It may be infinity, and that times nothing.
            top = min(top, reach.isFinite ? station.center.y - reach : -.infinity)
            bottom = max(bottom, reach.isFinite ? station.center.y + reach : .infinity)
        }
        func addLines() {
            kernels.pointee.add_contour(accumulator.kernelDeltas, &lines, stations, stations.count)
            stations.removeAll(keepingCapacity: true)
        }
        func addPart() {
            addLines()
            accumulator.addPolygons(to: weighted, rows: rows(), alpha: alpha)
            (top, bottom) = (.infinity, -.infinity)
        }
        var visible = placed.visible(near, isCancelled: isCancelled)
        while let (index, stamp, next) = visible.nextPair() {
            // What is rounded together must not depend on the cell.
            let partOfPair = placed.haveOneAlpha ? index / ContourPainter.pairsAtOnce : index
            if last >= 0, partOfPair != part {
                addPart()
            } else if !stations.isEmpty, index != last + 1 || stations.count == ContourPainter.stationsMax {
                addLines()
            }
            if stations.isEmpty { stations.append(ink_station(stamp)) }
            stations.append(ink_station(next))
            part = partOfPair
            last = index
            alpha = (stamp.alpha + next.alpha) / 2
            extendRows(to: stamp)
            extendRows(to: next)
        }
        guard last >= 0 else { return }
        if placed.haveOneAlpha, placed.count <= ContourPainter.pairsAtOnce {
            addLines()
            accumulator.multiplyPolygons(plane, rows: rows(), alpha: alpha)
            return
        }
        addPart()
        drawn.drain { box in
            plane.markDrawn(box)
            withUnsafePointer(to: box) { kernels.pointee.multiply_sums(plane.kernelPlane, weighted, $0) }
        }
    }
}

extension ink_station {
    fileprivate init(_ stamp: Stamp) {
        let across = stamp.across
        self.init(x: stamp.center.x, y: stamp.center.y, across_x: across.x, across_y: across.y, size: stamp.size)
    }
}
