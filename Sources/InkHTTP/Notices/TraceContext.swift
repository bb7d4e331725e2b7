import Synchronization
import InkProtocol

/// The trace that a request belongs to, as its header `traceparent` says (W3C Trace Context).
struct TraceContext: Hashable, Sendable {
    /// 32 hexadecimal digits.
    var trace: String
    /// Of the span that made the request, 16 hexadecimal digits.
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

/// The traces of jobs that have not ended.
package final class Traces: Sendable {
    private static let keptMax = 100_000
    private let contexts = Mutex<[JobNumber: TraceContext]>([:])

    package init() {}

    func note(_ context: TraceContext, _ jobs: [JobNumber]) {
        contexts.withLock { contexts in
            for job in jobs where contexts.count < Self.keptMax { contexts[job] = context }
        }
    }

    func take(_ job: JobNumber) -> TraceContext? { contexts.withLock { $0.removeValue(forKey: job) } }
}
