import Glibc

/// A file that is written under a temporary name in its target's folder, and renamed when complete. Readers of the
/// target see the old file or the new one, never a partial one.
///
/// Used by one thread at a time. It ends with `publish` or `discard`; until then it is one of the `Leftovers`. After a
/// failed call it can only be discarded, because later writes must not turn a file with a gap into a complete one.
package struct PendingFile: OutputFile {
    /// How often to create the target's folder again if another process keeps removing it.
    private static let folderTriesMax = 8

    /// The final path. If the given path is a link, its target, whether it exists or not.
    package let target: String
    /// The path until the file is published.
    package let temporary: String
    /// The given path, which failures name.
    private let path: String
    private let folder: String
    /// nil after the end.
    private var file: FileDescriptor?
    /// The folders created for it, outermost first.
    private let madeFolders: [String]
    /// Whether an existing file of the final name is replaced.
    private let replaces: Bool
    package private(set) var byteCount = 0
    /// The first error; all later calls fail with it.
    private var failure: SystemFailure?

    /// Creates the temporary file, and the target's folder if it is missing.
    ///
    /// - Parameters:
    ///   - tag: part of the temporary name. An existing file of that name was left by an earlier life, and is removed.
    ///     nil: a new tag.
    ///   - mode: permissions before the process's umask; for a file that will be replaced, only those that it has.
    ///     Owner, group and extended attributes of that file are copied, as far as the process may set them.
    ///   - makesFolders: whether missing folders are created; never behind a link, where for example a drive may be
    ///     missing.
    ///   - replaces: whether an existing file of the final name may be replaced, now and at `publish`.
    /// - Throws: also if the target is not a file that can be replaced: `EISDIR`, `EEXIST`.
    package init(
        target path: String, tag: String? = nil, mode: UInt32 = 0o666, makesFolders: Bool = true, replaces: Bool = true
    ) throws(SystemFailure) {
        let found = try FileSystem.status(of: path)
        if let found, found.kind != .regular || !replaces {
            throw SystemFailure(operation: "replace", errno: found.isFolder ? EISDIR : EEXIST, path: path)
        }
        self.path = path
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
                // A process that discards a file in the same new folder removes the folder, possibly at this moment.
                tries += 1
                if error.errno == ENOENT, makesFolders, tries < Self.folderTriesMax { continue }
                Self.removeFolders(made)
                guard isLink else { throw error.at(path) }
                throw SystemFailure(operation: "\(error.operation) \(target)", errno: error.errno, path: path)
            }
        }
        madeFolders = made
        if let found {
            do throws(SystemFailure) {
                try file?.takeAttributes(of: target, found, modeMax: mode)
            } catch {
                discard()
                throw error.at(path)
            }
        }
    }

    /// Writes a complete file. If it throws, nothing is left behind.
    package static func write(
        _ bytes: [UInt8], to path: String, tag: String? = nil, mode: UInt32 = 0o666, makesFolders: Bool = false,
        replaces: Bool = true
    ) throws(SystemFailure) {
        var file = try PendingFile(target: path, tag: tag, mode: mode, makesFolders: makesFolders, replaces: replaces)
        do throws(SystemFailure) {
            try file.write(bytes)
            try file.sync()
            try file.publish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// `.NAME.TAG.part`, with the name cut so that the result has at most 255 bytes; eight random digits without a tag.
    package static func temporaryName(for name: String, tag: String?) -> String {
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

    /// Replaces bytes that have been written.
    package mutating func patch(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        precondition(offset >= 0 && offset + bytes.count <= byteCount, "no bytes to replace")
        try step("write") { file throws(SystemFailure) in try file.write(bytes, at: offset) }
    }

    /// Syncs everything written.
    package mutating func sync() throws(SystemFailure) {
        try step("finish") { file throws(SystemFailure) in try file.sync() }
    }

    /// Renames the file to its final name. Call it after `sync`.
    /// - Throws: also `EEXIST`, if nothing may be replaced and the name has been taken in the meantime.
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
        // The file has its name, even if the folder is not synced yet.
        try? FileSystem.syncFolder(folder)
    }

    /// Runs one step, unless an earlier one failed or the file has ended.
    private mutating func step(
        _ operation: String, _ body: (FileDescriptor) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        if let failure { throw failure }
        guard let file else { throw SystemFailure(operation: operation, errno: EBADF, path: path) }
        do throws(SystemFailure) {
            try body(file)
        } catch {
            let error = error.at(path)
            failure = error
            throw error
        }
    }

    /// Removes the temporary file, and the folders created for it if they are empty. Does nothing after `publish`.
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

/// A file that a picture is written to: a `PendingFile`, or a stand-in for a failing disk.
package protocol OutputFile: Sendable {
    var target: String { get }
    var temporary: String { get }
    var byteCount: Int { get }
    mutating func write(_ bytes: [UInt8]) throws(SystemFailure)
    mutating func patch(_ bytes: [UInt8], at offset: Int) throws(SystemFailure)
    mutating func sync() throws(SystemFailure)
    mutating func publish() throws(SystemFailure)
    mutating func discard()
}
