import Foundation
import Testing

/// How often files that are older than a rule may break it, by their names, which stay when files move.
struct Allowances {
    /// By rule and file.
    private var counts: [String: [String: Int]] = [:]

    /// - Parameter text: a line for each rule and file: count, file and rule, between tabs.
    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 3, let count = Int(parts[0]) else {
                Issue.record("\(Repository.allowancesPath): must be count, file and rule: \(line)")
                continue
            }
            counts[parts[2], default: [:]][parts[1]] = count
        }
    }

    /// The list without what is no longer needed.
    func shrunk(to findings: (Rule) -> [Finding]) -> String {
        let lines = Rule.all.flatMap { rule in
            Dictionary(grouping: findings(rule), by: \.file.name).compactMap { file, findings in
                counts[rule.name]?[file].map { "\(min($0, findings.count))\t\(file)\t\(rule.name)" }
            }.sorted { $0.drop { $0 != "\t" } < $1.drop { $0 != "\t" } }
        }
        return Self.head + lines.joined(separator: "\n") + "\n"
    }

    private static let head = """
        # Count, file, rule: how often a file that is older than a rule may break it. TIDY_UPDATE=1 shrinks this list.

        """

    /// What is wrong with these findings of a rule: those beyond the allowance of their file, and allowances that are
    /// larger than needed.
    func problems(_ findings: [Finding], of rule: String) -> [String] {
        let found = Dictionary(grouping: findings, by: \.file.name)
        let allowed = counts[rule, default: [:]]
        var problems: [String] = []
        for (file, findings) in found where findings.count > allowed[file, default: 0] {
            let old = allowed[file].map { " (\($0) of these \(findings.count) are old)" } ?? ""
            problems += findings.map { $0.description + old }
        }
        for (file, count) in allowed where found[file, default: []].count < count {
            let left = found[file, default: []].count
            problems.append(
                "\(Repository.allowancesPath): \(rule): \(left == 0 ? "strike out" : "write \(left) for") \(file), not \(count)"
            )
        }
        return problems.sorted()
    }
}

@Suite("Rules of the house")
struct TidyTests {
    private static let repository = Result { try Repository() }

    private static let allowances = Result {
        Allowances(try #require(try repository.get().files.first { $0.path == Repository.allowancesPath }).text)
    }

    @Test(arguments: Rule.all)
    func holds(_ rule: Rule) throws {
        for problem in try Self.allowances.get().problems(rule.check(Self.repository.get()), of: rule.name) {
            Issue.record(Comment(rawValue: problem))
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["TIDY_UPDATE"] != nil))
    func shrinkAllowances() throws {
        let repository = try Self.repository.get()
        let text = try Self.allowances.get().shrunk { $0.check(repository) }
        try text.write(
            to: Repository.root.appendingPathComponent(Repository.allowancesPath), atomically: true, encoding: .utf8)
    }

    @Test(arguments: Rule.all)
    func findsWhatIsBad(_ rule: Rule) {
        for example in rule.bad { #expect(rule.check(Repository(example)).count == 1, "\(example)") }
        for example in rule.good { #expect(rule.check(Repository(example)) == []) }
        #expect(!rule.bad.isEmpty && !rule.good.isEmpty)
    }

    @Test func allowancesOnlyShrink() {
        let file = Repository.File(path: "Sources/A.swift", text: "")
        let findings = [Finding(file: file, line: 3, advice: "one"), Finding(file: file, line: 4, advice: "two")]
        let allowances = Allowances("# Comment\n2\tA.swift\trule\n")
        #expect(allowances.problems(findings, of: "rule") == [])
        #expect(allowances.problems(findings, of: "other") == ["Sources/A.swift:3: one", "Sources/A.swift:4: two"])
        #expect(allowances.problems([findings[0]], of: "rule").first?.contains("write 1 for A.swift, not 2") == true)
        #expect(allowances.problems([], of: "rule").first?.contains("strike out A.swift") == true)
    }
}
