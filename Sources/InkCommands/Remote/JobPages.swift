import InkExports
import InkJSON
import InkProtocol

/// A broker's list of jobs, which it gives in pages.
enum JobPages {
    /// As `ink jobs --state` takes them.
    static let states = ["queued", "running", "paused", "ending", "finished", "failed", "cancelled"]

    private static let pageCount = 1000

    /// Calls `take` with each job of the broker, in the order of their numbers.
    static func read(
        _ connection: any FarmConnection, timeoutMilliseconds: Int, _ take: (JSONValue) throws(CommandError) -> Void
    ) throws(CommandError) {
        var last: JobNumber = 0
        while true {
            let page = try connection.answer(
                .jobs(after: last, limit: pageCount), timeoutMilliseconds: timeoutMilliseconds)
            let jobs = page["jobs"]?.array ?? []
            for job in jobs { try take(job) }
            // A broker that gives the same page again would be asked for ever.
            guard case .bool(true)? = page["more"],
                let next = jobs.last?["job"]?.integer.flatMap({ JobNumber(exactly: $0) }), next > last
            else { return }
            last = next
        }
    }
}
