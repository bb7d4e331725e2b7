/// Polygons whose areas add up, in output pixels, in the form that kernels take. Polygons of the opposite orientation
/// subtract their area.
package struct Polygons {
    package private(set) var corners: [Point] = []
    /// Number of corners of each polygon.
    package private(set) var counts: [Int32] = []
    /// Start of the current polygon.
    private var start = 0

    package init() {}

    mutating func removeAll() {
        corners.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Size in bytes.
    var byteCount: Int {
        corners.capacity * MemoryLayout<Point>.stride + counts.capacity * MemoryLayout<Int32>.stride
    }

    /// A copy without unused capacity.
    var trimmed: Polygons {
        var trimmed = self
        trimmed.corners = corners.trimmed
        trimmed.counts = counts.trimmed
        return trimmed
    }

    /// Adds a corner to the current polygon.
    package mutating func append(_ corner: Point) { corners.append(corner) }

    /// Ends the current polygon.
    package mutating func endPolygon() {
        counts.append(Int32(corners.count - start))
        start = corners.count
    }

    /// Calls `body` with the corners (x and y of each) and the number of corners of each polygon.
    func withKernelPolygons(_ body: (UnsafePointer<Double>, UnsafePointer<Int32>) -> Void) {
        corners.withUnsafeBytes { corners in
            guard let corners = corners.bindMemory(to: Double.self).baseAddress else { return }
            body(corners, counts)
        }
    }
}

extension Array {
    /// A copy without unused capacity.
    var trimmed: [Element] { [Element](unsafeUninitializedCapacity: count) { $1 = $0.initialize(from: self).1 } }
}
