import InkEngine
import InkExports
import InkJSON
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands

/// `import` and `inspect` of pipe band scores.
struct ScoreCommandsTests {
    private func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        return (InkCommands.run(arguments, environment), transcript)
    }

    private static let tune = """
        Bagpipe Reader:1.0
        "Tune",(T,L,0,0,Times New Roman,16,700,0,0,18,0,0,0)
        "6/8 March",(Y,C,0,0,Times New Roman,14,400,0,0,18,0,0,0)
        & sharpf sharpc 6_8 I! gg LA_4 foo dbb B_8 thrd D_4 'd ! C_2 'c !I

        """

    @Test func aScoreGoesToTheOtherFormatAndBack() throws {
        let folder = ScratchFolder()
        let file = folder.file("tune.bww", Self.tune)
        let (code, transcript) = run(["import", file, "-o", folder("out")])
        #expect(code == .done && transcript.output == "1 score in \(folder("out"))\n", "\(transcript.error)")
        #expect(transcript.error.contains("line 4, column 32: unknown: \"foo\", skipped (W_UNKNOWN_TOKEN)"))
        #expect(run(["import", folder("out/tune.pbscore"), "-o", folder("back")]).code == .done)
        let back = String(decoding: try FileSystem.read(folder("back/tune.bww"), limitBytes: 1 << 16), as: UTF8.self)
        #expect(back.contains("& sharpf sharpc 6_8 I! gg LA_4 dbb B_8 thrd D_4 'd ! C_2 'c !I\n"), "\(back)")
        #expect(back.contains("\"6/8 March\",(Y,C,"))
    }

    @Test func aBadTuneIsLeftOutAndReported() throws {
        let folder = ScratchFolder()
        let bad = Self.tune.replacing("foo", with: "embari").replacing("\"Tune\"", with: "\"Bad\"")
        let file = folder.file("set.bww", bad + Self.tune)
        let (code, transcript) = run(["import", file, "-o", folder("out")])
        #expect(code == .badInput && transcript.error.contains("(E_PIOBAIREACHD)"), "\(transcript.error)")
        let text = String(decoding: try FileSystem.read(folder("out/set.pbscore"), limitBytes: 1 << 16), as: UTF8.self)
        #expect(text.contains("\"title\":\"Tune\"") && text.ranges(of: "\"tuneType\"").count == 1)
    }

    @Test func inspectShowsTunesAndWhatIsUnknown() throws {
        let folder = ScratchFolder()
        let file = folder.file("tune.bww", Self.tune)
        let (code, transcript) = run(["inspect", file])
        #expect(code == .done)
        #expect(
            transcript.output == """
                \(file)
                  score of 1 tune
                  tune 1 "Tune": 1 part, 1 line, 2 bars, 4 notes, 7 gracenotes, 6/8 March, 6/8
                    part A: 1 line, 2 bars, 4 notes, 7 gracenotes
                  warning: line 4, column 32: unknown: "foo", skipped (W_UNKNOWN_TOKEN)

                """)
        let report = try JSONReader.read(Array(run(["inspect", file, "--json"]).transcript.output.utf8))
        #expect(report["tunes"]?.array?.first?["gracenotes"]?.integer == 7)
        #expect(report["problems"]?.array?.first?["token"]?.string == "foo")
        #expect(run(["inspect", file, "--strict"]).code == .badInput)
    }
}
