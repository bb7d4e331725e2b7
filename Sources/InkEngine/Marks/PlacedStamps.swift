/// The stamps of a stroke in their order, and boxes round the centres of a few at a time: most cells that meet a stroke see
/// only some of its stamps.
///
/// Where there are too many to be kept, they are placed again whenever a cell sees them: a stroke of two points may have
/// twenty million.
struct PlacedStamps: Sendable {
    let count: Int
    /// Whether every stamp's alpha is 1.
    private(set) var areOpaque = true
    /// Whether every stamp's alpha is below 1/256.
    private(set) var areFaint = true
    /// Whether all have one size and direction.
    private(set) var areAlike = true
    private var boxes: [Rect] = []
    private var source: Source

    private enum Source: Sendable {
        case kept([Stamp])
        /// For each box, the segment of the path at which its first stamp is looked for.
        case path(StampPlacer, segments: [Int32])
    }

    /// Stamps that are drawn without a look at whether they are still wanted.
    static let countAtOnce = 4096

    /// Stamps of a box.
    private var boxCount: Int { if case .kept = source { 16 } else { 64 } }

    /// - Parameters:
    ///   - keptMax: how many stamps may be kept.
    ///   - isCancelled: asked now and then; when it is so, what is made is of no use.
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

    /// Takes up the stamps of the next box.
    private mutating func take(_ stamps: ArraySlice<Stamp>, first: Stamp) {
        var box = Rect.empty
        for stamp in stamps {
            box.formUnion(stamp.center)
            areOpaque = areOpaque && stamp.alpha == 1
            areFaint = areFaint && stamp.alpha < 1.0 / 256
            areAlike = areAlike && stamp.size == first.size && stamp.along == first.along
        }
        boxes.append(box)
    }

    /// How many stamps are kept.
    var keptCount: Int { if case .kept = source { count } else { 0 } }

    /// Bytes that they take.
    var byteCount: Int {
        let boxBytes = boxes.count * MemoryLayout<Rect>.stride
        return switch source {
        case .kept(let stamps): boxBytes + stamps.count * MemoryLayout<Stamp>.stride
        case .path(let placer, let segments):
            boxBytes + placer.byteCount + segments.count * MemoryLayout<Int32>.stride
        }
    }

    /// Calls `body` with each stamp in order.
    ///
    /// - Parameter isCancelled: asked now and then; when it is so there are no more.
    @inline(__always)
    func forEach(isCancelled: () -> Bool = { false }, _ body: (Stamp) -> Void) {
        for box in boxes.indices {
            if isCancelled() { break }
            let (stamps, first) = stamps(ofBox: box)
            for index in (box * boxCount)..<min((box + 1) * boxCount, count) { body(stamps[index - first]) }
        }
    }

    /// Stamps among which are those of a box and the one behind them, and where the first of them is in order.
    private func stamps(ofBox box: Int) -> (stamps: [Stamp], first: Int) {
        switch source {
        case .kept(let stamps): return (stamps, 0)
        case .path(let placer, let segments):
            var segment = Int(segments[box])
            let first = box * boxCount
            return (placer.stamps(first..<min(first + boxCount + 1, count), from: &segment), first)
        }
    }

    /// Those near a cell, one after the other.
    ///
    /// - Parameter isCancelled: asked now and then; when it is so there are no more.
    func visible(_ near: NearCell, isCancelled: @escaping () -> Bool = { false }) -> Visible {
        Visible(placed: self, near: near, isCancelled: isCancelled)
    }

    /// The stamps near a cell that take anything.
    struct Visible: Sequence, IteratorProtocol {
        private let placed: PlacedStamps
        private let near: NearCell
        private let isCancelled: () -> Bool
        private let boxCount: Int
        private let areKept: Bool
        private var index = 0
        /// Where the next box begins.
        private var nextBox = 0
        /// Those that are looked at, and where the first of them is in order.
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
        mutating func next() -> Stamp? { nextIndex().map { stamps[$0 - first] } }

        /// The next one and the one behind it; nil when that would be behind the last one.
        @inline(__always)
        mutating func nextPair() -> (Stamp, Stamp)? {
            guard let index = nextIndex(), index + 1 < placed.count else { return nil }
            return (stamps[index - first], stamps[index + 1 - first])
        }

        /// Where the next one is in order.
        @inline(__always)
        mutating func nextIndex() -> Int? {
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
                let stamp = stamps[index - first]
                if stamp.alpha > 0 && near.contains(stamp.center) { return index }
            }
            return nil
        }
    }
}
