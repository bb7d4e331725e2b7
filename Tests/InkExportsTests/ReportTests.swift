import Dispatch
import InkSystem
import InkJSON
import InkEngine
import InkTestSupport
import Synchronization
import Testing

@testable import InkExports

struct ReportTests {
    @Test(arguments: 0..<50)
    func jsonIsReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, &random)
        let text = value.text()
        let read = try JSONReader.read(Array(text.utf8))
        #expect(read.text() == text, "seed \(seed)")
    }

    @Test(arguments: 0..<50)
    func damagedJSONIsRefusedOrRead(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let whole = Array(Self.value(depth: 0, &random).text().utf8)
        for length in 0..<min(whole.count, 200) { _ = try? JSONReader.read(Array(whole[..<length])) }
        #expect(throws: JSONReader.Failure.self, "seed \(seed)") { try JSONReader.read(Array("[".utf8) + whole) }
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int.random(in: -1000...1_000_000_000_000, using: &random))
        case 3: return .number(Double.random(in: -1...1, using: &random))
        case 4:
            let alphabet: [Unicode.Scalar] = ["a", "\"", "\\", "\n", "\u{1}", "é", "😀", "/"]
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                text.append(alphabet.randomElement(using: &random) ?? "a")
            }
            return .string(String(text))
        case 5, 6:
            return .array((0..<Int.random(in: 0..<6, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            return .object(
                (0..<Int.random(in: 0..<6, using: &random)).map { ("k\($0)", value(depth: depth + 1, &random)) })
        }
    }

    @Test func deepJSONIsRefused() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONReader.Failure.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test(arguments: [("\\ud83d\\ude00", "😀"), ("\\u00e9", "é"), ("\\/\\b", "/\u{8}")])
    func escapesAreRead(written: String, text: String) throws {
        #expect(try JSONReader.read(Array("\"\(written)\"".utf8)).string == text)
    }

    @Test(arguments: [
        "\"\\ud83d\"", "\"\\udc00\"", "\"\\ud83dx\"", "\"\\x\"", "01x", "nan", "+", "{\"a\" 1}", "[1,]", "1 2",
    ])
    func wrongJSONIsRefused(text: String) {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test func percentilesAreNearestRank() {
        let values = (1...20).map(Double.init)
        #expect(ExportSummary.percentile(values, 50) == 10)
        #expect(ExportSummary.percentile(values, 95) == 19)
        #expect(ExportSummary.percentile([7], 95) == 7)
        #expect(ExportSummary.percentile([], 50) == nil)
    }

    @Test(arguments: [
        (2999.0, 2048, 1024, 0), (3001.0, 2048, 2048, 1), (6900.0, 2048, 2048, 2), (11_999.0, 4096, 4096, 0),
        (12_001.0, 4096, 4096, 1), (2999.0, 64, 64, 0), (3001.0, 64, 64, 1),
    ])
    func tiersGrowWithThePixelsAbove2K(milliseconds: Double, width: Int, height: Int, tier: Int) {
        #expect(DeviceTiers.tier(milliseconds: milliseconds, pixels: PixelSize(width: width, height: height)) == tier)
    }

    @Test func whatIsTooSlowHasNoTier() {
        #expect(DeviceTiers.tier(milliseconds: 7001, pixels: PixelSize(width: 2048, height: 2048)) == nil)
    }

    @Test func numbersAreShort() {
        #expect(Shown.duration(milliseconds: 12.3) == "12 ms")
        #expect(Shown.duration(milliseconds: 3210) == "3.2 s")
        #expect(Shown.duration(milliseconds: 245_000) == "4:05")
        #expect(Shown.duration(milliseconds: 7_807_000) == "2:10:07")
        #expect(Shown.scaled(12_340_000, unit: "pixels/s") == "12.3 Mpixels/s")
        #expect(Shown.scaled(920, unit: "pixels/s") == "920 pixels/s")
        #expect(Shown.decimal(0.05, places: 2) == "0.05")
        #expect(Shown.decimal(-1.25, places: 1) == "-1.3")
    }

    @Test func reportsReplaceInOneStep() throws {
        let folder = ScratchFolder()
        folder.file("r.json", "old")
        try FileSystem.writeAtomically(Array("new".utf8), to: folder("r.json"))
        #expect(folder.text("r.json") == "new")
        #expect(folder.files == ["r.json"])
        try FileSystem.writeAtomically(Array("new".utf8), to: folder("missing/r.json"))
        #expect(folder.text("missing/r.json") == "new")
        #expect(throws: EngineError.self) { try FileSystem.writeAtomically([], to: folder("r.json/r.json")) }
    }
}

struct RunTests {
    @Test(
        arguments: [("max 100000", nil), ("150000 100000", 1.5), ("garbage", nil), ("0 0", nil)] as [(String, Double?)])
    func controlGroupQuotaIsRead(text: String, cores: Double?) {
        #expect(UsableCores.cores(cpuMax: text) == cores)
    }

    @Test func thereIsACore() { #expect(UsableCores.count() >= 1) }

    @Test func gateLetsALargeProjectInAlone() {
        let gate = ReadAheadGate(countMax: 2, byteCountMax: 10)
        #expect(gate.enter(byteCount: 100))
        gate.leave(byteCount: 100)
        #expect(gate.enter(byteCount: 5))
        #expect(gate.enter(byteCount: 5))
        gate.close()
        #expect(!gate.enter(byteCount: 0))
    }

    @Test func gateLetsAllWhoWaitPassOrTurnsThemAway() {
        let gate = ReadAheadGate(countMax: 1, byteCountMax: 10)
        let passed = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            guard gate.enter(byteCount: 1) else { return }
            passed.withLock { $0 += 1 }
            gate.leave(byteCount: 1)
        }
        #expect(passed.withLock { $0 } == 16)
        #expect(gate.enter(byteCount: 1))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { gate.close() }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            if gate.enter(byteCount: 1) { passed.withLock { $0 += 1 } }
        }
        #expect(passed.withLock { $0 } == 16)
    }

    @Test(
        arguments: [
            ([], ExitCode.done), ([.badInput, .badInput], .badInput), ([.badInput, .inputOutput], .exportFailed),
        ] as [([ExitCode], ExitCode)])
    func exitCodesCombine(failures: [ExitCode], combined: ExitCode) {
        #expect(ExitCode.combining(failures) == combined)
    }

    @Test("What is cancelled has not failed by a defect")
    func cancelledPicture() {
        let cancelled = PictureFailure(kind: .exportFailed, reason: "cancelled")
        #expect(PictureFailure(EngineError.cancelled) == cancelled)
    }

    @Test func exitCodesAreThoseOfSysexits() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 69, 70, 71, 72, 74, 77, 78, 129, 130, 141, 143])
    }

    @Test func controlCharactersAreWrittenOut() {
        #expect("a\nb\u{1b}[2J\u{2028}é".escapingControls() == "a\\nb\\u{1b}[2J\\u{2028}é")
    }
}
