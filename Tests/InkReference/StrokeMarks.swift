import Foundation
public import InkEngine

/// What a stroke draws, for programs that draw it by other means. Canvas space.
public struct StrokeMark: Hashable, Sendable {
    /// A piece of a mark; a mark is the union of its pieces.
    public enum Piece: Hashable, Sendable {
        /// A closed polygon; its inside is what it winds round at all.
        case polygon([Point])
        case disc(center: Point, radius: Double)
        /// A polyline with round caps and round joins.
        case line([Point], width: Double)
    }

    /// 0...1
    public var alpha: Double
    public var pieces: [Piece]
    /// What is drawn of the pieces: what lies in the union of these, everything if there are none.
    public var footprint: [Piece] = []

    /// The marks of a stroke in the order in which they are composited: one a stamp, one for a whole solid stroke. A pattern that
    /// lies still on the canvas is one mark with a footprint, or of whole dots. Where the pressure changes the alpha within a
    /// mark, it has the mean of its points, since other programs have nothing like it. Contour lines have no marks: they are no
    /// union of pieces.
    public static func marks(of stroke: Stroke) -> [StrokeMark] {
        let brush = stroke.brush
        let path = smoothedPath(stroke)
        switch brush.type {
        case .contourLines: return []
        case .solid: return solid(stroke, path)
        case .parallelLines, .crossHatch, .dots, .waves: break
        }
        if brush.isCanvasPattern { return canvasPattern(stroke, path) }
        let stamps = ReferenceRenderer.stamps(of: stroke, path: path)
        guard brush.type != .waves else {
            return stamps.map { stamp in (stamp, StampFrame(stamp, brush)) }.filter { $0.1.k > 0 }.map { stamp, frame in
                let outlines = waveLines(frame, brush).map { Piece.polygon(outline(of: $0, width: frame.w)) }
                return StrokeMark(alpha: dynamicAlpha(brush, pressure: stamp.pressure), pieces: outlines)
            }
        }
        return stampShapes(of: stamps, brush: brush).map { shape, alpha in
            StrokeMark(alpha: alpha, pieces: shape.parts.map(Piece.init))
        }
    }

    /// That of the mean pressure of the points.
    private static func meanAlpha(_ stroke: Stroke) -> Double {
        let points = mergingCoincidentPoints(stroke.points)
        return dynamicAlpha(
            stroke.brush, pressure: points.reduce(0) { $0 + $1.pressure } / Double(max(points.count, 1)))
    }

    private static func solid(_ stroke: Stroke, _ path: [PathSample]) -> [StrokeMark] {
        guard !path.isEmpty else { return [] }
        let brush = stroke.brush
        guard brush.dynamics.pressureAffectsSize || path.count == 1 else {
            let line = Piece.line(path.map(\.position), width: brush.lineWidth * brush.scale)
            return [StrokeMark(alpha: meanAlpha(stroke), pieces: [line])]
        }
        let shape = solidShape(of: path, brush: brush)
        return [StrokeMark(alpha: meanAlpha(stroke), pieces: shape.parts.map(Piece.init))]
    }

    private static func canvasPattern(_ stroke: Stroke, _ path: [PathSample]) -> [StrokeMark] {
        var pen = stroke
        pen.brush.lineWidth = pen.brush.size
        let isWhole = stroke.brush.edge == .whole && stroke.brush.type == .dots
        return solid(pen, path).map { mark in
            var box = Rect.empty
            for sample in path { box.formUnion(sample.position) }
            box = box.expanded(by: pen.brush.size * pen.brush.scale / 2)
            var pattern = InkReference.canvasPattern(stroke.brush, origin: Point(x: 0, y: 0), in: box)
            guard isWhole else {
                return StrokeMark(
                    alpha: mark.alpha, pieces: pattern.parts.map(Piece.init), footprint: mark.pieces)
            }
            let footprint = solidShape(of: path, brush: pen.brush)
            pattern.parts.removeAll {
                if case .disc(let center, _) = $0 { !footprint.contains(center, margin: outlineMargin) } else { false }
            }
            return StrokeMark(alpha: mark.alpha, pieces: pattern.parts.map(Piece.init))
        }
    }

    /// The outline of a polyline with butt caps. Arcs of joins are cut into pieces of at most 30 degrees.
    private static func outline(of vertices: [Point], width: Double) -> [Point] {
        side(vertices, width / 2) + side(vertices.reversed(), width / 2)
    }

    /// The points along one side of a polyline, from its start to its end.
    private static func side(_ vertices: [Point], _ reach: Double) -> [Point] {
        func normal(_ i: Int) -> Point {
            let step = vertices[i + 1] - vertices[i]
            let length = distance(vertices[i], vertices[i + 1])
            return Point(x: -step.y / length, y: step.x / length)
        }
        var points = [vertices[0] + reach * normal(0)]
        for i in 1..<(vertices.count - 1) {
            let (before, after) = (normal(i - 1), normal(i))
            let turn = atan2(before.x * after.y - before.y * after.x, before.x * after.x + before.y * after.y)
            let steps = turn < 0 ? max(1, Int((-turn / (Double.pi / 6)).rounded(.up))) : 1
            let first = atan2(before.y, before.x)
            points += (0...steps).map { step in
                let angle = first + turn * Double(step) / Double(steps)
                return vertices[i] + reach * Point(x: cos(angle), y: sin(angle))
            }
        }
        let last = vertices.count - 1
        return points + [vertices[last] + reach * normal(last - 1)]
    }
}

extension StrokeMark.Piece {
    fileprivate init(_ part: Part) {
        switch part {
        case .quad(let a, let b, let c, let d): self = .polygon([a, b, c, d])
        case .disc(let center, let radius): self = .disc(center: center, radius: radius)
        }
    }
}
