/// Where an image lies on the canvas (spec section 8.3).
public struct Placement: Hashable, Sendable {
    /// The corner with the smallest x and y before turning, canvas pixels.
    public var x: Double
    public var y: Double
    /// Canvas pixels, above 0.
    public var width: Double
    public var height: Double
    /// Degrees, clockwise, about the rectangle's centre.
    public var rotation: Double

    public init(x: Double = 0, y: Double = 0, width: Double, height: Double, rotation: Double = 0) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.rotation = rotation
    }

    /// Over a canvas of this size, as images without a placement lie.
    public init(filling canvas: CanvasSize) { self.init(width: canvas.width, height: canvas.height) }

    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    /// The four corners after turning, canvas pixels.
    public var corners: [Point] {
        let (sine, cosine) = sinCos(degrees: rotation)
        let (center, right, down) = (
            center, Point(x: width / 2 * cosine, y: width / 2 * sine),
            Point(x: -height / 2 * sine, y: height / 2 * cosine)
        )
        return [center - right - down, center + right - down, center + right + down, center - right + down]
    }

    /// How often the image is turned clockwise by 90 degrees, 0...3, if its rotation is a multiple of that (within 1e-9).
    package var quarterTurns: Int? {
        let turn = rotation.truncatingRemainder(dividingBy: 360)
        let quarters = (turn / 90).rounded()
        return abs(turn - 90 * quarters) <= 1e-9 ? (Int(quarters) + 4) % 4 : nil
    }

    /// Whether nothing of a canvas of this size can be seen around the image; false for one that is turned.
    package func covers(_ canvas: CanvasSize) -> Bool {
        rotation == 0 && x <= 0 && y <= 0 && x + width >= canvas.width && y + height >= canvas.height
    }
}
