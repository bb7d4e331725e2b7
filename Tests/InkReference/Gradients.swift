package import InkEngine

/// The colour of a gradient at a point of its own coordinates: premultiplied RGBA, 0...1 (spec 9.2).
package func gradientColor(_ gradient: Gradient, at p: Point) -> [Double] {
    let stops = gradient.stops
    /// "between stops the premultiplied sRGB colour is interpolated linearly"
    func color(_ stop: Int) -> [Double] {
        let color = stops[stop].color
        let alpha = Double(color.alpha) / 255
        return [color.red, color.green, color.blue].map { Double($0) / 255 * alpha } + [alpha]
    }
    // "from = to, or r = 0: the last stop"
    guard let t = gradientPlace(gradient.kind, p) else { return color(stops.count - 1) }
    // "Offsets are clamped to 0...1 and never smaller than the one before"
    var offsets: [Double] = []
    for stop in stops { offsets.append(max(offsets.last ?? 0, min(max(stop.offset, 0), 1))) }
    // "before the first and after the last it stays; where offsets are equal the later counts from there on"
    guard let before = offsets.lastIndex(where: { $0 <= t }) else { return color(0) }
    guard before + 1 < stops.count else { return color(before) }
    let share = (t - offsets[before]) / (offsets[before + 1] - offsets[before])
    return zip(color(before), color(before + 1)).map { mix($0, $1, share) }
}

/// "t is the projection on from-to, or the distance over r"
private func gradientPlace(_ kind: Gradient.Kind, _ p: Point) -> Double? {
    switch kind {
    case .linear(let from, let to):
        let (axis, q) = (to - from, p - from)
        let square = axis.x * axis.x + axis.y * axis.y
        return square > 0 ? (q.x * axis.x + q.y * axis.y) / square : nil
    case .radial(let center, let radius): return radius > 0 ? distance(p, center) / radius : nil
    }
}
