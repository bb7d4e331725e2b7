import Foundation
import Glibc
import InkSystem
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Folders of tiles on the disk")
struct PendingZoomFolderTests {
    private static let formats: [PictureFormat] = [.dzi, .iiif]

    private static func archive(_ format: PictureFormat, seed: UInt64) throws -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: 300, height: 200 + 50 * Int(seed))
        let head = PictureHead(size: size, pixels: .rgb, encoding: PictureEncoding(format: format))
        return try pictureFile(patchwork(size: size, format: .rgb, using: &random), head)
    }

    /// All files in a folder, by their paths.
    private static func files(_ folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(name)"
            if try FileSystem.status(of: path)?.kind == .regular {
                files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            }
        }
        return files
    }

    private static func write(
        _ archive: [UInt8], _ format: PictureFormat, to target: String, tag: String? = nil, replaces: Bool = true
    ) throws(SystemFailure) -> Int {
        var output = try format.makeOutput(target, tag: tag, replaces: replaces)
        defer { output.discard() }
        try output.write(Array(archive.prefix(1000)))
        try output.write(Array(archive.dropFirst(1000)))
        try output.sync()
        try output.publish()
        return output.byteCount
    }

    @Test("What is in the archive is there under the name of the picture, and nothing else", arguments: formats)
    func unpacked(format: PictureFormat) throws {
        let folder = try TemporaryFolder(prefix: "ink-folder")
        let target = folder.path(of: "new/wall.\(format == .dzi ? "dzi" : "iiif")")
        for seed in 1...2 as ClosedRange<UInt64> {
            let archive = try Self.archive(format, seed: seed)
            var wanted: [String: [UInt8]] = [:]
            let reader = try ZipArchiveReader(byteCount: archive.count) { Array(archive[$0]) }
            try reader.forEach { entry throws(SystemFailure) in
                let name = entry.name.replacing(
                    "image/image", with: "wall", maxReplacements: 1
                ).replacing("image/", with: "wall.iiif/")
                wanted[name] = try reader.bytes(of: entry)
                return true
            }
            if let text = wanted["wall.iiif/info.json"] {
                wanted["wall.iiif/info.json"] = ZoomArchive.placed(text, at: "wall.iiif")
                #expect(wanted["wall.iiif/info.json"] != text)
            }
            let byteCount = try Self.write(archive, format, to: target)
            #expect(try Self.files(folder.path(of: "new")) == wanted)
            #expect(byteCount == wanted.values.reduce(0) { $0 + $1.count })
        }
    }

    @Test(
        "Wherever the disk is full, the old picture stays and nothing else does",
        .enabled(if: SmallDisk.isAvailable), arguments: formats)
    func fullDisk(format: PictureFormat) throws {
        let (old, new) = (try Self.archive(format, seed: 1), try Self.archive(format, seed: 2))
        var (failures, isWhole) = (0, false)
        for pages in 8..<400 where !isWhole {
            let disk = try #require(try SmallDisk(byteCount: pages * 4096))
            let target = disk.path + "/a.\(format == .dzi ? "dzi" : "iiif")"
            // Where not even the old one fits, it is the one that fails.
            let hasOld = (try? Self.write(old, format, to: target)) != nil
            let before = try Self.files(disk.path)
            do throws(SystemFailure) {
                _ = try Self.write(new, format, to: target)
                isWhole = true
            } catch {
                #expect(error.errno == ENOSPC && error.path == target, "\(pages) pages: \(error)")
                failures += 1
                #expect(try Self.files(disk.path) == before, "\(pages) pages")
                #expect(try FileSystem.names(in: disk.path).count == (!hasOld ? 0 : format == .dzi ? 2 : 1))
            }
        }
        #expect(isWhole && failures > 10)
    }

    @Test("What an earlier life has left is removed, and nothing shows before the end", arguments: formats)
    func crash(format: PictureFormat) throws {
        let folder = try TemporaryFolder(prefix: "ink-folder")
        let target = folder.path(of: "a.\(format == .dzi ? "dzi" : "iiif")")
        let archive = try Self.archive(format, seed: 1)
        for isSynced in [false, true] {
            // Never discarded, as when the process is killed.
            var killed = try format.makeOutput(target, tag: "store-7")
            try killed.write(archive)
            if isSynced { try killed.sync() }
            Leftovers.forget(killed.temporary.splitPath().folder)
            Leftovers.forget(killed.temporary)
            let shown = try FileSystem.names(in: folder.path).map { String(decoding: $0, as: UTF8.self) }
            #expect(shown.allSatisfy { $0.hasPrefix(".a") && $0.hasSuffix(".part") }, "\(shown)")
        }
        _ = try Self.write(archive, format, to: target, tag: "store-7")
        let left = try FileSystem.names(in: folder.path).map { String(decoding: $0, as: UTF8.self) }
        #expect(left == (format == .dzi ? ["a.dzi", "a_files"] : ["a.iiif"]))
    }

    @Test("What is no such folder, and what it holds besides, is not replaced", arguments: formats, [true, false])
    func foreign(format: PictureFormat, isEarly: Bool) throws {
        let folder = try TemporaryFolder(prefix: "ink-folder")
        let target = folder.path(of: "a.\(format == .dzi ? "dzi" : "iiif")")
        let tiles = format == .dzi ? "a_files" : "a.iiif"
        let archive = try Self.archive(format, seed: 1)
        _ = try Self.write(archive, format, to: target)
        var output: (any OutputFile)?
        if !isEarly { output = try format.makeOutput(target) }
        try folder.write("dear", to: "\(tiles)/0/letters.txt")
        let before = try Self.files(folder.path).filter { !$0.key.hasPrefix(".") }
        let error = try #require(throws: SystemFailure.self) {
            if var file = output {
                defer { file.discard() }
                try file.write(archive)
                try file.sync()
                try file.publish()
            } else {
                try format.checkFolder(target, replaces: true)
            }
        }
        #expect(error.errno == EEXIST && error.operation.contains("0/letters.txt"), "\(error)")
        #expect(try Self.files(folder.path).filter { !$0.key.hasPrefix(".") } == before)
        #expect(throws: SystemFailure.self) { try format.checkFolder(target, replaces: false) }
    }

    @Test("The tiles of before come back where the description cannot get its name", arguments: [true, false])
    func description(hasOld: Bool) throws {
        let folder = try TemporaryFolder(prefix: "ink-folder")
        let target = folder.path(of: "a.dzi")
        if hasOld { _ = try Self.write(try Self.archive(.dzi, seed: 1), .dzi, to: target) }
        // A drive that is not there now.
        unlink(target)
        try #require(symlink(folder.path(of: "drive/a.dzi"), target) == 0)
        let before = try Self.files(folder.path)
        var output = try PictureFormat.dzi.makeOutput(target)
        try output.write(try Self.archive(.dzi, seed: 2))
        try output.sync()
        #expect(throws: SystemFailure.self) { try output.publish() }
        output.discard()
        #expect(try Self.files(folder.path) == before)
    }
}

@Suite("The directory of a stored archive")
struct ZipArchiveReaderTests {
    private static func archive(from start: UInt64 = 0) -> [UInt8] {
        var archive = ZipArchive(byteCount: start)
        var bytes: [UInt8] = []
        for index in 0..<3000 {
            let file = [UInt8](repeating: UInt8(index % 251), count: index % 7)
            bytes += archive.add("image/\(index)", file[...], crc: crc32(file))
        }
        for part in archive.end(commentCount: 5) { bytes += part }
        return bytes + Array("12345".utf8)
    }

    private static func names(_ reader: ZipArchiveReader) throws -> [String] {
        var names: [String] = []
        try reader.forEach { entry throws(SystemFailure) in
            #expect(try reader.bytes(of: entry).count == names.count % 7)
            names.append(entry.name)
            return true
        }
        return names
    }

    @Test("All entries are found, also where offsets need 64 bits", arguments: [0, 5 << 30])
    func entries(start: Int) throws {
        let bytes = Self.archive(from: UInt64(start))
        let reader = try ZipArchiveReader(byteCount: start + bytes.count) {
            Array(bytes[($0.lowerBound - start)..<($0.upperBound - start)])
        }
        #expect(try Self.names(reader) == (0..<3000).map { "image/\($0)" })
    }

    @Test("Of a damaged or cut archive nothing is read beyond its end")
    func damaged() throws {
        let good = Self.archive()
        let directory = 3000 * (30 + 46)
        var random = SeededGenerator(seed: 3)
        for round in 0..<600 {
            var bytes = good
            if round % 4 == 0 {
                bytes.removeLast(.random(in: 1...good.count, using: &random))
            } else {
                for _ in 0..<(round % 4) {
                    let place = Int.random(
                        in: (good.count - min(good.count, round % 2 == 0 ? 30 : directory))..<good.count, using: &random
                    )
                    bytes[place] = .random(in: 0...255, using: &random)
                }
            }
            let archive = bytes
            do throws(SystemFailure) {
                let reader = try ZipArchiveReader(byteCount: archive.count) { range throws(SystemFailure) in
                    guard range.lowerBound >= 0, range.upperBound <= archive.count else {
                        throw SystemFailure(operation: "read beyond the end", errno: EFAULT)
                    }
                    return Array(archive[range])
                }
                try reader.forEach { entry throws(SystemFailure) in
                    _ = try reader.bytes(of: entry)
                    return true
                }
            } catch {
                #expect(error.errno == EBADMSG, "round \(round): \(error)")
            }
        }
    }
}
