import InkEngine

/// A place on a polyline.
struct PolylinePlace {
    /// The number of the sample at which its segment begins.
    var segment: Int
    /// 0...1
    var fraction: Double
    var distance: Double
}

/// The places of a smoothed polyline that may be nearest to points of a disc.
///
/// Spec 10.2: "For a point q let t be the place of the smoothed polyline that is nearest to q"; "Of several nearest places
/// (distances within 1e-6 of an output pixel) the first along the stroke counts".
struct NearestPlaces {
    let path: [PathSample]
    /// The segments of any length, by the sample at which each begins; a single sample is a segment of no length.
    private(set) var segments: [Int]
    /// How much farther than the nearest place another may be and still count as nearest; canvas pixels.
    let tolerance: Double
    private let first: Int
    private let last: Int

    /// - Precondition: there are samples.
    init(_ path: [PathSample], tolerance: Double) {
        self.path = path
        self.tolerance = tolerance
        let long = (0..<(path.count - 1)).filter { path[$0].position != path[$0 + 1].position }
        segments = long.isEmpty ? [0] : long
        (first, last) = (segments[0], segments[segments.count - 1])
    }

    private func ends(_ segment: Int) -> (PathSample, PathSample) {
        (path[segment], path[min(segment + 1, path.count - 1)])
    }

    private func place(_ segment: Int, _ q: Point) -> PolylinePlace {
        let (from, to) = ends(segment)
        let fraction = nearest(q, from: from.position, to: to.position)
        let found = from.position + fraction * (to.position - from.position)
        return PolylinePlace(segment: segment, fraction: fraction, distance: distance(q, found))
    }

    /// Those that may be nearest to a point of a disc.
    func narrowed(to center: Point, _ radius: Double) -> NearestPlaces {
        guard segments.count > 1 else { return self }
        let distances = segments.map { place($0, center).distance }
        let reach = distances.min()! + 2 * radius + 2 * tolerance
        var narrowed = self
        narrowed.segments = zip(segments, distances).filter { $0.1 <= reach }.map(\.0)
        return narrowed
    }

    /// The nearest places to a point, in their order along the stroke.
    func places(_ q: Point) -> [PolylinePlace] {
        let places = segments.map { place($0, q) }
        let least = places.map(\.distance).min()!
        return places.filter { $0.distance <= least + tolerance }
    }

    func pressure(_ place: PolylinePlace) -> Double {
        let (from, to) = ends(place.segment)
        return mix(from.pressure, to.pressure, place.fraction)
    }

    /// The pressures at all places that may be nearest to a point of a disc.
    func pressures(_ center: Point, _ radius: Double) -> ClosedRange<Double> {
        let pressures = segments.flatMap { segment -> [Double] in
            let (from, to) = ends(segment)
            // The nearest place moves no farther than the point.
            let step = radius / max(distance(from.position, to.position), 1e-300)
            let middle = unclamped(segment, center)
            return [middle - step, middle + step].map { mix(from.pressure, to.pressure, min(max($0, 0), 1)) }
        }
        return pressures.min()!...pressures.max()!
    }

    private func unclamped(_ segment: Int, _ q: Point) -> Double {
        let (from, to) = ends(segment)
        let length = distance(from.position, to.position)
        return length > 0 ? along(segment, q - from.position) / length : 0
    }

    /// How far a vector goes along a segment.
    private func along(_ segment: Int, _ vector: Point) -> Double {
        let (from, to) = ends(segment)
        let step = to.position - from.position
        return (vector.x * step.x + vector.y * step.y) / max(length(step), 1e-300)
    }

    /// How far behind the start or the end of the polyline a point lies, "seen along the first or last segment"; below 0 for one
    /// that does not.
    func behindStart(_ q: Point) -> Double { -along(first, q - path[0].position) }
    func behindEnd(_ q: Point) -> Double { along(last, q - path[path.count - 1].position) }

    func isStart(_ place: PolylinePlace) -> Bool { place.segment == first && place.fraction == 0 }
    func isEnd(_ place: PolylinePlace) -> Bool { place.segment == last && place.fraction == 1 }
    var mayBeAtStart: Bool { segments.contains(first) }
    var mayBeAtEnd: Bool { segments.contains(last) }
    /// Whether only places of the first segment, or only such of the last one, may be nearest.
    var areAtStart: Bool { segments == [first] }
    var areAtEnd: Bool { segments == [last] }
}

/// An alpha that varies within pixels. Canvas space.
protocol AlphaField {
    /// What of it matters in a disc.
    func narrowed(to center: Point, _ radius: Double) -> Self
    /// The alpha everywhere in a disc, within 1/2048; nil where it is not known to be the same.
    func constant(_ center: Point, _ radius: Double) -> Double?
    func value(_ q: Point) -> Double
}

extension CoverageScanner {
    /// The integral of a field over each pixel, row-major: squares of the picture are cut into four until the field is the same
    /// all over one, or it is 1/64 pixel wide, where the value at its centre counts.
    func integral(of field: some AlphaField) -> [Double] {
        var values = [Double](repeating: 0, count: output.area)
        var edge = 1.0
        while edge < Double(max(output.width, output.height)) { edge *= 2 }
        integrate(field, x: 0, y: 0, edge: edge, into: &values)
        return values
    }

    private func integrate(_ field: some AlphaField, x: Double, y: Double, edge: Double, into values: inout [Double]) {
        guard x < Double(output.width), y < Double(output.height) else { return }
        let center = Point(x: (x + edge / 2) / scaleX, y: (y + edge / 2) / scaleY)
        let radius = length(Point(x: edge / 2 / scaleX, y: edge / 2 / scaleY))
        let near = field.narrowed(to: center, radius)
        guard let value = edge <= 1.0 / 64 ? near.value(center) : near.constant(center, radius) else {
            for (right, down) in [(0.0, 0.0), (1, 0), (0, 1), (1, 1)] {
                integrate(near, x: x + right * edge / 2, y: y + down * edge / 2, edge: edge / 2, into: &values)
            }
            return
        }
        guard value > 0 else { return }
        let share = min(edge, 1)
        for row in Int(y)..<min(Int(y + max(edge, 1)), output.height) {
            for column in Int(x)..<min(Int(x + max(edge, 1)), output.width) {
                values[row * output.width + column] += value * share * share
            }
        }
    }
}
