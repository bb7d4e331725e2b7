import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// Files that nobody would write.
@Suite struct ScoreHostileTests {
    @Test(
        "Too much of anything is an error that names the limit",
        arguments: [
            ("& " + String(repeating: "LA_4 ", count: 601) + "!t", "there are too many notes in a line"),
            (String(repeating: "& LA_4 !t\n", count: 201), "there are too many lines in a tune"),
            ("& " + String(repeating: "gg ", count: 25) + "LA_4 !t", "there are too many gracenotes before a note"),
            (
                "\"\(String(repeating: "x", count: 301))\",(I,L,0,0)\n& LA_4 !t",
                "a text has 301 characters, at most 300 are allowed"
            ),
        ])
    func limits(music: String, reason: String) throws {
        let reading = try readBWW(bww(music) + bww("& B_4 !t"))
        let error = try #require(reading.error(ofTune: 0))
        #expect(error.code == .limit && error.reason == reason)
        #expect(reading.error(ofTune: 1) == nil)
    }

    @Test func tooManyTunesAndTooManyBytesAreRefused() {
        let many = String(repeating: bww("& LA_4 !t"), count: 201)
        #expect(throws: EngineError.self) { _ = try readBWW(many) }
        let large = [UInt8](repeating: 0x20, count: ScoreLimits.fileBytes + 1)
        for name in ["t.bww", "t.pbscore"] {
            #expect(throws: EngineError.self) { _ = try ScoreFile.read(large, name: name) }
        }
    }

    @Test func warningsAreLimited() throws {
        let reading = try readBWW(bww("& " + String(repeating: "'la ", count: 2000) + "LA_4 !t"))
        #expect(reading.problems.count == ScoreLimits.warnings)
    }

    @Test func longWordsAndZerosAreSkipped() throws {
        let word = String(repeating: "!", count: 100_000)
        let reading = try readBWW(bww("& LA_4 \(word)I \u{0} B_4 !t"))
        #expect(notes(reading).count == 2)
        #expect(reading.problems.allSatisfy { $0.token.count <= 80 && $0.reason.count < 200 })
    }

    @Test("Any change to a file gives a reading or an error", arguments: 1...25 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text = randomBWW(using: &random)
        let json = ScoreFile.pbscore(try readBWW(text).document)
        for (bytes, name) in [(Array(text.utf8), "t.bww"), (json, "t.pbscore")] {
            for _ in 0..<10 {
                var changed = bytes
                for _ in 0...(random.next() % 6) {
                    let place = Int(random.next() % UInt64(changed.count))
                    switch random.next() % 4 {
                    case 0: changed[place] = UInt8(truncatingIfNeeded: random.next())
                    case 1: changed.removeSubrange(place..<min(place + Int(random.next() % 40), changed.count))
                    case 2: changed.insert(contentsOf: bytes.suffix(Int(random.next() % 60)), at: place)
                    default: changed[place] ^= 1
                    }
                    if changed.isEmpty { changed = [0x26] }
                }
                do throws(EngineError) {
                    let reading = try ScoreFile.read(changed, name: name)
                    // Whatever was read can be written and read again.
                    _ = ScoreFile.bww(reading.document)
                    let again = try? ScoreFile.read(ScoreFile.pbscore(reading.document), name: "t.pbscore")
                    #expect(again == nil || again?.document.tunes.count == reading.document.tunes.count)
                } catch {
                    #expect(!error.description.contains("\n"), "seed \(seed)")
                }
            }
        }
    }
}
