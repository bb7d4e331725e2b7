import Synchronization

/// Errors of a command by cause, so that a thousand of one kind do not hide one of another.
final class ErrorGroups: Sendable {
    private struct Group {
        /// The first error without its subject.
        var cause: String
        var count = 0
        /// The subjects of the first errors that were not printed.
        var subjects: [String] = []
    }

    /// The number of errors of one cause that are printed individually.
    static let saidCount = 5
    private static let subjectCount = 10

    private let groups = Mutex((byKey: [String: Int](), all: [Group]()))

    /// Counts an error; returns whether to print it.
    func take(_ message: String) -> Bool {
        let (subject, cause) = Self.split(message)
        return groups.withLock { groups in
            let index = groups.byKey[Self.key(cause)] ?? groups.all.count
            if index == groups.all.count {
                groups.byKey[Self.key(cause)] = index
                groups.all.append(Group(cause: cause))
            }
            groups.all[index].count += 1
            if groups.all[index].count <= Self.saidCount { return true }
            if !subject.isEmpty, groups.all[index].subjects.count < Self.subjectCount {
                groups.all[index].subjects.append(subject)
            }
            return false
        }
    }

    /// A line for each cause with errors that were not printed; then starts over.
    func takeRemaining() -> [String] {
        groups.withLock { groups in
            defer { groups = ([:], []) }
            return groups.all.compactMap { group in
                let count = group.count - Self.saidCount
                guard count > 0 else { return nil }
                let named = group.subjects.joined(separator: ", ") + (count > group.subjects.count ? ", ..." : "")
                let list = group.subjects.isEmpty ? "" : " (\(named))"
                return "\(count) more like it\(list): \(group.cause)"
            }
        }
    }

    /// The file or job that a message begins with, and the rest of it.
    private static func split(_ message: String) -> (subject: String, cause: String) {
        guard let colon = message.firstRange(of: ": ") else { return ("", message) }
        return (String(message[..<colon.lowerBound]), String(message[colon.upperBound...]))
    }

    /// Equal for all errors of a cause: the message without numbers and quotations.
    static func key(_ cause: String) -> String {
        var key = ""
        var isQuoted = false
        for character in cause {
            if character == "\"" { isQuoted.toggle() }
            let isNumber = character.isASCII && character.isNumber
            if isQuoted && character != "\"" || isNumber && key.hasSuffix("#") { continue }
            key.append(isNumber ? "#" : character)
        }
        return key
    }
}
