import CKernels

/// Shapes that are filled with a pattern that lies still on the canvas.
extension CanvasPatternPainter {
    /// Some rows of a shape: its pixels that are covered in part, in the order of rows and columns.
    private struct PartialPixels: ShapeRasterizer.Receiver {
        let painter: CanvasPatternPainter
        let needsTrapezoids: Bool
        var pixels: [(row: Int, column: Int, edges: Range<Int>)] = []
        /// The sides of trapezoids, x and y of their ends, in output pixels.
        let edges = Growing<Double>()

        mutating func partial(column: Int, row: Int, trapezoids: Growing<Double>) {
            let first = edges.count
            for index in 0..<trapezoids.count {
                edges.append(trapezoids.values[index] + Double(index % 2 == 0 ? column : row))
            }
            pixels.append((row, column, first..<edges.count))
        }

        func finish(row: Int, columns: Range<Int>) {
            painter.markGroups(of: PixelRect(x: columns.lowerBound, y: row, width: columns.count, height: 1))
        }
    }

    /// Rows that are drawn together, which limits the memory for pixels that are covered in part.
    private static let stripHeight = 64

    /// Multiplies `plane` by the transmittance of what lies both in a shape and in a pattern.
    ///
    /// - Parameters:
    ///   - pattern: not an even one.
    ///   - rect: the part of the cell that the shape may meet.
    func paint(
        _ shape: PreparedShape, by rasterizer: ShapeRasterizer, _ pattern: CanvasPattern, scale: OutputScale,
        rect: PixelRect, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        for y in stride(from: rect.y, to: rect.y + rect.height, by: Self.stripHeight) where !isCancelled() {
            let strip = PixelRect(
                x: rect.x, y: y, width: rect.width, height: min(Self.stripHeight, rect.y + rect.height - y))
            clearGroups()
            var known = PartialPixels(painter: self, needsTrapezoids: pattern.isMixed)
            rasterizer.cover(shape, scale: scale, rect: strip, in: covered, &known, isCancelled: isCancelled)
            setBands()
            if case .parts = pattern.way {
                multiply(strip, byPartsOf: pattern, scale: scale, isCancelled: isCancelled)
            } else {
                addPattern(pattern)
                mix(pattern, known)
            }
            multiply(plane, alpha: shape.alpha)
        }
    }

    /// Multiplies the shape's coverage by that of the pattern. Where both cover a pixel in part, the trapezoids of the shape
    /// are intersected with the pattern.
    private func mix(_ pattern: CanvasPattern, _ known: PartialPixels) {
        var next = 0
        var scratch: [Double] = []
        mix(pattern) { count in
            for index in 0..<count where next < known.pixels.count {
                var pixel = mixed[index]
                let (row, column) = (accumulator.cell.y + Int(pixel.row), accumulator.cell.x + Int(pixel.column))
                while next < known.pixels.count, (known.pixels[next].row, known.pixels[next].column) < (row, column) {
                    next += 1
                }
                guard next < known.pixels.count else { break }
                let found = known.pixels[next]
                // A pixel with too many trapezoids has none; the product is good enough there.
                guard (found.row, found.column) == (row, column), !found.edges.isEmpty else { continue }
                let edgeCount = found.edges.count / 4
                let room = Int(INK_MIXED_SCRATCH) * edgeCount
                if scratch.count < room { scratch = [Double](repeating: 0, count: room) }
                pattern.withKernelMotif { motif in
                    kernels.pointee.mixed_areas(
                        covered.kernelPlane, motif, known.edges.values + found.edges.lowerBound, edgeCount, &pixel, 1,
                        &scratch)
                }
            }
        }
    }

    /// Multiplies the shape's coverage by that of a pattern so large that few pixels meet the borders of both.
    private func multiply(
        _ strip: PixelRect, byPartsOf pattern: CanvasPattern, scale: OutputScale, isCancelled: @escaping () -> Bool
    ) {
        for rect in tiles(of: strip) where !isCancelled() {
            unions.cover(rect, pattern.parts(near: rect), scale: scale, isCancelled: isCancelled) { rows, _ in
                for row in 0..<rect.height {
                    let (pattern, shape) = (rows.row(rect, row), covered.row(rect, row))
                    for column in 0..<rect.width { shape[column] *= pattern[column] }
                }
            }
        }
    }
}
