// Sine and cosine from only the four operations of IEEE 754. The C library's functions give different bits on
// processors with FMA, and these would reach pixels. The remainders and roundings used to reduce an argument are exact
// operations, so they have the same result everywhere.

/// The sine and cosine of an angle in degrees; exact (0, 1, -1) at multiples of 90, otherwise within 1e-15.
///
/// NaN for an angle that is not finite.
package func sinCos(degrees: Double) -> (sin: Double, cos: Double) {
    guard degrees.isFinite else { return (.nan, .nan) }
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    let quarters = (turn / 90).rounded()
    // Both terms are close to each other, so the difference has no rounding error (Sterbenz).
    let rest = (turn - 90 * quarters) * (Double.pi / 180)
    return sinCos(quarterTurns: Int(quarters), plus: rest)
}

/// The sine and cosine of an angle in radians, within 1e-15 for a few turns. NaN for an angle that is not finite.
package func sinCos(radians: Double) -> (sin: Double, cos: Double) { sinCos(degrees: radians * (180 / Double.pi)) }

/// The sine of `x` half turns, sin(pi x); exact at multiples of 1/2, otherwise within 1e-15. NaN when `x` is not finite.
package func sinPi(_ x: Double) -> Double {
    guard x.isFinite else { return .nan }
    let turn = x.truncatingRemainder(dividingBy: 2)
    let quarters = (turn * 2).rounded()
    return sinCos(quarterTurns: Int(quarters), plus: (turn - quarters / 2) * Double.pi).sin
}

/// The sine and cosine of `quarterTurns` times pi/2 plus `rest`, which is in -pi/4...pi/4.
private func sinCos(quarterTurns: Int, plus rest: Double) -> (sin: Double, cos: Double) {
    let s = sineNearZero(rest)
    let c = cosineNearZero(rest)
    // `0 - s` instead of `-s`, so that a zero is never negative.
    switch quarterTurns & 3 {
    case 0: return (s, c)
    case 1: return (c, 0 - s)
    case 2: return (0 - s, 0 - c)
    default: return (0 - c, s)
    }
}

/// The Taylor series up to x^17; in -pi/4...pi/4 the error is below 1e-19.
private func sineNearZero(_ x: Double) -> Double {
    let z = x * x
    var sum = 1.0 / 355_687_428_096_000
    sum = sum * z - 1.0 / 1_307_674_368_000
    sum = sum * z + 1.0 / 6_227_020_800
    sum = sum * z - 1.0 / 39_916_800
    sum = sum * z + 1.0 / 362_880
    sum = sum * z - 1.0 / 5_040
    sum = sum * z + 1.0 / 120
    sum = sum * z - 1.0 / 6
    return x + x * z * sum
}

/// The Taylor series up to x^18; in -pi/4...pi/4 the error is below 1e-20.
private func cosineNearZero(_ x: Double) -> Double {
    let z = x * x
    var sum = -1.0 / 6_402_373_705_728_000
    sum = sum * z + 1.0 / 20_922_789_888_000
    sum = sum * z - 1.0 / 87_178_291_200
    sum = sum * z + 1.0 / 479_001_600
    sum = sum * z - 1.0 / 3_628_800
    sum = sum * z + 1.0 / 40_320
    sum = sum * z - 1.0 / 720
    sum = sum * z + 1.0 / 24
    sum = sum * z - 1.0 / 2
    return 1 + z * sum
}

/// The angle from the x axis to a direction, radians in -pi...pi, within 1e-15; 0 for no direction.
package func angle(of direction: Point) -> Double {
    let (x, y) = (abs(direction.x), abs(direction.y))
    guard max(x, y) > 0 else { return 0 }
    var tangent = min(x, y) / max(x, y)
    // Half the angle, and half of that: at most pi/16, where the series is short.
    for _ in 0..<2 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
    let z = tangent * tangent
    var sum = 0.0
    for odd in stride(from: 25.0, through: 1, by: -2) { sum = 1 / odd - z * sum }
    var angle = 4 * tangent * sum
    if y > x { angle = Double.pi / 2 - angle }
    if direction.x < 0 { angle = Double.pi - angle }
    return direction.y < 0 ? -angle : angle
}
