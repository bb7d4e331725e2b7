import CKernels

/// Points one after the other, each at most a pixel from the last either way, in the form that kernels take: an outline,
/// or a part of one, that is drawn at many places.
struct EdgeChain {
    /// A larger outline is not worth being kept and would not fit whole numbers, output pixels.
    static let reachMax = 8192.0

    private var columns: [Float] = []
    /// 1/65,536 row.
    private var rows: [Int32] = []
    private var edgeCount = 0

    /// - Parameter points: output pixels, from where the chain is to be put on; at most `reachMax` away.
    init(_ points: some Collection<Point>) {
        guard var last = points.first else { return }
        append(last)
        for point in points.dropFirst() {
            let step = point - last
            // A little more than enough, so that rounding makes no piece longer than a pixel.
            let pieces = max(1, (max(abs(step.x), abs(step.y)) * 1.001).rounded(.up))
            for piece in 1..<max(1, Int(pieces)) { append(last + (Double(piece) / pieces) * step) }
            append(point)
            last = point
        }
        edgeCount = columns.count - 1
        let padding = (8 - edgeCount % 8) % 8 + 8
        columns += repeatElement(columns[edgeCount], count: padding)
        rows += repeatElement(rows[edgeCount], count: padding)
    }

    private mutating func append(_ point: Point) {
        columns.append(Float(point.x))
        rows.append(Int32((point.y * 65_536).rounded()))
    }

    /// Calls `body` with the chain as kernels take it; not for an empty chain.
    func withKernelChain(_ body: (UnsafePointer<ink_chain>) -> Void) {
        guard edgeCount > 0 else { return }
        columns.withUnsafeBufferPointer { columns in
            rows.withUnsafeBufferPointer { rows in
                guard let x = columns.baseAddress, let y = rows.baseAddress else { return }
                withUnsafePointer(to: ink_chain(x: x, y: y, count: Int32(edgeCount)), body)
            }
        }
    }
}
