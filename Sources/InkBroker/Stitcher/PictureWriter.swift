import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

/// Writes a picture to a temporary file in the target's folder, and renames it to the target when it is complete; or to
/// a temporary folder, where the picture is one.
///
/// Readers of the target see the old file or the new one, never a partial one. Used by one thread at a time, not always
/// the same.
final class PictureWriter: Sendable {
    /// The path of the picture; a symbolic link is followed.
    let target: String
    private let temporary: String
    private let state: Mutex<State>

    private struct State {
        var file: any OutputFile
        /// nil if not requested.
        var hash: Hash?
        /// Whether bytes were replaced after they had been hashed.
        var isPatched = false
    }

    /// The hash is accessed only under the lock.
    private struct Hash: @unchecked Sendable {
        let stream: SHA256
    }

    /// Makes the target's folder if it is missing, and a new file in it.
    ///
    /// - Throws: `BrokerError.targetNotAFile`, `.output`.
    convenience init(
        target: String, format: PictureFormat = .png, tag: String? = nil, isPrivate: Bool = false,
        replaces: Bool = true, wantsDigest: Bool = true
    ) throws(BrokerError) {
        try Self.check(target, as: format, replaces: replaces)
        let file = try Self.asOutput(target) { () throws(SystemFailure) in
            try format.makeOutput(target, tag: tag, mode: isPrivate ? 0o600 : 0o666, replaces: replaces)
        }
        self.init(file, wantsDigest: wantsDigest)
    }

    init(_ file: any OutputFile, wantsDigest: Bool) {
        target = file.target
        temporary = file.temporary
        state = Mutex(State(file: file, hash: wantsDigest ? Hash(stream: SHA256()) : nil))
    }

    deinit { discard() }

    /// Rejects a target that can never be written.
    ///
    /// - Throws: `BrokerError.targetNotAFile`, `.output`.
    static func check(_ path: String, as format: PictureFormat, replaces: Bool) throws(BrokerError) {
        if format.isFolder {
            return try asOutput(path) { () throws(SystemFailure) in
                try format.checkFolder(path, replaces: replaces)
            }
        }
        let found = try asOutput(path) { () throws(SystemFailure) in try FileSystem.status(of: path) }
        if let found, found.kind != .regular { throw .targetNotAFile(path: path) }
    }

    /// Appends to the file.
    ///
    /// - Throws: `BrokerError.output`; the writer must then be discarded.
    func write(_ bytes: [UInt8]) throws(BrokerError) {
        try withState { state throws(SystemFailure) in
            try state.file.write(bytes)
            state.hash?.stream.update(bytes)
        }
    }

    /// Replaces bytes that have been written.
    ///
    /// - Throws: `BrokerError.output`; the writer must then be discarded.
    func patch(_ bytes: [UInt8], at offset: Int) throws(BrokerError) {
        try withState { state throws(SystemFailure) in
            try state.file.patch(bytes, at: offset)
            state.isPatched = true
        }
    }

    /// The bytes written so far.
    var unfinished: UnfinishedPicture {
        UnfinishedPicture(path: temporary, byteCount: state.withLock(\.file.byteCount))
    }

    /// Flushes the file to the disk and renames it to the target.
    ///
    /// - Throws: `BrokerError.output`; the file is then removed.
    /// - Parameter seal: called between the two steps; if it throws, the picture is discarded.
    func finish(
        seal: ((_ target: String, _ temporary: String, WrittenFile) throws(BrokerError) -> Void)? = nil
    ) throws(BrokerError) -> WrittenFile {
        let picture = try sync()
        do throws(BrokerError) { try seal?(target, temporary, picture) } catch {
            discard()
            throw error
        }
        try publish()
        return picture
    }

    /// Flushes the file to the disk.
    ///
    /// - Throws: `BrokerError.output`; the file is then removed.
    func sync() throws(BrokerError) -> WrittenFile {
        try discardingOnFailure { state throws(SystemFailure) in
            let hashedCount = state.file.byteCount
            try state.file.sync()
            var digest = state.hash?.stream.finish() ?? []
            if state.isPatched, state.hash != nil { digest = try Self.digest(of: state.file.temporary) }
            return WrittenFile(
                byteCount: digest.isEmpty ? state.file.byteCount : hashedCount, digest: digest)
        }
    }

    /// Renames the file to the target, after `sync`.
    ///
    /// - Throws: `BrokerError.output`; the file is then removed.
    func publish() throws(BrokerError) {
        try discardingOnFailure { state throws(SystemFailure) in try state.file.publish() }
    }

    private static func digest(of path: String) throws(SystemFailure) -> [UInt8] {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        let hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try file.read(into: &buffer)
            if count == 0 { return hash.finish() }
            buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private func discardingOnFailure<T: Sendable>(
        _ body: (inout State) throws(SystemFailure) -> T
    ) throws(BrokerError) -> T {
        do throws(BrokerError) { return try withState(body) } catch {
            discard()
            throw error
        }
    }

    /// Removes the unfinished file, and the folders that were made for it if they are empty.
    func discard() { state.withLock { $0.file.discard() } }

    private func withState<T: Sendable>(
        _ body: (inout State) throws(SystemFailure) -> T
    ) throws(BrokerError) -> T {
        let result: Result<T, SystemFailure> = state.withLock { state in
            do throws(SystemFailure) { return .success(try body(&state)) } catch { return .failure(error.at(target)) }
        }
        return try Self.asOutput(target) { () throws(SystemFailure) in try result.get() }
    }

    private static func asOutput<T>(
        _ path: String, _ body: () throws(SystemFailure) -> T
    ) throws(BrokerError) -> T {
        do throws(SystemFailure) {
            return try body()
        } catch {
            throw .output(path: error.path ?? path, operation: error.operation, errno: error.errno)
        }
    }
}
