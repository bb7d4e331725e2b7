/// Which of a name's addresses a connection is made to: one that has answered again, else the next one each time.
struct AddressTurns {
    /// Whether the present one has answered; set by the caller.
    var hasAnswered = false
    private var present: String?
    /// Those that have been tried since one answered.
    private var tried: Set<String> = []

    /// - Parameter answering: one of them where somebody takes connections now; asked before the first try only.
    mutating func next(of addresses: [String], answering: () -> String?) -> String {
        if hasAnswered { tried = [] }
        let isFirst = tried.isEmpty
        if tried.isSuperset(of: addresses) { tried = [] }
        let untried = addresses.filter { !tried.contains($0) }
        let next: String
        if hasAnswered, let present, untried.contains(present) {
            next = present
        } else {
            next = (isFirst ? answering() : nil) ?? untried[0]
        }
        tried.insert(next)
        present = next
        hasAnswered = false
        return next
    }
}
