/// Where eight neighbouring pixels lie in the four planes.
struct PlanePointers {
    let red: UnsafeMutablePointer<Float>
    let green: UnsafeMutablePointer<Float>
    let blue: UnsafeMutablePointer<Float>
    let alpha: UnsafeMutablePointer<Float>

    @inline(__always)
    init(
        red: UnsafeMutablePointer<Float>, green: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>,
        alpha: UnsafeMutablePointer<Float>
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The first pixel. The planes must outlive the pointers.
    @inline(__always)
    init(_ planes: FloatPlanes) {
        self.init(red: planes.red, green: planes.green, blue: planes.blue, alpha: planes.alpha)
    }

    @inline(__always)
    func advanced(by offset: Int) -> PlanePointers {
        PlanePointers(red: red + offset, green: green + offset, blue: blue + offset, alpha: alpha + offset)
    }
}

/// Eight premultiplied pixels.
struct LanePixels {
    var red: Lanes
    var green: Lanes
    var blue: Lanes
    var alpha: Lanes

    @inline(__always)
    init(color: LaneColor, alpha: Lanes) {
        red = color.red
        green = color.green
        blue = color.blue
        self.alpha = alpha
    }

    /// Eight times one colour.
    @inline(__always)
    init(_ color: RGBA8) {
        let a = Float(color.alpha) / 255
        self.init(
            color: LaneColor(
                Lanes(repeating: Float(color.red) / 255 * a),
                Lanes(repeating: Float(color.green) / 255 * a),
                Lanes(repeating: Float(color.blue) / 255 * a)),
            alpha: Lanes(repeating: a))
    }

    @inline(__always)
    var color: LaneColor { LaneColor(red, green, blue) }

    @inline(__always)
    static func load(_ source: PlanePointers, count: Int) -> LanePixels {
        LanePixels(
            color: LaneColor(
                Lanes.load(source.red, count: count),
                Lanes.load(source.green, count: count),
                Lanes.load(source.blue, count: count)),
            alpha: Lanes.load(source.alpha, count: count))
    }

    @inline(__always)
    func store(_ target: PlanePointers, count: Int) {
        red.store(target.red, count: count)
        green.store(target.green, count: count)
        blue.store(target.blue, count: count)
        alpha.store(target.alpha, count: count)
    }

    @inline(__always)
    func scaled(by factor: Lanes) -> LanePixels {
        LanePixels(color: LaneColor(red * factor, green * factor, blue * factor), alpha: alpha * factor)
    }

    @inline(__always)
    static func + (a: LanePixels, b: LanePixels) -> LanePixels {
        LanePixels(color: LaneColor(a.red + b.red, a.green + b.green, a.blue + b.blue), alpha: a.alpha + b.alpha)
    }
}
