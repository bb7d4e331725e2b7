/// The stamps of a stroke in order, with boxes round the centres of a few stamps at a time, because most cells that
/// meet a stroke see only some of its stamps.
///
/// If there are too many to keep, they are placed again whenever a cell needs them: a stroke of two points may have
/// twenty million.
package struct PlacedStamps: Sendable {
    let count: Int
    /// Whether every stamp's alpha is below 1/256.
    private(set) var areFaint = true
    /// Whether all stamps have one alpha.
    package private(set) var haveOneAlpha = true
    /// Whether all stamps have one size and direction.
    package private(set) var areAlike = true
    private var boxes: [Rect] = []
    private var source: Source

    private enum Source: Sendable {
        case kept([Stamp])
        /// For each box, the segment of the path where the search for its first stamp begins.
        case path(StampPlacer, segments: [Int32])
    }

    /// Stamps drawn between two checks for cancellation.
    static let countAtOnce = 4096

    /// Number of stamps in a box.
    private var boxCount: Int { if case .kept = source { 16 } else { 64 } }

    /// - Parameters:
    ///   - keptMax: maximum number of stamps to keep.
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    /// - Precondition: the placer's count was checked against the limit.
    init(_ placer: StampPlacer, keptMax: Int = .max, isCancelled: () -> Bool = { false }) {
        count = placer.count
        var segment = 0
        guard count > keptMax else {
            let stamps = placer.stamps(0..<count, from: &segment)
            source = .kept(stamps)
            for start in stride(from: 0, to: count, by: boxCount) {
                take(stamps[start..<min(start + boxCount, count)], first: stamps[0])
            }
            return
        }
        var segments: [Int32] = []
        source = .path(placer, segments: [])
        var first: Stamp?
        for start in stride(from: 0, to: count, by: boxCount) {
            if isCancelled() { break }
            segments.append(Int32(segment))
            let stamps = placer.stamps(start..<min(start + boxCount, count), from: &segment)
            take(stamps[...], first: first ?? stamps[0])
            first = first ?? stamps[0]
        }
        source = .path(placer, segments: segments)
    }

    /// Adds the stamps of the next box.
    private mutating func take(_ stamps: ArraySlice<Stamp>, first: Stamp) {
        var box = Rect.empty
        for stamp in stamps {
            box.formUnion(stamp.center)
            areFaint = areFaint && stamp.alpha < 1.0 / 256
            haveOneAlpha = haveOneAlpha && stamp.alpha == first.alpha
            areAlike = areAlike && stamp.size == first.size && stamp.along == first.along
        }
        boxes.append(box)
    }

    /// Number of stamps kept.
    var keptCount: Int { if case .kept = source { count } else { 0 } }

    /// Size in bytes.
    var byteCount: Int {
        let boxBytes = boxes.count * MemoryLayout<Rect>.stride
        return switch source {
        case .kept(let stamps): boxBytes + stamps.count * MemoryLayout<Stamp>.stride
        case .path(let placer, let segments):
            boxBytes + placer.byteCount + segments.count * MemoryLayout<Int32>.stride
        }
    }

    /// Calls `body` with each stamp in order, except those of size 0, which draw nothing.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the loop ends.
    @inline(__always)
    package func forEach(isCancelled: () -> Bool = { false }, _ body: (Stamp) -> Void) {
        for box in boxes.indices {
            if isCancelled() { break }
            let (stamps, first) = stamps(ofBox: box)
            for index in (box * boxCount)..<min((box + 1) * boxCount, count) where stamps[index - first].size > 0 {
                body(stamps[index - first])
            }
        }
    }

    /// An array with the stamps of a box and the one after them, and the index of the array's first stamp.
    private func stamps(ofBox box: Int) -> (stamps: [Stamp], first: Int) {
        switch source {
        case .kept(let stamps): return (stamps, 0)
        case .path(let placer, let segments):
            var segment = Int(segments[box])
            let first = box * boxCount
            return (placer.stamps(first..<min(first + boxCount + 1, count), from: &segment), first)
        }
    }

    /// The stamps near a cell, in order.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the sequence ends.
    func visible(_ near: NearCell, isCancelled: @escaping () -> Bool = { false }) -> Visible {
        Visible(placed: self, near: near, isCancelled: isCancelled)
    }

    /// The stamps near a cell whose alpha and size are not 0.
    struct Visible: Sequence, IteratorProtocol {
        private let placed: PlacedStamps
        private let near: NearCell
        private let isCancelled: () -> Bool
        private let boxCount: Int
        private let areKept: Bool
        private var index = 0
        /// Index of the first stamp of the next box.
        private var nextBox = 0
        /// The current stamps, and the index of the first of them.
        private var stamps: [Stamp]
        private var first = 0

        fileprivate init(placed: PlacedStamps, near: NearCell, isCancelled: @escaping () -> Bool) {
            self.placed = placed
            self.near = near
            self.isCancelled = isCancelled
            boxCount = placed.boxCount
            if case .kept(let kept) = placed.source {
                stamps = kept
                areKept = true
            } else {
                stamps = []
                areKept = false
            }
        }

        @inline(__always)
        mutating func next() -> Stamp? {
            while let index = nextIndex() {
                let stamp = stamps[index - first]
                if stamp.alpha > 0, stamp.size > 0 { return stamp }
            }
            return nil
        }

        /// The next one near the cell that takes anything together with the one behind it, and where it is in order.
        @inline(__always)
        mutating func nextPair() -> (index: Int, Stamp, Stamp)? {
            while let index = nextIndex(), index + 1 < placed.count {
                let (stamp, next) = (stamps[index - first], stamps[index + 1 - first])
                if stamp.alpha + next.alpha > 0 { return (index, stamp, next) }
            }
            return nil
        }

        /// Where the next one near the cell is in order.
        @inline(__always)
        private mutating func nextIndex() -> Int? {
            while index < placed.count {
                if index == nextBox {
                    nextBox += boxCount
                    guard near.meets(placed.boxes[index / boxCount]) else {
                        index = nextBox
                        continue
                    }
                    if isCancelled() { return nil }
                    if !areKept { (stamps, first) = placed.stamps(ofBox: index / boxCount) }
                }
                defer { index += 1 }
                if near.contains(stamps[index - first].center) { return index }
            }
            return nil
        }
    }
}
