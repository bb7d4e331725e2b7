import Glibc
package import InkEngine
package import InkSystem

/// A picture that is a folder of tiles: the archive of it is written to a temporary file beside its place, and unpacked
/// there by `sync`. The folder gets its name in one step; one of this name is exchanged for it.
struct PendingZoomFolder: OutputFile {
    /// The folder for IIIF, else the description (`wall.dzi`) beside the folder of tiles (`wall_files`).
    let target: String
    private let layout: ZoomLayout
    private let tag: String?
    private let replaces: Bool
    /// A temporary folder for all that has no name yet; one of the `Leftovers`.
    private let work: String
    private var archive: PendingFile
    /// The description of a Deep Zoom picture, which is written last.
    private var description: [UInt8]?
    private var unpackedBytes: Int?

    /// Checks the place, and makes missing folders and the archive.
    ///
    /// - Parameter tag: as of `PendingFile`.
    /// - Throws: also if something is at the place that may not be replaced.
    init(target: String, layout: ZoomLayout, tag: String?, replaces: Bool) throws(SystemFailure) {
        _ = try Self.isFree(target, layout, replaces: replaces)
        let (folder, name) = Self.folder(target, layout).splitPath()
        let work = folder.appendingPath(PendingFile.temporaryName(for: name, tag: tag))
        if tag != nil { FileSystem.removeTree(work) }
        archive = try Self.naming(target) { () throws(SystemFailure) in
            var archive = try PendingFile(target: work.appendingPath("picture.zip"))
            do throws(SystemFailure) { try Leftovers.add { () throws(SystemFailure) in (work, ()) } } catch {
                archive.discard()
                throw error
            }
            return archive
        }
        self.target = target
        self.layout = layout
        self.tag = tag
        self.replaces = replaces
        self.work = work
    }

    /// Failures name the picture, not what is temporary.
    private static func naming<T>(
        _ target: String, _ body: () throws(SystemFailure) -> T
    ) throws(SystemFailure) -> T {
        do throws(SystemFailure) { return try body() } catch { throw error.at(target) }
    }

    var temporary: String { archive.temporary }
    /// The bytes of the archive; from `sync` on, those of all files of the folder.
    var byteCount: Int { unpackedBytes ?? archive.byteCount }
    private var new: String { work.appendingPath("new") }

    mutating func write(_ bytes: [UInt8]) throws(SystemFailure) {
        try Self.naming(target) { () throws(SystemFailure) in try archive.write(bytes) }
    }

    mutating func patch(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        try Self.naming(target) { () throws(SystemFailure) in try archive.patch(bytes, at: offset) }
    }

    mutating func sync() throws(SystemFailure) {
        let (target, layout, new) = (target, layout, new)
        try Self.naming(target) { () throws(SystemFailure) in
            let reader = try ZipArchiveReader(
                try FileDescriptor(opening: archive.temporary, flags: O_RDONLY, operation: "open"))
            let tiles = ZoomArchive.tiles(layout)
            var (byteCount, hasDescription) = (0, false)
            try reader.forEach { entry throws(SystemFailure) in
                var bytes = try reader.bytes(of: entry)
                let inside = String(entry.name.dropFirst(tiles.count))
                if entry.name == ZoomArchive.description(layout) {
                    hasDescription = true
                    if layout == .iiif {
                        // Relative to pages beside the folder; where it lies on a server is not known.
                        bytes = ZoomArchive.placed(bytes, at: target.splitPath().name)
                        try FileSystem.writeNewFile(bytes, at: new.appendingPath(ZoomArchive.descriptionOfIIIF))
                    } else {
                        description = bytes
                    }
                } else {
                    guard entry.name.hasPrefix(tiles), Self.isOurs(inside, layout) else {
                        throw ZipArchiveReader.damaged
                    }
                    try FileSystem.writeNewFile(bytes, at: new.appendingPath(inside))
                }
                byteCount += bytes.count
                return true
            }
            guard hasDescription else { throw ZipArchiveReader.damaged }
            try FileSystem.syncFileSystem(of: new)
            unpackedBytes = byteCount
        }
    }

    mutating func publish() throws(SystemFailure) {
        let isNew = try Self.isFree(target, layout, replaces: replaces)
        try Self.naming(target) { () throws(SystemFailure) in
            // A link to a folder stays one.
            let place = try FileSystem.resolvingLink(Self.folder(target, layout))
            if isNew { try FileSystem.renameToNew(new, place) } else { try FileSystem.exchange(new, place) }
            do throws(SystemFailure) {
                if let description {
                    try PendingFile.write(description, to: target, tag: tag, replaces: replaces)
                }
            } catch {
                // The old tiles belong to the old description. What cannot be taken back stays.
                if isNew { FileSystem.removeTree(place) } else { try? FileSystem.exchange(new, place) }
                throw error
            }
            let parent = place.splitPath().folder
            // The folder has its name, even if that is not synced yet.
            try? FileSystem.syncFolder(parent.isEmpty ? "." : parent)
        }
        discard()
    }

    mutating func discard() {
        FileSystem.removeTree(work)
        archive.discard()
        Leftovers.forget(work)
    }

    // MARK: - The place

    private static func folder(_ target: String, _ layout: ZoomLayout) -> String {
        layout == .iiif ? target : ZoomFolder.tiles(besideDescription: target)
    }

    /// Whether the place of the folder is free.
    ///
    /// - Throws: if something is there that may not be replaced: a folder that holds but one file that is not of such a
    ///   picture stays.
    static func isFree(_ target: String, _ layout: ZoomLayout, replaces: Bool) throws(SystemFailure) -> Bool {
        let folder = folder(target, layout)
        if folder != target, let found = try FileSystem.status(of: target), found.kind != .regular || !replaces {
            throw SystemFailure(operation: "replace", errno: found.isFolder ? EISDIR : EEXIST, path: target)
        }
        guard let found = try FileSystem.status(of: folder) else { return true }
        guard replaces, found.isFolder else { throw SystemFailure(operation: "replace", errno: EEXIST, path: folder) }
        if let foreign = try foreignFile(in: folder, below: [], layout) {
            throw SystemFailure(
                operation: "replace the folder, which holds \(foreign) too:", errno: EEXIST, path: folder)
        }
        return false
    }

    /// A file that does not belong to such a folder, as a path inside it.
    private static func foreignFile(
        in folder: String, below path: [String], _ layout: ZoomLayout
    ) throws(SystemFailure) -> String? {
        for bytes in try FileSystem.names(in: folder) {
            let name = String(decoding: bytes, as: UTF8.self)
            let inside = path + [name]
            let place = folder.appendingPath(name)
            // A link would not be what is written, whatever it leads to.
            if try FileSystem.status(of: place, followingLink: false)?.isFolder == true, inside.count < 4 {
                if let foreign = try foreignFile(in: place, below: inside, layout) { return foreign }
                continue
            }
            let text = inside.joined(separator: "/")
            if text != ZoomArchive.descriptionOfIIIF || layout != .iiif, !isOurs(text, layout) { return text }
        }
        return nil
    }

    /// Whether a path in a folder may be that of a tile.
    private static func isOurs(_ path: String, _ layout: ZoomLayout) -> Bool {
        switch layout {
        case .iiif: path.wholeMatch(of: /(full|\d+,\d+,\d+,\d+)\/(max|\d+,\d*)\/0\/default\.(jpg|png)/) != nil
        case .deepZoom: path.wholeMatch(of: /\d+\/\d+_\d+\.(jpg|png)/) != nil
        }
    }
}

extension PictureFormat {
    /// The layout of the folder that a picture of this format is; nil for a file.
    var layoutOfFolder: ZoomLayout? { self == .dzi ? .deepZoom : self == .iiif ? .iiif : nil }

    /// Whether a picture of this format is a folder, which a farm makes as an archive first.
    package var isFolder: Bool { layoutOfFolder != nil }

    /// The paths of all that such a picture takes at its place: a file, a folder, or both.
    package func places(of target: String) -> [String] {
        self == .dzi ? [target, ZoomFolder.tiles(besideDescription: target)] : [target]
    }

    /// Begins a picture of this format: a file, or a folder that is made of the archive that is written.
    ///
    /// - Parameters:
    ///   - tag, mode: as of `PendingFile`.
    ///   - replaces: whether there may be such a picture already.
    /// - Throws: also if something is at the place that may not be replaced.
    package func makeOutput(
        _ target: String, tag: String? = nil, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws(SystemFailure) -> any OutputFile {
        guard let layout = layoutOfFolder else {
            return try PendingFile(target: target, tag: tag, mode: mode, replaces: replaces)
        }
        return try PendingZoomFolder(target: target, layout: layout, tag: tag, replaces: replaces)
    }

    /// Rejects the place of a folder that could not be replaced; says nothing of files.
    package func checkFolder(_ target: String, replaces: Bool) throws(SystemFailure) {
        if let layout = layoutOfFolder { _ = try PendingZoomFolder.isFree(target, layout, replaces: replaces) }
    }
}
