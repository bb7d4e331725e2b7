/// The stamps of a stroke in their order, and boxes round the centres of a few at a time: most cells that meet a stroke see
/// only some of its stamps.
struct PlacedStamps: Sendable {
    let all: [Stamp]
    private let boxes: [Rect]

    /// Stamps that are drawn without a look at whether they are still wanted.
    static let countAtOnce = 4096

    /// Stamps of a box.
    private static let boxCount = 16

    init(_ stamps: [Stamp]) {
        all = stamps
        boxes = stride(from: 0, to: stamps.count, by: PlacedStamps.boxCount).map { first in
            var box = Rect.empty
            for stamp in stamps[first..<min(first + PlacedStamps.boxCount, stamps.count)] {
                box.formUnion(stamp.center)
            }
            return box
        }
    }

    /// Those near a cell, one after the other.
    ///
    /// - Parameter isCancelled: asked now and then; when it is so there are no more.
    func visible(_ near: NearCell, isCancelled: @escaping () -> Bool = { false }) -> Visible {
        Visible(stamps: self, near: near, isCancelled: isCancelled)
    }

    /// The stamps near a cell that take anything.
    struct Visible: Sequence, IteratorProtocol {
        private let stamps: [Stamp]
        private let boxes: [Rect]
        private let near: NearCell
        private let isCancelled: () -> Bool
        private var index = 0

        fileprivate init(stamps: PlacedStamps, near: NearCell, isCancelled: @escaping () -> Bool) {
            self.isCancelled = isCancelled
            self.stamps = stamps.all
            boxes = stamps.boxes
            self.near = near
        }

        @inline(__always)
        mutating func next() -> Stamp? { nextIndex().map { stamps[$0] } }

        /// Where the next one is in `all`.
        @inline(__always)
        mutating func nextIndex() -> Int? {
            while index < stamps.count {
                if index % PlacedStamps.boxCount == 0 {
                    guard near.meets(boxes[index / PlacedStamps.boxCount]) else {
                        index += PlacedStamps.boxCount
                        continue
                    }
                    if isCancelled() { return nil }
                }
                defer { index += 1 }
                let stamp = stamps[index]
                if stamp.alpha > 0 && near.contains(stamp.center) { return index }
            }
            return nil
        }
    }
}
