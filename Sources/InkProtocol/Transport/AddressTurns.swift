/// Chooses which of a host's addresses to connect to: the same again if it has answered, else the next one each time.
struct AddressTurns {
    /// Whether the current address has answered; set by the caller.
    var hasAnswered = false
    private var present: String?
    /// Addresses tried since one answered.
    private var tried: Set<String> = []

    /// - Parameter answering: returns an address that accepts connections now; called only before the first attempt.
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
