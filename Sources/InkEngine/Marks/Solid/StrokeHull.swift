/// The hull of two discs.
struct StrokeHull {
    /// Unit vector from the first to the second.
    var along = Point(x: 0, y: 0)
    /// Unit vectors from the discs' centres to the touching points of the tangents, on the left and on the right.
    var left = Point(x: 0, y: 0)
    var right = Point(x: 0, y: 0)
    /// Distance between the touching points of a tangent.
    var tangentLength = 0.0
    /// Whether neither disc contains the other.
    var isTapered = false
    /// Whether the tangents are almost parallel to the direction of the hull.
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

    /// Whether its direction is within 60 degrees of the previous hull's, so that both share one outline.
    func follows(on hull: StrokeHull) -> Bool {
        isSlender && hull.isSlender && along.x * hull.along.x + along.y * hull.along.y >= 0.5
    }
}
