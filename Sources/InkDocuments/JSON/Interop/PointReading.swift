import CJSON
import CSystem
import Dispatch
import Glibc
import InkEngine
import InkSystem
import Synchronization

/// The arrays of points in a text, read by other threads while the rest of the text is read.
///
/// The thread that takes an array's number reads it; results are used only after all arrays have been read.
final class PointReading: @unchecked Sendable {
    private let text: UnsafeBufferPointer<UInt8>
    private let pieces: UnsafeBufferPointer<ink_json_piece>
    private let coordinateMax: Double
    private let arrays: UnsafeMutableBufferPointer<[StrokePoint]>
    /// The first piece that no thread has taken.
    private let next = Atomic(0)
    private let helpers = Mutex(Helpers())
    private let areIdle = DispatchSemaphore(value: 0)

    /// The other reading threads.
    private struct Helpers {
        var count = 0
        /// Who begins only now finds nothing to do.
        var isClosed = false
    }

    /// Starts reading the pieces that are points, unless they are few or exceed the limits.
    ///
    /// - Parameters: text, pieces: must outlive this.
    init(
        of pieces: UnsafeBufferPointer<ink_json_piece>, in text: UnsafeBufferPointer<UInt8>, limits: Limits,
        coordinateMax: Double
    ) {
        self.text = text
        self.pieces = pieces
        self.coordinateMax = coordinateMax
        arrays = .allocate(capacity: pieces.count)
        arrays.initialize(repeating: [])
        let pointCount = pieces.reduce(0) { $0 + $1.count }
        guard pointCount >= Self.pointsMin, pointCount <= limits.points,
            pieces.allSatisfy({ $0.count <= limits.pointsPerStroke })
        else { return }
        for _ in 0..<max(0, min(Self.helpersMax, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1)) {
            // Without helpers the calling thread reads everything.
            let helper = try? PosixThread("point-reader", stackBytes: Self.stackBytes) { [self] in help() }
            guard let helper else { return }
            helper.detach()
        }
    }

    deinit {
        arrays.deinitialize()
        arrays.deallocate()
    }

    /// Fewer points than this are read faster by one thread.
    private static let pointsMin = 8192
    private static let helpersMax = 15
    private static let stackBytes = 1 << 20

    /// Reads the remaining pieces and waits for the other threads. Returns the points of each piece; none if it is
    /// invalid or not points.
    func finish() -> UnsafeBufferPointer<[StrokePoint]> {
        read()
        close()
        return UnsafeBufferPointer(arrays)
    }

    /// Cancels reading; returns when no thread reads any more.
    func stop() {
        next.store(pieces.count, ordering: .relaxed)
        close()
    }

    private func help() {
        let isWanted = helpers.withLock { helpers in
            helpers.count += helpers.isClosed ? 0 : 1
            return !helpers.isClosed
        }
        guard isWanted else { return }
        ink_use_huge_pages()
        read()
        let isLast = helpers.withLock { helpers in
            helpers.count -= 1
            return helpers.isClosed && helpers.count == 0
        }
        if isLast { areIdle.signal() }
    }

    /// Waits for threads that have started reading, not for those that have not run yet.
    private func close() {
        let areBusy = helpers.withLock { helpers in
            helpers.isClosed = true
            return helpers.count > 0
        }
        if areBusy { areIdle.wait() }
    }

    private func read() {
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < pieces.count else { return }
            if pieces[index].count > 0 { arrays[index] = points(of: pieces[index]) }
        }
    }

    private func points(of piece: ink_json_piece) -> [StrokePoint] {
        let point = StrokePoint(x: 0, y: 0)
        let defaults = (point.pressure, point.timestamp, point.altitude, point.azimuth)
        return [StrokePoint](unsafeUninitializedCapacity: piece.count) { points, count in
            let start = UnsafeMutableRawPointer(points.baseAddress)?.assumingMemoryBound(to: Double.self)
            guard let start, let base = text.baseAddress else { return }
            let read = withUnsafeBytes(of: defaults) { defaults in
                let values = defaults.assumingMemoryBound(to: Double.self).baseAddress
                return ink_json_read_points(
                    base + piece.offset, piece.length, coordinateMax, values, start, piece.count)
            }
            if read == piece.count { count = read }
        }
    }
}
