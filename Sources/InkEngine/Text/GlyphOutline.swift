/// The outline of a glyph: lines and curves.
package struct GlyphOutline {
    package enum Step {
        /// Ends a contour and begins another.
        case move(Point)
        case line(Point)
        /// Control point and end.
        case quadratic(Point, Point)
        /// Control points and end.
        case cubic(Point, Point, Point)
    }

    package var steps: [Step] = []

    /// The largest distance between a curve and the lines that are drawn for it, pixels.
    private static let tolerance = 1.0 / 512

    /// Polygons, closed from the last corner to the first, with areas that are positive as a whole: a glyph and its holes
    /// turn in opposite directions, and which is which depends on the kind of font.
    ///
    /// - Parameter map: from the glyph to pixels.
    package func polygons(_ map: (Point) -> Point) -> [[Point]] {
        var polygons: [[Point]] = []
        var current: [Point] = []
        func end() {
            if current.count > 2 { polygons.append(current) }
        }
        for step in steps {
            switch step {
            case .move(let point):
                end()
                current = [map(point)]
            case .line(let point): current.append(map(point))
            case .quadratic(let control, let point):
                guard let start = current.last else { continue }
                let (control, end) = (map(control), map(point))
                let bend = (start - 2 * control + end).length
                let count = Self.pieces(bend / (4 * Self.tolerance))
                for piece in 1...count {
                    let t = Double(piece) / Double(count)
                    let u = 1 - t
                    current.append(piece == count ? end : u * u * start + 2 * u * t * control + t * t * end)
                }
            case .cubic(let first, let second, let point):
                guard let start = current.last else { continue }
                let (first, second, end) = (map(first), map(second), map(point))
                let bend = max((start - 2 * first + second).length, (first - 2 * second + end).length)
                let count = Self.pieces(0.75 * bend / Self.tolerance)
                for piece in 1...count {
                    let t = Double(piece) / Double(count)
                    let u = 1 - t
                    let middle = 3 * u * u * t * first + 3 * u * t * t * second
                    current.append(piece == count ? end : u * u * u * start + middle + t * t * t * end)
                }
            }
        }
        end()
        let area = polygons.reduce(0) { $0 + Self.doubledArea($1) }
        return area < 0 ? polygons.map { $0.reversed() } : polygons
    }

    /// How many lines a curve needs, whose error is a quarter where they are twice as many.
    private static func pieces(_ square: Double) -> Int {
        max(1, Int(min(square.squareRoot().rounded(.up), 1_000)))
    }

    private static func doubledArea(_ corners: [Point]) -> Double {
        guard var last = corners.last else { return 0 }
        var sum = 0.0
        for corner in corners {
            sum += last.x * corner.y - last.y * corner.x
            last = corner
        }
        return sum
    }
}
