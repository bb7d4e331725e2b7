/// The stamps of a stroke in their order, and boxes round the centres of a few at a time: most cells that meet a stroke see
/// only some of its stamps.
struct PlacedStamps: Sendable {
    let all: [Stamp]
    private let boxes: [Rect]

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
    func visible(_ near: NearCell) -> Visible { Visible(stamps: self, near: near) }

    /// The stamps near a cell that take anything.
    struct Visible: Sequence, IteratorProtocol {
        private let stamps: [Stamp]
        private let boxes: [Rect]
        private let near: NearCell
        private var index = 0

        fileprivate init(stamps: PlacedStamps, near: NearCell) {
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
                if index % PlacedStamps.boxCount == 0, !near.meets(boxes[index / PlacedStamps.boxCount]) {
                    index += PlacedStamps.boxCount
                    continue
                }
                defer { index += 1 }
                let stamp = stamps[index]
                if stamp.alpha > 0 && near.contains(stamp.center) { return index }
            }
            return nil
        }
    }
}
