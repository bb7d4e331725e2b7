import Foundation
import InkEngine

// The reference keeps its own vector arithmetic: it must not share a mistake with the engine.

func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
func * (k: Double, a: Point) -> Point { Point(x: k * a.x, y: k * a.y) }

func distance(_ a: Point, _ b: Point) -> Double {
    ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
}

/// The length of a vector.
func length(_ a: Point) -> Double { (a.x * a.x + a.y * a.y).squareRoot() }

/// The distance of a place from a piece of a straight line.
func distance(_ p: Point, from a: Point, to b: Point) -> Double {
    distance(p, a + nearest(p, from: a, to: b) * (b - a))
}

/// How far along a piece of a straight line its nearest place lies, 0...1; 0 for a piece of no length.
func nearest(_ p: Point, from a: Point, to b: Point) -> Double {
    let (ab, ap) = (b - a, p - a)
    let square = ab.x * ab.x + ab.y * ab.y
    return square > 0 ? min(max((ap.x * ab.x + ap.y * ab.y) / square, 0), 1) : 0
}

/// `fraction` of the way from `a` to `b`.
func mix(_ a: Double, _ b: Double, _ fraction: Double) -> Double { a + (b - a) * fraction }

/// The vector of length 1 in a direction, degrees clockwise from the x axis (y points down); exact at multiples of 90.
func unitVector(degrees: Double) -> Point {
    let quarters = (degrees / 90).rounded()
    guard degrees != quarters * 90 else {
        let axes = [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)]
        let turn = quarters.truncatingRemainder(dividingBy: 4)
        return axes[Int(turn < 0 ? turn + 4 : turn)]
    }
    let angle = degrees.truncatingRemainder(dividingBy: 360) * Double.pi / 180
    return Point(x: cos(angle), y: sin(angle))
}

/// A vector turned clockwise by degrees.
func turned(_ p: Point, degrees: Double) -> Point {
    let u = unitVector(degrees: degrees)
    return Point(x: u.x * p.x - u.y * p.y, y: u.y * p.x + u.x * p.y)
}
