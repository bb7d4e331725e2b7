import Glibc
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite struct InputFileTests {
    private func message(_ path: String, limits: Limits = Limits()) -> String {
        do throws(EngineError) {
            _ = try ProjectLoader.load(path: path, limits: limits)
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test func whatIsNoProjectFileIsRefusedClearly() {
        let folder = ScratchFolder()
        func check(_ path: String, _ expected: String) { #expect(message(path) == path + expected) }
        check(folder.path + "/missing.ink", ": cannot open: No such file or directory")
        check(folder.write("empty.ink", ""), ": the file is empty")
        check(folder.write("empty.zip", ""), ": the file is empty")
        check(folder.write("picture.ink", pngHeader(width: 1, height: 1)), ": is a PNG picture, not an Ink project")
        check(
            folder.write("p.bmp", Array("BM".utf8) + [60, 0, 0, 0, 0, 0, 0, 0, 26, 0]),
            ": is a BMP picture, not an Ink project")
        check(folder.write("archive.ink", StoredZip().bytes), ": is a zip archive, not an Ink project")
        check(folder.write("text.zip", "{}"), ": is not a zip archive")
        check(
            folder.write("utf16.ink", [0xFF, 0xFE, 0x7B, 0]),
            ": is text in UTF-16; a project must be UTF-8, so save it as that")
        check(
            folder.write("plain.ink", [0, 0x7B, 0, 0x7D]),
            ": is text in UTF-16; a project must be UTF-8, so save it as that")
        check(
            folder.write("utf32.ink", [0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0]),
            ": is text in UTF-32; a project must be UTF-8, so save it as that")
        check(folder.write("page.ink", "<html>"), ": is XML or HTML text, not an Ink project")
        check(folder.write("binary.ink", [0, 1, 2]), ": is binary data, not an Ink project")
        for ending in [".jpg", ".psd"] {
            check(
                folder.write("text" + ending, "Hello"),
                ": is not what \(ending) says, and no other document that ink reads")
        }
        check("/dev/null", ": is a device, not a regular file")
        mkfifo(folder.path + "/pipe.ink", 0o600)
        check(folder.path + "/pipe.ink", ": is a named pipe, not a regular file")
    }

    @Test func aFileAboveTheLimitIsNotRead() {
        let folder = ScratchFolder()
        let path = folder.write("big.ink", "")
        // A file that claims 2 GiB and holds nothing.
        truncate(path, 1 << 31)
        #expect(message(path) == path + ": the file is 2147483648 bytes, the limit is 1073741824 bytes")
    }

    @Test("a file is read whole, a large one in parts", arguments: [0, 100_000, 4 << 20, 5_000_003])
    func aFileIsReadWhole(count: Int) throws {
        let folder = ScratchFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: ($0 * 7) ^ ($0 >> 12)) }
        let path = folder.write("f", bytes)
        let isSame = try InputFile.read(path: path, limitBytes: count) == bytes
        #expect(isSame)
        if count > 0 { #expect(throws: EngineError.self) { try InputFile.read(path: path, limitBytes: count - 1) } }
    }

    @Test func aLargeFileThatIsOpenIsReadFromWhereItStands() throws {
        let folder = ScratchFolder()
        let content = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: ($0 * 7) ^ ($0 >> 12)) }
        let path = folder.write("f", content)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        lseek(descriptor, 5 << 19, SEEK_SET)
        let bytes = try InputFile.read(descriptor: descriptor, name: path, limitBytes: 8 << 20)
        let isSame = bytes == content.suffix(5 << 19)
        #expect(isSame)
    }

    @Test func aProjectIsReadFromAFileAndFromBytes() throws {
        let folder = ScratchFolder()
        let path = folder.write("a.ink", project())
        let fromFile = try ProjectLoader.load(path: path)
        let fromBytes = try ProjectLoader.load(bytes: Array(project().utf8))
        #expect(fromFile.project.layers[0].strokes == fromBytes.project.layers[0].strokes)
        #expect(fromFile.contentDigest == fromBytes.contentDigest)
    }
}

@Suite struct LimitsFileTests {
    private func message(_ text: String) -> String? {
        do throws(EngineError) {
            _ = try Limits.read(Array(text.utf8), file: "limits.json")
            return nil
        } catch {
            return error.description
        }
    }

    @Test func namedLimitsAreChangedAndTheOthersStay() throws {
        let folder = ScratchFolder()
        let path = folder.write("limits.json", #"{"layers":5,"outputPixels":1e9,"coordinate":12.5,"stamps":null}"#)
        var expected = Limits()
        expected.layers = 5
        expected.outputPixels = 1_000_000_000
        expected.coordinate = 12.5
        #expect(try Limits.read(path: path) == expected)
    }

    @Test func everyLimitHasItsKey() throws {
        for child in Mirror(reflecting: Limits()).children {
            let name = try #require(child.label)
            let limits = try Limits.read(Array(#"{"\#(name)":3}"#.utf8), file: "limits.json")
            let value = Mirror(reflecting: limits).children.first { $0.label == name }?.value
            #expect(value.map { "\($0)" } == (name == "coordinate" ? "3.0" : "3"), "\(name)")
        }
    }

    @Test func badLimitsAreRefused() {
        #expect(
            message(#"{"layer":5}"#)?.hasPrefix(
                "limits.json: layer: is not a limit (did you mean layers?); the limits are edgePixels, ")
                == true)
        #expect(message(#"{"layers":0}"#) == "limits.json: layers: is 0, must be a whole number above 0")
        #expect(message(#"{"layers":-4}"#) == "limits.json: layers: is -4, must be a whole number above 0")
        #expect(message(#"{"layers":1.5}"#) == "limits.json: layers: is 1.5, must be a whole number above 0")
        #expect(message(#"{"layers":1e300}"#) == "limits.json: layers: is 1e+300, must be a whole number above 0")
        #expect(message(#"{"edgePixels":1048577}"#) == "limits.json: edgePixels: is 1048577, must be at most 1048576")
        #expect(message(#"{"coordinate":0}"#) == "limits.json: coordinate: is 0, must be above 0")
        #expect(message(#"{"layers":"5"}"#) == "limits.json: layers: must be a number, is a string")
        #expect(message("[]") == "limits.json: must be an object, is an array")
        #expect(message("") == "limits.json: the file is empty")
    }
}
