import Foundation
import InkSystem
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("Zip archives")
struct ZipArchiveTests {
    private static func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
        var archive = ZipArchive(madeBy: 0)
        let deflater = ByteDeflater()
        var bytes: [UInt8] = []
        for (index, (name, content)) in files.enumerated() {
            let isDeflated = index % 2 == 0
            let stored = isDeflated ? try deflater.deflate(content) : content
            bytes += archive.add(
                name, stored[...], crc: crc32(content), deflatedFrom: isDeflated ? content.count : nil)
        }
        return bytes + archive.end(commentCount: 0).flatMap { $0 }
    }

    @Test("libzip and the own reader unpack stored and deflated entries")
    func contents() throws {
        let files = [
            ("a.txt", Array("hello hello hello hello\n".utf8)), ("b.bin", [0, 1, 2, 255]), ("empty", []),
            ("Ünicode/c", [UInt8](repeating: 7, count: 70_000)), ("d", Array(repeating: 9, count: 300)),
        ]
        let archive = try Self.archive(files)
        let bundle = try ZipBundle(bytes: archive, name: "a.zip", limits: Limits())
        let reader = try ZipArchiveReader(byteCount: archive.count) { Array(archive[$0]) }
        for (name, content) in files {
            #expect(try bundle.read(BundlePath(name), limitBytes: 1 << 20)?.elementsEqual(content) == true)
            let entry = try #require(try reader.entry(named: name))
            #expect(try reader.bytes(of: entry, deflatedMax: 1 << 20) == content)
        }
        // The system that made it, and the attributes, are none.
        let directory = try #require(archive.firstRange(of: Array("PK".utf8) + [1, 2]))
        #expect(Array(archive[directory.upperBound..<(directory.upperBound + 2)]) == [0, 0])
        #expect(Array(archive[(directory.lowerBound + 36)..<(directory.lowerBound + 42)]) == [0, 0, 0, 0, 0, 0])
    }

    @Test("A deflated entry is not unpacked beyond a limit, whatever it claims")
    func deflatedLimit() throws {
        let archive = try Self.archive([("a", [UInt8](repeating: 0, count: 100_000))])
        let reader = try ZipArchiveReader(byteCount: archive.count) { Array(archive[$0]) }
        var entry = try #require(try reader.entry(named: "a"))
        #expect(throws: ZipArchiveReader.damaged) { try reader.bytes(of: entry, deflatedMax: 99_999) }
        #expect(throws: ZipArchiveReader.damaged) { try reader.bytes(of: entry) }
        entry.deflatedFrom = 50_000
        #expect(throws: ZipArchiveReader.damaged) { try reader.bytes(of: entry, deflatedMax: 99_999) }
    }
}
