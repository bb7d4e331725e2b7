import Glibc

/// A file on its way to its name: until it is whole it lies beside its target under a temporary name. Whoever looks at the
/// target sees the old file or the new one, never a part.
///
/// Used by one thread at a time. It ends with `publish` or `discard`; until then it is one of the `Leftovers`. After a
/// call that failed it can only be discarded: what was asked for meanwhile, and what is asked for later, may not make a
/// whole file of one that has a hole.
package struct PendingFile: OutputFile {
    /// How often to create the target's folder again if another process keeps removing it.
    private static let folderTriesMax = 8

    /// Where the file goes: the path, or where it leads when it is a link, whether a file is there already or not.
    package let target: String
    package let temporary: String
    private let folder: String
    /// nil when it has ended.
    private var file: FileDescriptor?
    /// Those that were made for it, the outermost first.
    private let madeFolders: [String]
    /// Whether a file that has the name by then is replaced.
    private let replaces: Bool
    package private(set) var byteCount = 0
    /// The first call that failed; every later one fails with it.
    private var failure: SystemFailure?

    /// Makes the temporary file, and the target's folder if it is missing.
    ///
    /// - Parameters:
    ///   - tag: in the temporary name; a file that has it is an earlier life's of this very file, and is removed. nil: a
    ///     new one.
    ///   - mode: permissions, before the process's mask; of a file that is to be replaced those that it has of them. That
    ///     one also leaves its owner, group and extended attributes, where the process may set them.
    ///   - makesFolders: whether missing folders are created; never behind a link, where for example a drive may be missing.
    ///   - replaces: whether a file that has the target's name may be replaced, now and when this one is published.
    /// - Throws: also if the target is not a file that can be replaced: `EISDIR`, `EEXIST`.
    package init(
        target path: String, tag: String? = nil, mode: UInt32 = 0o666, makesFolders: Bool = true, replaces: Bool = true
    ) throws(SystemFailure) {
        let found = try FileSystem.status(of: path)
        if let found, found.kind != .regular || !replaces {
            throw SystemFailure(operation: "replace", errno: found.isFolder ? EISDIR : EEXIST)
        }
        target = try FileSystem.resolvingLink(path)
        let isLink = target != path
        let makesFolders = makesFolders && !isLink
        let (folder, name) = target.splitPath()
        self.folder = folder.isEmpty ? "." : folder
        self.replaces = replaces
        let temporary = folder.appendingPath(Self.temporaryName(for: name, tag: tag))
        self.temporary = temporary
        if tag != nil { unlink(temporary) }
        var made: [String] = []
        var tries = 0
        while true {
            do throws(SystemFailure) {
                if makesFolders { try FileSystem.makeFolders(self.folder, made: &made) }
                file = try Leftovers.add { () throws(SystemFailure) in
                    let file = try FileDescriptor(
                        opening: temporary, flags: O_CREAT | O_EXCL | O_WRONLY, mode: mode, operation: "create")
                    return (temporary, file)
                }
                break
            } catch {
                // Who gives up a file in the same new folder removes the folder, perhaps just now.
                tries += 1
                if error.errno == ENOENT, makesFolders, tries < Self.folderTriesMax { continue }
                Self.removeFolders(made)
                guard isLink else { throw error }
                throw SystemFailure(operation: "\(error.operation) \(target)", errno: error.errno)
            }
        }
        madeFolders = made
        if let found {
            do throws(SystemFailure) {
                try file?.takeAttributes(of: target, found, modeMax: mode)
            } catch {
                discard()
                throw error
            }
        }
    }

    /// Writes a complete file; its folder must exist. Nothing is left behind when this throws.
    package static func write(
        _ bytes: [UInt8], to path: String, tag: String? = nil, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws(SystemFailure) {
        var file = try PendingFile(target: path, tag: tag, mode: mode, makesFolders: false, replaces: replaces)
        do throws(SystemFailure) {
            try file.write(bytes)
            try file.sync()
            try file.publish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// `.NAME.TAG.part`, the name cut so that the whole stays within 255 bytes; eight random digits without a tag.
    private static func temporaryName(for name: String, tag: String?) -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        let tag = tag ?? String(repeating: "0", count: 8 - digits.count) + digits
        var stem = name
        while stem.utf8.count + tag.utf8.count > 255 - 7 { stem.removeLast() }
        return ".\(stem).\(tag).part"
    }

    /// Appends.
    package mutating func write(_ bytes: [UInt8]) throws(SystemFailure) {
        let offset = byteCount
        try step("write") { file throws(SystemFailure) in
            try file.write(bytes)
            file.beginSync(of: offset..<(offset + bytes.count))
        }
        byteCount += bytes.count
    }

    /// Syncs what was written.
    package mutating func sync() throws(SystemFailure) {
        try step("finish") { file throws(SystemFailure) in try file.sync() }
    }

    /// Gives the file its name; to be called after `sync`.
    /// - Throws: also `EEXIST`, where nothing may be replaced and another has taken the name since.
    package mutating func publish() throws(SystemFailure) {
        let (replaces, temporary, target) = (replaces, temporary, target)
        try step("rename") { _ throws(SystemFailure) in
            if replaces {
                guard rename(temporary, target) == 0 else { throw SystemFailure(operation: "rename", errno: errno) }
            } else {
                try FileSystem.renameToNew(temporary, target)
            }
        }
        file = nil
        Leftovers.forget(temporary)
        // The name is in place, even if it is not synced yet.
        try? FileSystem.syncFolder(folder)
    }

    /// One step on the way, unless an earlier one failed or the file has ended.
    private mutating func step(
        _ operation: String, _ body: (FileDescriptor) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        if let failure { throw failure }
        guard let file else { throw SystemFailure(operation: operation, errno: EBADF) }
        do throws(SystemFailure) {
            try body(file)
        } catch {
            failure = error
            throw error
        }
    }

    /// Removes the temporary file, and the folders that were made for it if nothing else is in them. Nothing after
    /// `publish`.
    package mutating func discard() {
        guard file != nil else { return }
        file = nil
        unlink(temporary)
        Leftovers.forget(temporary)
        Self.removeFolders(madeFolders)
    }

    private static func removeFolders(_ folders: [String]) {
        for folder in folders.reversed() { rmdir(folder) }
    }
}

/// A file as a picture is written into it: a `PendingFile`, or what stands in for a disk that fails.
package protocol OutputFile: Sendable {
    var target: String { get }
    var temporary: String { get }
    var byteCount: Int { get }
    mutating func write(_ bytes: [UInt8]) throws(SystemFailure)
    mutating func sync() throws(SystemFailure)
    mutating func publish() throws(SystemFailure)
    mutating func discard()
}
