import Synchronization

/// The trace that a request belongs to, as its header `traceparent` says (W3C Trace Context).
struct TraceContext: Hashable, Sendable {
    /// 32 hexadecimal digits.
    var trace: String
    /// The span that made the request, 16 hexadecimal digits.
    var parent: String

    /// nil for a header that is none; it is then ignored, as the standard asks.
    init?(_ header: String?) {
        guard let parts = header?.split(separator: "-", omittingEmptySubsequences: false), parts.count >= 4,
            parts[0].count == 2, parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isNumber(parts[1], digits: 32), Self.isNumber(parts[2], digits: 16)
        else { return nil }
        trace = String(parts[1])
        parent = String(parts[2])
    }

    private static func isNumber(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits && text.contains { $0 != "0" }
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

/// The traces of the last batches that came with one.
package final class Traces: Sendable {
    private static let keptMax = 10_000

    private struct State {
        var contexts: [[UInt8]: TraceContext] = [:]
        /// The batches among them, oldest first.
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// To be called before the batch is submitted: its jobs may end at once.
    func note(_ context: TraceContext, batch: [UInt8]) {
        state.withLock { state in
            if state.contexts.updateValue(context, forKey: batch) == nil { state.order.append(batch) }
            guard state.order.count > Self.keptMax else { return }
            for old in state.order.prefix(Self.keptMax / 2) { state.contexts[old] = nil }
            state.order.removeFirst(Self.keptMax / 2)
        }
    }

    func context(ofBatch batch: [UInt8]) -> TraceContext? { state.withLock { $0.contexts[batch] } }
}
