import InkEngine

// The reference keeps its own vector arithmetic: it must not share a mistake with the engine.

func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
func * (k: Double, a: Point) -> Point { Point(x: k * a.x, y: k * a.y) }

func distance(_ a: Point, _ b: Point) -> Double {
    ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
}

/// `fraction` of the way from `a` to `b`.
func mix(_ a: Double, _ b: Double, _ fraction: Double) -> Double { a + (b - a) * fraction }
