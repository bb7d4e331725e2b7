import CKernels

/// The line of a stroke, with boxes round its segments by which those near a place are found.
package struct NearestLine: Sendable {
    package let path: SmoothedPath
    /// Round each `segmentsInBox` segments, in canvas pixels.
    private let boxes: [Rect]
    /// Round each `boxesInGroup` boxes.
    private let groups: [Rect]

    private static let segmentsInBox = Int(INK_CONTOUR_RUN)
    private static let boxesInGroup = 16

    /// - Precondition: the path has a sample.
    init(_ path: SmoothedPath) {
        self.path = path
        let samples = path.samples
        let segmentCount = max(samples.count - 1, 1)
        boxes = stride(from: 0, to: segmentCount, by: NearestLine.segmentsInBox).map { start in
            let end = min(start + NearestLine.segmentsInBox, samples.count - 1)
            return samples[start...end].reduce(into: Rect.empty) { $0.formUnion($1.position) }
        }
        let boxes = boxes
        groups = stride(from: 0, to: boxes.count, by: NearestLine.boxesInGroup).map { start in
            boxes[start..<min(start + NearestLine.boxesInGroup, boxes.count)]
                .reduce(into: Rect.empty) { $0.formUnion($1) }
        }
    }

    /// Whether it ends where it began, so that it has no ends.
    var isClosed: Bool {
        path.samples.count > 1 && path.samples.first?.position == path.samples.last?.position
    }

    /// Size in bytes.
    var byteCount: Int { path.byteCount + (boxes.count + groups.count) * MemoryLayout<Rect>.stride }

    /// Collects the segments that may be nearest to a point of a circle and no further from it than a distance.
    ///
    /// - Parameters:
    ///   - center, radius: of the circle, in canvas pixels.
    ///   - reach: the distance, in canvas pixels.
    ///   - ranges: receives the first and the end of each range of segments.
    /// - Returns: their number.
    func segments(near center: Point, radius: Double, reach: Double, into ranges: inout [Int32]) -> Int {
        ranges.removeAll(keepingCapacity: true)
        // Nothing behind what is certainly nearer is seen from anywhere in the circle.
        var limit = reach + radius
        for group in groups { limit = min(limit, group.greatestDistance(to: center) + 2 * radius) }
        func near(_ box: Rect) -> Bool { !(box.leastDistance(to: center) > limit * (1 + 1e-9)) }
        for group in groups.indices where near(groups[group]) {
            for box in boxes(of: group) {
                limit = min(limit, boxes[box].greatestDistance(to: center) + 2 * radius)
            }
        }
        var count = 0
        for group in groups.indices where near(groups[group]) {
            for box in boxes(of: group) where near(boxes[box]) {
                let segments = segments(of: box)
                count += segments.count
                if let last = ranges.last, last == segments.lowerBound {
                    ranges[ranges.count - 1] = Int32(segments.upperBound)
                } else {
                    ranges += [Int32(segments.lowerBound), Int32(segments.upperBound)]
                }
            }
        }
        return count
    }

    private func boxes(of group: Int) -> Range<Int> {
        let start = group * NearestLine.boxesInGroup
        return start..<min(start + NearestLine.boxesInGroup, boxes.count)
    }

    private func segments(of box: Int) -> Range<Int> {
        let start = box * NearestLine.segmentsInBox
        return start..<min(start + NearestLine.segmentsInBox, max(path.samples.count - 1, 1))
    }
}

extension Rect {
    /// The distances of its nearest and its furthest point.
    func leastDistance(to p: Point) -> Double {
        Point(x: max(minX - p.x, 0, p.x - maxX), y: max(minY - p.y, 0, p.y - maxY)).length
    }

    fileprivate func greatestDistance(to p: Point) -> Double {
        Point(x: max(p.x - minX, maxX - p.x), y: max(p.y - minY, maxY - p.y)).length
    }
}
