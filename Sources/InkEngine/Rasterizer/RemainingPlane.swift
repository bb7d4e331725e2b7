/// What strokes of one colour leave of the pixels under them: T = product of (1 - alpha * coverage), 1 where nothing
/// was drawn. Colour is applied once for all of them.
final class RemainingPlane {
    /// The cell's width, pixels; also the stride.
    private(set) var width = 0
    private(set) var height = 0
    let values: UnsafeMutablePointer<Float>
    private let capacity: Int
    /// The columns of each row in which a value may differ from 1; empty when first >= end.
    private let firstDrawn: UnsafeMutablePointer<Int32>
    private let endDrawn: UnsafeMutablePointer<Int32>
    private let maxHeight: Int

    init(maxWidth: Int, maxHeight: Int) {
        capacity = maxWidth * maxHeight
        self.maxHeight = maxHeight
        values = .allocate(capacity: capacity)
        values.initialize(repeating: 1, count: capacity)
        firstDrawn = .allocate(capacity: maxHeight)
        firstDrawn.initialize(repeating: .max, count: maxHeight)
        endDrawn = .allocate(capacity: maxHeight)
        endDrawn.initialize(repeating: 0, count: maxHeight)
    }

    deinit {
        values.deallocate()
        firstDrawn.deallocate()
        endDrawn.deallocate()
    }

    /// Sets the size; all values must be 1.
    func resize(width: Int, height: Int) {
        precondition(width * height <= capacity && height <= maxHeight, "the cell is too large")
        self.width = width
        self.height = height
    }

    /// The values of a row.
    func row(_ row: Int) -> UnsafeMutablePointer<Float> { values + row * width }

    /// Says that the columns first..<end of a row may differ from 1.
    func markDrawn(row: Int, from first: Int, to end: Int) {
        firstDrawn[row] = min(firstDrawn[row], Int32(first))
        endDrawn[row] = max(endDrawn[row], Int32(end))
    }

    /// Calls `body` with each row's drawn columns (row, first, end), then sets their values to 1 again.
    func drain(_ body: (_ row: Int, _ first: Int, _ end: Int) -> Void) {
        for row in 0..<height where firstDrawn[row] < endDrawn[row] {
            let first = Int(firstDrawn[row])
            let end = Int(endDrawn[row])
            body(row, first, end)
            (values + row * width + first).update(repeating: 1, count: end - first)
            firstDrawn[row] = .max
            endDrawn[row] = 0
        }
    }
}
