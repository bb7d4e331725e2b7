import InkProtocol

/// Results that wait to be sent to the broker, in the order in which the render threads made them. When they are sent,
/// they are cut to the part size of the line.
struct ResultOutbox: Sendable {
    private enum Item: Sendable {
        /// A piece from the render thread, and how many of its bytes have been sent.
        case piece(RunID, bytes: [UInt8], sequence: UInt32, sent: Int)
        /// Follows all pieces of the run.
        case end(RunID, resultBytes: UInt64, phases: PhaseTimes)

        var run: RunID {
            switch self {
            case .piece(let run, _, _, _), .end(let run, _, _): run
            }
        }
    }

    /// Data to send next.
    enum Next {
        case part(RunID, sequence: UInt32, bytes: [UInt8])
        case end(RunID, partCount: UInt32, resultBytes: UInt64, phases: PhaseTimes)
    }

    /// A piece of which nothing has been sent.
    typealias Unsent = (bytes: [UInt8], sequence: UInt32)

    private var items: [Item] = []
    private var partsSent: [RunID: UInt32] = [:]
    /// Number of bytes to be sent.
    private(set) var byteCount = 0

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ bytes: [UInt8], sequence: UInt32, of run: RunID) {
        items.append(.piece(run, bytes: bytes, sequence: sequence, sent: 0))
        byteCount += bytes.count
    }

    mutating func end(_ run: RunID, resultBytes: UInt64, phases: PhaseTimes) {
        items.append(.end(run, resultBytes: resultBytes, phases: phases))
    }

    /// Whether the run has ended but its result has not been sent completely.
    func hasEnded(_ run: RunID) -> Bool {
        items.contains { if case .end(run, _, _) = $0 { true } else { false } }
    }

    /// Takes the next data to send; nil if there is none, or no room.
    mutating func next(_ line: inout LineWindow, now: Int64) -> Next? {
        switch items.first {
        case nil: return nil
        case .end(let run, let resultBytes, let phases):
            items.removeFirst()
            return .end(
                run, partCount: partsSent.removeValue(forKey: run) ?? 0, resultBytes: resultBytes, phases: phases)
        case .piece(let run, let bytes, let original, let sent):
            let count = min(line.partBytes, bytes.count - sent)
            guard line.hasRoom(for: count, now: UInt64(max(0, now))) else { return nil }
            line.send(count, now: UInt64(max(0, now)))
            byteCount -= count
            let sequence = partsSent[run, default: 0]
            partsSent[run] = sequence + 1
            if sent + count == bytes.count {
                items.removeFirst()
            } else {
                items[0] = .piece(run, bytes: bytes, sequence: original, sent: sent + count)
            }
            return .part(
                run, sequence: sequence, bytes: count == bytes.count ? bytes : Array(bytes[sent..<(sent + count)]))
        }
    }

    /// Discards the rest of a run's result.
    mutating func remove(_ run: RunID) -> [Unsent] { remove { $0 == run } }

    mutating func removeAll() -> [Unsent] { remove { _ in true } }

    private mutating func remove(_ isGone: (RunID) -> Bool) -> [Unsent] {
        var unsent: [Unsent] = []
        for case .piece(let run, let bytes, let sequence, let sent) in items where isGone(run) {
            byteCount -= bytes.count - sent
            if sent == 0 { unsent.append((bytes, sequence)) }
        }
        items.removeAll { isGone($0.run) }
        for run in partsSent.keys where isGone(run) { partsSent[run] = nil }
        return unsent
    }
}
