import InkProtocol

extension [JobNumber] {
    /// The numbers in their order, without repetitions.
    var withoutRepetitions: [JobNumber] {
        var seen: Set<JobNumber> = []
        return filter { seen.insert($0).inserted }
    }

    /// The first of them as text for people.
    var shownText: String {
        let shown = prefix(20).map(String.init).joined(separator: ", ") + (count > 20 ? ", ..." : "")
        return "\(count == 1 ? "job" : "jobs") \(shown)"
    }
}
