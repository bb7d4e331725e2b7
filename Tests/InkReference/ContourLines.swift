import InkEngine

/// The alpha of contour lines at each point (spec 10.2). Canvas space.
struct ContourField: AlphaField {
    private let brush: Brush
    private var places: NearestPlaces
    /// "closed strokes, and those whose first and last point coincide, have no ends"; "A single point draws rings."
    private let areEndsCut: Bool
    /// m
    private let outermost: Double

    /// - Parameters:
    ///   - path: of the stroke; not empty.
    ///   - tolerance: 1e-6 of an output pixel, in canvas pixels.
    init(_ stroke: Stroke, path: [PathSample], tolerance: Double) {
        brush = stroke.brush
        places = NearestPlaces(path, tolerance: tolerance)
        areEndsCut = brush.caps == .butt && !stroke.isClosed && path[0].position != path[path.count - 1].position
        outermost = Double((brush.lines - 1) / 2)
    }

    func narrowed(to center: Point, _ radius: Double) -> ContourField {
        var field = self
        field.places = places.narrowed(to: center, radius)
        return field
    }

    /// "k(t) = scale * size(t) with the pressure there"
    private func k(_ pressure: Double) -> Double { brush.scale * dynamicSize(brush, pressure: pressure) }

    func value(_ q: Point) -> Double {
        let nearest = places.places(q)
        // "a point is left out only if each of them is an end behind which it lies"
        if areEndsCut, nearest.allSatisfy({ isEndBeforeWhich(q, $0) }) { return 0 }
        let pressure = places.pressure(nearest[0])
        let (d, k) = (nearest[0].distance, k(pressure))
        // "Where k(t) is 0 nothing is drawn."
        guard k > 0 else { return 0 }
        let (p, w) = (brush.spacing * k, brush.lineWidth * k)
        // "|d - j P| <= w / 2 for j = the whole number in 0...m nearest to d / P"
        let j = min((d / p).rounded(), outermost)
        return abs(d - j * p) <= w / 2 ? dynamicAlpha(brush, pressure: pressure) : 0
    }

    private func isEndBeforeWhich(_ q: Point, _ place: PolylinePlace) -> Bool {
        places.isStart(place) && places.behindStart(q) > 0 || places.isEnd(place) && places.behindEnd(q) > 0
    }

    func constant(_ center: Point, _ radius: Double) -> Double? {
        let pressures = places.pressures(center, radius)
        let sizes = [k(pressures.lowerBound), k(pressures.upperBound)]
        let (least, greatest) = (sizes.min()!, sizes.max()!)
        guard greatest > 0 else { return 0 }
        let nearest = places.places(center)
        let d = nearest[0].distance
        // d / P: both P and w are multiples of k, so that lines have one place and one width in it.
        let low = max(0, d - radius - places.tolerance) / (brush.spacing * greatest)
        guard least > 0 else {
            // Too small to be seen is not nothing; what lies beyond the outermost line is.
            return low > outermost + brush.lineWidth / brush.spacing / 2 ? 0 : nil
        }
        let high = (d + radius + places.tolerance) / (brush.spacing * least)
        let half = brush.lineWidth / brush.spacing / 2
        guard let isLine = isLine(low, high, half) else { return nil }
        guard isLine else { return 0 }
        if areEndsCut {
            let (start, end) = (places.behindStart(center), places.behindEnd(center))
            if places.areAtStart, start > radius { return 0 }
            if places.areAtEnd, end > radius { return 0 }
            if places.mayBeAtStart, start > -radius { return nil }
            if places.mayBeAtEnd, end > -radius { return nil }
        }
        let alphas = [pressures.lowerBound, pressures.upperBound].map { dynamicAlpha(brush, pressure: $0) }
        guard abs(alphas[0] - alphas[1]) <= 1.0 / 2048 else { return nil }
        return (alphas[0] + alphas[1]) / 2
    }

    /// Whether everything between two values of d / P lies in lines, or between them; nil for some of both.
    private func isLine(_ low: Double, _ high: Double, _ half: Double) -> Bool? {
        let (first, last) = (min(low.rounded(), outermost), min(high.rounded(), outermost))
        // Lines that touch are one.
        if half >= 0.5 || first == last {
            if high <= last + half, half >= 0.5 || low >= first - half { return true }
            if low > first + half, first == last { return false }
            if first == last, high < first - half { return false }
            return nil
        }
        return last == first + 1 && low > first + half && high < last - half ? false : nil
    }
}
