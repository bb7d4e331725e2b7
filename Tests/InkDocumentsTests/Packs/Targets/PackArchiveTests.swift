import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("Archives and releases of packs")
struct PackArchiveTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 99)

    private static func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
        var archive = PackArchive(path: "a.zip")
        var bytes: [UInt8] = []
        for (name, content) in files { bytes += try archive.add(name, content) }
        return bytes + archive.end().flatMap { $0 }
    }

    @Test("Pictures are stored, the rest is deflated, and nothing says when or where")
    func form() throws {
        let files = [
            ("a.json", Array("{}\n".utf8)), ("b.png", Self.png), ("c.webp", Array("RIFF1234WEBP".utf8)),
            ("d.jpg", [0xFF, 0xD8, 0xFF, 0xE0]), ("é.txt", []),
        ]
        let bytes = try Self.archive(files)
        #expect(try Self.archive(files) == bytes)
        var position = 0
        for (index, method) in [8, 0, 0, 0, 8].enumerated() {
            let header = Array(bytes[position..<(position + 30)])
            func number(_ at: Int, _ count: Int) -> Int {
                header[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            #expect(number(0, 4) == 0x0403_4B50 && number(4, 2) == 20 && number(8, 2) == method)
            #expect(number(6, 2) == (index == 4 ? 0x800 : 0))
            #expect(number(10, 4) == 0x0021_0000 && number(28, 2) == 0)
            #expect(number(22, 4) == files[index].1.count && number(26, 2) == files[index].0.utf8.count)
            position += 30 + number(26, 2) + number(18, 4)
        }
        #expect(Array(bytes[position..<(position + 6)]) == [0x50, 0x4B, 1, 2, 0, 0])
        let bundle = try ZipBundle(bytes: bytes, name: "a.zip", limits: Limits())
        for (name, content) in files {
            #expect(try bundle.read(BundlePath(name), limitBytes: 1 << 20)?.elementsEqual(content) == true)
        }
    }

    @Test("The release of an archive that is there is read, and nothing else is taken for one")
    func reading() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "a.mcaddon")
        let place = (file: "a_bp/manifest.json", keys: ["header", "version"])
        func release(_ files: [(String, [UInt8])]) throws -> PackRelease? {
            try Data(Self.archive(files)).write(to: URL(fileURLWithPath: path))
            return try PackRelease.read(archive: path, place)
        }
        #expect(try PackRelease.read(archive: path, place) == nil)
        let manifest = Array("{\"header\": {\"version\": [1, 4, 0]}}".utf8)
        #expect(try release([(place.file, manifest)]) == PackRelease(major: 1, minor: 4, patch: 0))
        #expect(try release([("b", manifest)]) == nil)
        for text in ["{\"header\": {\"version\": \"1.4.0\"}}", "{\"header\": {\"version\": [1.0, 4, 0]}}"] {
            #expect(try release([(place.file, Array(text.utf8))]) == PackRelease(major: 1, minor: 4, patch: 0))
        }
        for text in [
            "", "{}", "{\"header\": 1}", "{\"header\": {\"version\": [1, 4]}}", "{\"header\": {\"version\": [0,0,0]}}",
        ] {
            #expect(try release([(place.file, Array(text.utf8))]) == nil)
        }
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try PackRelease.read(archive: path, place) == nil)
        #expect(try PackRelease.read(archive: folder.path, place) == nil)
    }

    @Test("A higher release is written; else the same bytes are unchanged, and others bumped or warned of")
    func decisions() throws {
        let (low, old) = (PackRelease(major: 1, minor: 3, patch: 9), PackRelease(major: 1, minor: 4, patch: 0))
        let high = PackRelease(major: 2, minor: 0, patch: 0)
        #expect(ReleaseStep.first(own: low, old: nil) == .write(low))
        #expect(ReleaseStep.first(own: high, old: old) == .write(high))
        #expect(ReleaseStep.first(own: old, old: old) == .compare(old))
        #expect(ReleaseStep.first(own: low, old: old) == .compare(old))
        let bumped = try ReleaseStep.different(own: low, old: old, bumps: true, file: "a.inkpack", archive: "a.zip")
        #expect(bumped == ReleaseStep.Different(release: PackRelease(major: 1, minor: 4, patch: 1)))
        let warned = try ReleaseStep.different(own: old, old: old, bumps: false, file: "a.inkpack", archive: "a.zip")
        #expect(warned.release == old && warned.warning?.contains("release") == true)
        #expect(throws: EngineError.self) {
            let last = PackRelease(major: 1, minor: 0, patch: 99_999)
            _ = try ReleaseStep.different(own: old, old: last, bumps: true, file: "a.inkpack", archive: "a.zip")
        }
    }
}
