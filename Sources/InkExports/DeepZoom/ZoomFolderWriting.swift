import Glibc
import InkCodecs
import InkEngine
import InkSystem

/// Makes a folder of tiles from an archive. It gets its name when all of it is on the disk; a folder of this name is
/// exchanged for it in one step.
struct ZoomFolderWriting {
    /// As a `ZoomCodec` makes it.
    var archive: String
    /// A temporary folder beside the place of the tiles.
    var work: String
    /// The folder for IIIF, else the description (`wall.dzi`) beside the folder of tiles (`wall_files`).
    var output: String
    var isOneFolder: Bool
    var replaces: Bool

    private static let nameBytesMax = 200

    private var folder: String {
        guard !isOneFolder else { return output }
        return (output.hasEnding(".dzi") ? String(output.dropLast(4)) : output) + "_files"
    }

    /// Returns the bytes of all files.
    ///
    /// - Throws: `io`, also if the folder is there and may not be replaced, or holds something else; and
    ///   `internalError` for an archive that is damaged.
    func run() throws(EngineError) -> Int {
        let new = work.appendingPath("new")
        var (byteCount, description) = (0, [UInt8]())
        try entries { name, bytes throws(EngineError) in
            var bytes = bytes
            byteCount += bytes.count
            let isDescription = isOneFolder ? name == ZoomArchive.descriptionOfIIIF : !name.contains("/")
            if isDescription, isOneFolder { bytes = withPlace(bytes) }
            if isDescription, !isOneFolder {
                description = bytes
            } else {
                try FileSystem.writeNew(bytes, to: new.appendingPath(isOneFolder ? name : Self.insideTiles(name)))
            }
        }
        try EngineError.wrapping(output) { () throws(SystemFailure) in try FileSystem.syncFileSystem(of: new) }
        let isNew = try publish(new)
        guard !isOneFolder else { return byteCount }
        do throws(EngineError) {
            try FileSystem.writeAtomically(description, to: output, replaces: replaces)
        } catch {
            if isNew { FileSystem.removeTree(folder) }
            throw error
        }
        return byteCount
    }

    private static func insideTiles(_ name: String) -> String {
        String(name.drop { $0 != "/" }.dropFirst())
    }

    /// An address relative to pages beside the folder; where it lies on a server is not known.
    private func withPlace(_ description: [UInt8]) -> [UInt8] {
        let name = folder.splitPath().name.map { character -> String in
            character == "\"" || character == "\\" ? "\\\(character)" : String(character)
        }.joined()
        let text = String(decoding: description, as: UTF8.self)
        return Array(
            text.replacing(
                ZoomArchive.place(ZoomArchive.unknownPlace), with: ZoomArchive.place(name), maxReplacements: 1
            ).utf8)
    }

    /// Passes on all entries: names without what they all begin with.
    private func entries(
        _ take: (_ name: String, _ bytes: [UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let file = try EngineError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(opening: archive, flags: O_RDONLY, operation: "open")
        }
        func read(_ range: Range<Int>) throws(EngineError) -> [UInt8] {
            try EngineError.wrapping { () throws(SystemFailure) in
                try file.read(range.count, at: range.lowerBound)
            }
        }
        var offset = 0
        var count = 0
        while let entry = ZoomArchive.entry(
            try read(offset..<(offset + ZoomArchive.headerBytes)), at: offset)
        {
            let start = offset + ZoomArchive.headerBytes
            let name = String(decoding: try read(start..<(start + entry.nameCount)), as: UTF8.self)
            let bytes = try read(entry.bytes)
            guard entry.nameCount <= Self.nameBytesMax, name.hasPrefix(ZoomArchive.folder),
                ZoomArchive.checksum(bytes) == entry.crc,
                name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({
                    !$0.isEmpty && !$0.hasPrefix(".")
                })
            else { throw .internalError("\(output): the archive of its tiles is damaged at byte \(offset)") }
            try take(String(name.dropFirst(ZoomArchive.folder.utf8.count)), bytes)
            offset = entry.bytes.upperBound
            count += 1
        }
        guard count > 1 else { throw .internalError("\(output): the archive of its tiles is damaged") }
    }

    /// Gives the new folder its name. Returns whether there was none before.
    private func publish(_ new: String) throws(EngineError) -> Bool {
        let isNew = try checkPlace()
        return try EngineError.wrapping(folder) { () throws(SystemFailure) in
            // A link to a folder stays one.
            let place = try FileSystem.resolvingLink(folder)
            if isNew {
                try FileSystem.renameToNew(new, place)
            } else {
                try FileSystem.exchange(new, place)
            }
            return isNew
        }
    }

    /// Returns whether the place of the folder is free.
    ///
    /// - Throws: `io` if something is there that may not be replaced: a folder that holds but one file that is not of such
    ///   a picture stays.
    @discardableResult
    func checkPlace() throws(EngineError) -> Bool {
        let folder = folder
        return try EngineError.wrapping(folder) { () throws(SystemFailure) in
            guard let found = try FileSystem.status(of: folder) else { return true }
            guard replaces, found.isFolder else { throw SystemFailure(operation: "replace", errno: EEXIST) }
            if let foreign = try Self.foreignFile(in: folder, below: [], isOneFolder) {
                throw SystemFailure(operation: "replace the folder, which holds \(foreign) too:", errno: EEXIST)
            }
            return false
        }
    }

    /// A file that does not belong to such a folder, as a path inside it.
    private static func foreignFile(
        in folder: String, below path: [String], _ isOneFolder: Bool
    ) throws(SystemFailure) -> String? {
        for bytes in try FileSystem.names(in: folder) {
            let name = String(decoding: bytes, as: UTF8.self)
            let inside = path + [name]
            let place = folder.appendingPath(name)
            // A link would not be what is written, whatever it leads to.
            if try FileSystem.status(of: place, followingLink: false)?.isFolder == true, inside.count < 4 {
                if let foreign = try foreignFile(in: place, below: inside, isOneFolder) { return foreign }
                continue
            }
            let text = inside.joined(separator: "/")
            let isOurs =
                isOneFolder
                ? text.wholeMatch(of: /info\.json|(full|\d+,\d+,\d+,\d+)\/(max|\d+,\d*)\/0\/default\.(jpg|png)/) != nil
                : text.wholeMatch(of: /\d+\/\d+_\d+\.(jpg|png)/) != nil
            if !isOurs { return text }
        }
        return nil
    }
}
