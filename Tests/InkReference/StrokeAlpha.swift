package import InkEngine

extension ReferenceRenderer {
    /// What a stroke leaves at each pixel; row-major, one number a pixel.
    ///
    /// - Parameter origin: where the canvas's origin lies, for patterns that stay with the canvas.
    package static func strokeAlpha(
        _ stroke: Stroke, output: PixelSize, scanner: CoverageScanner, origin: Point = Point(x: 0, y: 0)
    ) -> [Double] {
        let path = smoothedPath(stroke)
        guard !path.isEmpty else { return [Double](repeating: 0, count: output.area) }
        let brush = stroke.brush
        // "distances within 1e-6 of an output pixel"
        let tolerance = 1e-6 / (scanner.scaleX * scanner.scaleY).squareRoot()
        switch brush.type {
        case .contourLines:
            return scanner.integral(of: ContourField(stroke, path: path, tolerance: tolerance))
        case .solid:
            return uncovered([solidShape(of: path, brush: brush)], stroke, path, tolerance, scanner)
        case .parallelLines, .crossHatch, .dots, .waves:
            guard brush.isCanvasPattern else { return stamped(stroke, path, scanner) }
            // Spec 8.1: "The footprint is the solid shape of section 4 with r = 0.5 * `size` * scale * (...)"; "The stroke
            // is one shape, the part of the pattern inside the footprint, its alpha as in section 4."
            var pen = brush
            pen.lineWidth = pen.size
            let footprint = solidShape(of: path, brush: pen)
            let pattern = scanner.pattern(brush, origin: origin, bounds: scanner.placed(footprint).bounds) {
                footprint.contains($0, margin: outlineMargin)
            }
            guard let pattern else { return [Double](repeating: 0, count: output.area) }
            let shapes = pattern.isCut ? [pattern.parts, footprint] : [pattern.parts]
            return uncovered(shapes, stroke, path, tolerance, scanner)
        }
    }

    /// Spec 3.6: "a stroke leaves at each pixel alpha A = 1 - product over its stamps of (1 - alpha_j * coverage_j), in
    /// one colour".
    private static func stamped(_ stroke: Stroke, _ path: [PathSample], _ scanner: CoverageScanner) -> [Double] {
        var transmitted = [Double](repeating: 1, count: scanner.output.area)
        for (shape, alpha) in stampShapes(of: stamps(of: stroke, path: path), brush: stroke.brush) {
            guard alpha > 0, let coverage = scanner.coverage(of: shape) else { continue }
            for y in coverage.rect.rows {
                for x in coverage.rect.columns {
                    transmitted[y * scanner.output.width + x] *= 1 - alpha * min(max(coverage[x, y], 0), 1)
                }
            }
        }
        return transmitted.map { 1 - $0 }
    }

    /// What is common to some shapes, with the alpha of the stroke there. Spec 4 and 10.3: "the alpha at a point is that of the
    /// nearest place of the smoothed polyline ..., and a pixel gets its integral over the pixel's part inside the shape (and
    /// the pattern)".
    private static func uncovered(
        _ shapes: [UnionOfParts], _ stroke: Stroke, _ path: [PathSample], _ tolerance: Double,
        _ scanner: CoverageScanner
    ) -> [Double] {
        let pressures = path.map(\.pressure)
        if stroke.brush.dynamics.pressureAffectsOpacity, pressures.contains(where: { $0 != pressures[0] }) {
            let places = NearestPlaces(path, tolerance: tolerance)
            return scanner.integral(of: UncoveredField(brush: stroke.brush, shapes: shapes, places: places))
        }
        let alpha = dynamicAlpha(stroke.brush, pressure: pressures[0])
        var result = [Double](repeating: 0, count: scanner.output.area)
        let coverage =
            shapes.count == 1 ? scanner.coverage(of: shapes[0]) : scanner.coverage(of: shapes.map(scanner.placed))
        guard let coverage else { return result }
        for y in coverage.rect.rows {
            for x in coverage.rect.columns {
                result[y * scanner.output.width + x] = alpha * min(max(coverage[x, y], 0), 1)
            }
        }
        return result
    }

    /// Every shape that a stroke draws, in order, with its alpha; canvas space. A stroke without points draws nothing. Of a
    /// `solid` stroke the alpha is that without pressure.
    ///
    /// Precondition: the stroke is not one of contour lines.
    package static func shapes(of stroke: Stroke) -> [(shape: UnionOfParts, alpha: Double)] {
        let path = smoothedPath(stroke)
        guard !path.isEmpty else { return [] }
        if stroke.brush.type == .solid {
            return [(solidShape(of: path, brush: stroke.brush), stroke.brush.opacity)]
        }
        return stampShapes(of: stamps(of: stroke, path: path), brush: stroke.brush)
    }

    /// Spec 3.2: "d = spacing * scale"; 10.5: "stamps lie stampSpacing * scale apart".
    static func stamps(of stroke: Stroke, path: [PathSample]) -> [Stamp] {
        let brush = stroke.brush
        return InkReference.stamps(
            along: path, every: (brush.stampSpacing ?? brush.spacing) * brush.scale,
            isClosed: stroke.isClosed && path.count > 1)
    }
}

/// The alpha along a stroke, in what is common to some shapes. Canvas space.
private struct UncoveredField: AlphaField {
    var brush: Brush
    var shapes: [UnionOfParts]
    var places: NearestPlaces

    func narrowed(to center: Point, _ radius: Double) -> UncoveredField {
        var field = self
        field.places = places.narrowed(to: center, radius)
        field.shapes = shapes.compactMap { shape in
            let depths = shape.parts.map { $0.depth(center) }
            // What holds all of the disc cuts nothing away.
            if depths.contains(where: { $0 > radius }) { return nil }
            return UnionOfParts(parts: zip(shape.parts, depths).filter { $0.1 >= -radius }.map(\.0))
        }
        return field
    }

    func value(_ q: Point) -> Double {
        guard shapes.allSatisfy({ $0.contains(q) }) else { return 0 }
        return dynamicAlpha(brush, pressure: places.pressure(places.places(q)[0]))
    }

    func constant(_ center: Point, _ radius: Double) -> Double? {
        if shapes.contains(where: \.parts.isEmpty) { return 0 }
        guard shapes.isEmpty else { return nil }
        let pressures = places.pressures(center, radius)
        let alphas = [pressures.lowerBound, pressures.upperBound].map { dynamicAlpha(brush, pressure: $0) }
        return abs(alphas[0] - alphas[1]) <= 1.0 / 2048 ? (alphas[0] + alphas[1]) / 2 : nil
    }
}
