import InkProtocol

extension [JobNumber] {
    /// The shortest list of numbers and ranges: `3-17 20`.
    var shortText: String {
        var words: [String] = []
        var start: JobNumber?
        for (index, number) in enumerated() {
            let first = start ?? number
            if index + 1 < count, self[index + 1] == number &+ 1 {
                start = first
            } else {
                words.append(first == number ? "\(number)" : "\(first)-\(number)")
                start = nil
            }
        }
        return words.joined(separator: " ")
    }
}
