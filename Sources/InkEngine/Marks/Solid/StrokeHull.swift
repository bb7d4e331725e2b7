/// The hull of two discs.
struct StrokeHull {
    /// From the first to the second; of length 1.
    var along = Point(x: 0, y: 0)
    /// From the discs' centres to where the tangents touch, on the left and on the right of the way.
    var left = Point(x: 0, y: 0)
    var right = Point(x: 0, y: 0)
    /// From one touching point to the other.
    var tangentLength = 0.0
    /// Whether neither disc holds the other.
    var isTapered = false
    /// Whether the tangents lead nearly where the way does.
    var isSlender = false

    init(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) {
        let step = second.center - first.center
        let distance = step.length
        let difference = first.radius - second.radius
        guard distance > abs(difference) else { return }
        isTapered = true
        along = (1 / distance) * step
        let across = Point(x: -along.y, y: along.x)
        let sine = difference / distance
        let cosine = (1 - sine * sine).squareRoot()
        left = sine * along + cosine * across
        right = sine * along - cosine * across
        tangentLength = distance * cosine
        isSlender = abs(sine) < 0.3
    }

    /// Whether it leads on within 60 degrees, so that both have one outline.
    func follows(on hull: StrokeHull) -> Bool {
        isSlender && hull.isSlender && along.x * hull.along.x + along.y * hull.along.y >= 0.5
    }
}
