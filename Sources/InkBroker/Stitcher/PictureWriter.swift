import Glibc
import InkEngine
import Synchronization

/// A picture that is on the disk under its own name.
struct WrittenPicture: Hashable, Sendable {
    var byteCount: Int
    /// SHA-256 of the file, 32 bytes; empty when it was not wanted.
    var digest: [UInt8]
}

/// Writes a picture beside its target and gives it the target's name when it is whole.
///
/// Whoever looks at the target sees the old file or the new one, never a part. Used by one thread at a time; which
/// one may change.
final class PictureWriter: Sendable {
    /// Where the picture goes; a link is followed.
    let target: String
    private let temporary: String
    private let state: Mutex<State>

    private struct State {
        var file: FileDescriptor?
        /// nil when it is not wanted.
        var hash: Hash?
        var byteCount = 0
        var folders: [String]
    }

    /// The hash is reached only under the lock.
    private struct Hash: @unchecked Sendable {
        let stream: SHA256
    }

    /// Makes the target's folder if it is missing, and a new file in it.
    ///
    /// - Throws: `BrokerError.targetNotAFile`, `.output`.
    init(
        target: String, tag: String? = nil, isPrivate: Bool = false, wantsDigest: Bool = true
    ) throws(BrokerError) {
        let hash = wantsDigest ? Hash(stream: SHA256()) : nil
        do throws(SystemFailure) {
            let kind = try FileSystem.kind(of: target)
            if kind == .folder || kind == .other { throw SystemFailure(operation: "", errno: 0) }
            self.target = FileSystem.resolvingLink(target)
            let (folder, name) = FileSystem.split(self.target)
            var folders: [String] = []
            let path = "\(folder)/\(PictureWriter.temporaryName(for: name, tag: tag))"
            temporary = path
            // One of the same tag is what an earlier life of this very export left behind.
            if tag != nil { unlink(path) }
            let file = try PictureWriter.create(path, in: folder, mode: isPrivate ? 0o600 : 0o666, folders: &folders)
            state = Mutex(State(file: file, hash: hash, folders: folders))
        } catch {
            throw error.errno == 0
                ? .targetNotAFile(path: target)
                : .output(path: target, operation: error.operation, errno: error.errno)
        }
    }

    deinit { discard() }

    private static func create(
        _ path: String, in folder: String, mode: mode_t, folders: inout [String]
    ) throws(SystemFailure) -> FileDescriptor {
        do {
            try FileSystem.makeFolders(folder, made: &folders)
            return try ExportCleanup.register(path) { () throws(SystemFailure) in
                try FileDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_WRONLY, mode: mode, operation: "create")
            }
        } catch {
            removeFolders(folders)
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

    /// Appends to the file.
    ///
    /// - Throws: `BrokerError.output`; the writer can only be discarded then.
    func write(_ bytes: [UInt8]) throws(BrokerError) {
        try withState { state throws(SystemFailure) in
            guard let file = state.file else { throw SystemFailure(operation: "write", errno: EBADF) }
            try file.write(bytes)
            file.beginSync(of: state.byteCount..<(state.byteCount + bytes.count))
            state.byteCount += bytes.count
            state.hash?.stream.update(bytes)
        }
    }

    /// What has been written so far.
    var unfinished: UnfinishedPicture {
        UnfinishedPicture(path: temporary, byteCount: state.withLock(\.byteCount))
    }

    /// Brings the file to the disk and gives it the target's name.
    ///
    /// - Throws: `BrokerError.output`; the file is removed then.
    /// - Parameter seal: called between the two; the picture is given up when it throws.
    func finish(
        seal: ((_ temporary: String, WrittenPicture) throws(BrokerError) -> Void)? = nil
    ) throws(BrokerError) -> WrittenPicture {
        do {
            let picture = try withState { state throws(SystemFailure) in
                guard let file = state.file else { throw SystemFailure(operation: "finish", errno: EBADF) }
                try file.sync()
                return WrittenPicture(byteCount: state.byteCount, digest: state.hash?.stream.finish() ?? [])
            }
            try seal?(temporary, picture)
            try withState { state throws(SystemFailure) in
                guard rename(temporary, target) == 0 else {
                    throw SystemFailure(operation: "rename to", errno: errno)
                }
                ExportCleanup.forget(temporary)
                state.file = nil
                // The name is in place; that some file systems cannot sync a folder does not undo it.
                let folder = try? FileDescriptor(
                    opening: FileSystem.split(target).folder, flags: O_RDONLY | O_DIRECTORY, operation: "open")
                try? folder?.sync()
            }
            return picture
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the unfinished file, and the folders that were made for it if nothing else is in them.
    func discard() {
        state.withLock { state in
            guard state.file != nil else { return }
            state.file = nil
            unlink(temporary)
            ExportCleanup.forget(temporary)
            PictureWriter.removeFolders(state.folders)
        }
    }

    private static func removeFolders(_ folders: [String]) {
        for folder in folders.reversed() { rmdir(folder) }
    }

    private func withState<T: Sendable>(
        _ body: (inout State) throws(SystemFailure) -> T
    ) throws(BrokerError) -> T {
        let result: Result<T, SystemFailure> = state.withLock { state in
            do throws(SystemFailure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        do throws(SystemFailure) {
            return try result.get()
        } catch {
            throw .output(path: target, operation: error.operation, errno: error.errno)
        }
    }
}
