import InkBroker
import InkCodecs
import InkEngine
import InkPlanning
import InkTestSupport
import Testing

@testable import InkExports

@Suite("Parts of a run")
struct ShardTests {
    private func arguments(_ name: String, output: String? = "out", layers: LayerChoice = .visible) throws
        -> ExportArguments
    {
        ExportArguments(
            paths: ["PATH"], output: output, sizes: [try #require(ExportSize("2k"))], name: try NameTemplate(name),
            options: PictureOptions(), layers: layers, ifExists: nil, run: RunArguments())
    }

    @Test(
        "I/N is read, and anything else refused",
        arguments: [
            "", "/", "3", "8/8", "-1/8", "1/0", "0/1000001", "1/2/3", "+1/2", " 1/2", "٣/8",
            "99999999999999999999/99999999999999999999",
        ])
    func refused(text: String) {
        #expect { try Shard(text) } throws: { ($0 as? ExportError)?.exitCode == .usage }
    }

    @Test func wholeRangeIsTaken() throws {
        #expect(try Shard("0/1").contains(ExportInput(path: "a")))
        let last = try Shard("999999/1000000")
        #expect((last.index, last.count) == (999_999, 1_000_000))
        #expect(Shard(index: 1, count: 1) == nil && Shard(index: 0, count: 0) == nil)
    }

    /// From `sha256sum` and a calculator: parts must not move with a version of the program.
    @Test(
        "The part of a name is its SHA-256 as a number, modulo the count",
        arguments: [
            ("a.ink", 8, 5), ("drawings/owl.ink", 64, 21), ("ä é.psd", 7, 1), ("x", 1, 0),
            ("sub/b.ink", 1000000, 73630),
        ])
    func assignment(name: String, count: Int, part: Int) {
        #expect(Shard.part(of: name, count: count) == part)
    }

    @Test("Each input is in one part, whatever else is listed and in whatever order", arguments: 0..<20)
    func partition(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = (0..<Int.random(in: 1...200, using: &random)).map {
            "drawing \($0) \(UInt32.random(in: 0...UInt32.max, using: &random)).ink"
        }
        let count = Int.random(in: 1...40, using: &random)
        func parts(_ names: [String]) -> [[String]] {
            (0..<count).map { index in
                let shard = Shard(index: index, count: count)
                return names.filter { shard?.contains(ExportInput(path: $0)) == true }.sorted()
            }
        }
        let all = parts(names)
        #expect(all.joined().sorted() == names.sorted())
        let fewer = names.shuffled(using: &random).dropLast(names.count / 3)
        let kept = Set(fewer)
        #expect(parts(Array(fewer)) == all.map { $0.filter(kept.contains) })
    }

    @Test func foundInputsAreNamedBelowTheirFolder() throws {
        let folder = ScratchFolder()
        folder.file("one/sub/a.ink")
        folder.file("two/sub/a.ink")
        let inputs = try ["one", "two/", "one/sub/a.ink"].flatMap { try InputFinder.find([folder($0)]) }.map { found in
            guard case .input(let input) = found else { throw EngineError.cancelled }
            return input
        }
        #expect(inputs.map(\.nameInRun) == ["sub/a.ink", "sub/a.ink", folder("one/sub/a.ink")])
    }

    @Test("A plan is known by the names of its inputs, in any order")
    func plan() {
        let inputs = ["b", "a", "c/d"].map { ExportInput(path: $0) }
        // printf 'a\0b\0c/d\0' | sha256sum
        #expect(Shard.plan(of: inputs) == "184f6ed71d7c1ff1f0fd7b0ef82f4a535709afbb7c5dd87c9e04efa96ed5fe55")
        #expect(Shard.plan(of: inputs.reversed()) == Shard.plan(of: inputs))
        #expect(Shard.plan(of: Array(inputs.dropLast())) != Shard.plan(of: inputs))
    }

    // MARK: - Names that lie in the contents

    @Test("What may collide is found by beginnings of names", arguments: 0..<50)
    func ambiguousAreFound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let claims: [[ClaimedName]] = (0..<30).map { _ in
            (0..<Int.random(in: 1...2, using: &random)).map { _ in
                let letters = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    "abA".randomElement(using: &random) ?? "a"
                }
                return ClaimedName(path: String(letters), isOpen: Bool.random(using: &random))
            }
        }
        var expected: Set<Int> = []
        for (a, ones) in claims.enumerated() {
            for (b, others) in claims.enumerated() where a != b {
                for one in ones {
                    for other in others {
                        let (x, y) = (one.path.lowercased(), other.path.lowercased())
                        if x == y || one.isOpen && y.hasPrefix(x) { expected.formUnion([a, b]) }
                    }
                }
            }
        }
        #expect(Shard.ambiguous(claims) == expected)
    }

    @Test("Only documents whose pictures may share a name are read by all parts")
    func ambiguousInputs() throws {
        let inputs = ["a.ink", "b.ink", "a-sky.ink", "x/a.ink", "ab.ink"].map { ExportInput(path: $0) }
        func ambiguous(_ name: String, output: String? = "out") throws -> Set<Int> {
            Shard.ambiguous(inputs, try arguments(name, output: output, layers: .each)) { $0 }
        }
        // All but x/a.ink's are written to one folder without -o.
        #expect(try ambiguous("{name}-{layer}.png", output: nil) == [0, 2])
        #expect(try ambiguous("{name}-{layer}.png") == [0, 2, 3])
        #expect(try ambiguous("{layer}.png") == [0, 1, 2, 3, 4])
        #expect(try Shard.ambiguous(inputs, arguments("{name}.png")) { $0 } == [])
    }

    @Test func namesThatOnlyAWholeRunKnowsAreRefused() throws {
        for (name, inputs, isRefused) in [
            ("{title}.png", [ExportInput(path: "a.ink")], true),
            ("{id}-{name}.png", [ExportInput(path: "a.ink")], true),
            ("{n}.png", [ExportInput(path: "in/a.ink", isFound: true)], true),
            ("{n}.png", [ExportInput(path: "a.ink")], false),
            ("{name}.png", [ExportInput(path: "in/a.ink", isFound: true)], false),
        ] {
            var arguments = try arguments(name)
            try arguments.checkShard(inputs)
            arguments.run.shard = try Shard("0/2")
            do throws(ExportError) {
                try arguments.checkShard(inputs)
                #expect(!isRefused, "\(name)")
            } catch {
                #expect(isRefused && error.exitCode == .usage, "\(name): \(error)")
            }
        }
    }

    @Test(
        "Engines stop where no further try helps",
        arguments: [
            ([], ExitCode.done), ([.badInput], .badInput), ([.badInput, .codecUnavailable, .forbidden], .badInput),
            ([.inputOutput], .inputOutput), ([.badInput, .inputOutput], .exportFailed),
            ([.inputOutput, .unreachable], .exportFailed), ([.configuration, .usage], .usage),
            ([.exportFailed, .badInput], .exportFailed),
        ] as [([ExitCode], ExitCode)])
    func exitCodes(failures: [ExitCode], combined: ExitCode) {
        #expect(ExitCode.combiningInShard(failures) == combined)
    }
}
