import InkEngine

/// How wide a freehand line is at its points, by the rules of perfect-freehand: points are drawn towards those before
/// them, and widths follow the pressure, or the speed where there is none.
struct FreehandLine {
    /// The width at a pressure of a half is near it.
    var size: Double
    /// How much the pressure changes the width.
    var thinning: Double
    /// How much points are drawn together; 0...1
    var streamline: Double
    var simulatesPressure: Bool
    /// Whether the pressure follows that of the pen slowly, as in tldraw.
    var smoothsPressure = false
    /// What the share of a size becomes.
    var easing: (Double) -> Double = { $0 }

    private struct Stop {
        var point: Point
        var pressure: Double
        /// From the stop before, and from the first.
        var distance = 0.0
        var length = 0.0
    }

    func widths(_ points: [Point], pressures: [Double]) -> [NotePage.WidePoint] {
        let stops = stops(points, pressures)
        guard let last = stops.last else { return [] }
        var before = firstPressure(stops)
        var line: [NotePage.WidePoint] = []
        for (index, stop) in stops.enumerated() {
            // Noise at the end.
            if index < stops.count - 1, index > 0, last.length - stop.length < 3 { continue }
            let pressure = pressure(before, stop)
            let radius = thinning == 0 ? size / 2 : size * easing(0.5 - thinning * (0.5 - pressure))
            line.append(.init(x: stop.point.x, y: stop.point.y, width: 2 * max(0.01, radius)))
            before = pressure
        }
        return line
    }

    /// A mean of the first ones, since lines begin slowly.
    private func firstPressure(_ stops: [Stop]) -> Double {
        guard smoothsPressure else {
            return stops.prefix(10).reduce(stops[0].pressure) { ($0 + pressure($0, $1)) / 2 }
        }
        return stops.prefix { $0.length <= 5 * size }.reduce(stops[0].pressure) { before, stop in
            let next = simulatesPressure ? pressure(before, stop) : (before + stop.pressure) / 2
            return (before + next) / 2
        }
    }

    private func pressure(_ before: Double, _ stop: Stop) -> Double {
        let speed = min(1, stop.distance / size)
        // Faster is lighter.
        if simulatesPressure { return min(1, before + (1 - speed - before) * (speed * 0.275)) }
        return smoothsPressure ? min(1, before + (stop.pressure - before) * (speed * 0.275)) : stop.pressure
    }

    private func stops(_ points: [Point], _ pressures: [Double]) -> [Stop] {
        func pressure(_ index: Int, _ other: Double) -> Double {
            index < pressures.count && pressures[index] >= 0 ? min(pressures[index], 1) : other
        }
        guard let first = points.first else { return [] }
        var points = points
        if points.count == 2 { points = (0..<5).map { first + (0.25 * Double($0)) * (points[1] - first) } }
        var stops = [Stop(point: first, pressure: pressure(0, smoothsPressure ? 0.5 : 0.25))]
        var (length, isLong) = (0.0, false)
        for (index, next) in points.enumerated().dropFirst() {
            let before = stops[stops.count - 1].point
            let isLast = index == points.count - 1
            let point = isLast ? next : before + (0.15 + (1 - streamline) * 0.85) * (next - before)
            guard point != before else { continue }
            let distance = (point - before).length
            length += distance
            // The first pieces are no longer than the line is wide.
            if !isLast, !isLong {
                guard length >= size else { continue }
                isLong = true
            }
            stops.append(Stop(point: point, pressure: pressure(index, 0.5), distance: distance, length: length))
        }
        return stops
    }
}
