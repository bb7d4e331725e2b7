import InkEngine
import InkExports
import InkJSON
import InkProtocol

/// The jobs that a command line names: numbers, ranges (`3-17`), and `-` for standard input, which contains the same or
/// the output of `ink submit`, with or without `--json`.
enum JobList {
    /// The most jobs in one command.
    static let countMax = 1_000_000
    /// The longest list on standard input, bytes.
    static let bytesMax = 64 << 20

    /// The numbers in order, without repetitions.
    ///
    /// - Parameters:
    ///   - submissions: gets what jobs were made of, if standard input has it.
    ///   - standardInput: its text; called at most once.
    /// - Throws: `usage`; `engine` when standard input cannot be read.
    static func read(
        _ texts: [String], submissions: inout [JobNumber: ContentID], standardInput: () throws(EngineError) -> [UInt8]
    ) throws(CommandError) -> [JobNumber] {
        var jobs: [JobNumber] = []
        var known: Set<JobNumber> = []
        var hasRead = false
        func add(_ text: String, _ place: String) throws(CommandError) {
            for number in try range(text, place) where known.insert(number).inserted {
                guard jobs.count < countMax else { throw .usage("\(place): more than \(countMax) jobs") }
                jobs.append(number)
            }
        }
        for text in texts {
            guard text == "-" else {
                try add(text, "JOB")
                continue
            }
            if hasRead { throw .usage("standard input (-) can be read only once") }
            hasRead = true
            let bytes = try CommandError.wrapping(try standardInput())
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                if let (job, submission) = try submitted(line) {
                    try add(String(job), "standard input")
                    submissions[job] = submission
                    continue
                }
                // Behind a tab stands a name, as "ink submit" prints it.
                let numbers = line.prefix { $0 != "\t" }
                for word in numbers.split(whereSeparator: \.isWhitespace) { try add(String(word), "standard input") }
            }
        }
        return jobs
    }

    static func read(
        _ texts: [String], standardInput: () throws(EngineError) -> [UInt8]
    ) throws(CommandError) -> [JobNumber] {
        var submissions: [JobNumber: ContentID] = [:]
        return try read(texts, submissions: &submissions, standardInput: standardInput)
    }

    /// A line of `ink submit --json`; nil for a line of numbers.
    private static func submitted(_ line: Substring) throws(CommandError) -> (JobNumber, ContentID?)? {
        guard line.first(where: { !$0.isWhitespace }) == "{" else { return nil }
        // Whatever the error, this is not a line of `ink submit --json`.
        guard let value = try? JSONReader.read(Array(line.utf8)),
            let job = value["job"]?.integer.flatMap({ JobNumber(exactly: $0) }), job > 0
        else { throw .usage("standard input: \"\(line.prefix(60))\" is not a line of \"ink submit --json\"") }
        return (job, value["submission"]?.string.flatMap { ContentID(hexadecimal: $0) })
    }

    /// One number.
    static func number(_ text: String, place: String = "JOB") throws(CommandError) -> JobNumber {
        guard let number = digits(text) else {
            throw .usage("\(place): \"\(text)\" is not a job number (\"ink jobs\" lists them)")
        }
        return number
    }

    private static func range(
        _ text: String, _ place: String
    ) throws(CommandError) -> ClosedRange<JobNumber> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2, let first = ends.first.flatMap({ digits(String($0)) }),
            let last = ends.last.flatMap({ digits(String($0)) }),
            first <= last
        else {
            throw .usage("\(place): \"\(text)\" is not a job number or a range such as 3-17 (\"ink jobs\" lists them)")
        }
        guard last - first < UInt64(countMax) else { throw .usage("\(place): \(text) is more than \(countMax) jobs") }
        return first...last
    }

    private static func digits(_ text: String) -> JobNumber? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = JobNumber(text), number > 0 else {
            return nil
        }
        return number
    }
}

/// Priorities as people write them.
enum PriorityText {
    private static let names = [
        ("bulk", JobPriority.bulk), ("normal", JobPriority.normal), ("urgent", JobPriority.urgent),
    ]

    /// -10 to 10, or a name.
    static func read(_ text: String, option: String) throws(CommandError) -> Int {
        if let named = names.first(where: { $0.0 == text }) { return named.1 }
        guard let number = Int(text), JobPriority.range.contains(number) else {
            throw .usage(
                "\(option): \"\(text)\" is not a whole number from \(JobPriority.range.lowerBound) to "
                    + "\(JobPriority.range.upperBound), bulk, normal or urgent")
        }
        return number
    }

    /// The name of a priority, if it has one.
    static func text(_ priority: Int) -> String { names.first { $0.1 == priority }?.0 ?? String(priority) }
}
