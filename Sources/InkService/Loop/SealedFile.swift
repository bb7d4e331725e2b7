import Glibc
import InkEngine
import InkFiles
import InkProtocol
import InkStore
import Synchronization

/// Pictures that were complete when an earlier life of the broker ended.
enum SealedFile {
    /// Whether the picture stands at a path: its bytes are counted and hashed.
    static func isThere(_ path: String, _ picture: FinishedPicture) -> Bool {
        let hash = SHA256()
        var count: UInt64 = 0
        do throws(SystemFailure) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let read = try file.read(into: &buffer)
                if read == 0 { break }
                count += UInt64(read)
                guard count <= picture.byteCount else { return false }
                hash.update(Array(buffer[..<read]))
            }
        } catch {
            return false
        }
        return count == picture.byteCount && hash.finish() == picture.digest
    }

    /// Gives a picture that waits under its temporary name its own. Returns whether it could be done.
    static func publish(_ seal: PictureSeal) -> Bool {
        guard isThere(seal.temporary, seal.picture), rename(seal.temporary, seal.target) == 0 else { return false }
        try? FileSystem.syncFolder(seal.target.splitPath().folder)
        return true
    }
}

/// The pictures that the broker keeps for its clients.
enum PictureFolder {
    static func path(of job: JobNumber, in data: DataFolder) -> String { "\(data.picturesFolder)/\(job).png" }

    /// The jobs that there are pictures of.
    static func jobs(in data: DataFolder) -> [JobNumber] {
        data.pictureNames.compactMap { name in
            name.hasSuffix(".png") ? JobNumber(name.dropLast(4)).flatMap { "\($0).png" == name ? $0 : nil } : nil
        }
    }

    static func remove(_ job: JobNumber, from data: DataFolder, _ contents: ContentFolder) {
        let path = path(of: job, in: data)
        var status = stat()
        guard stat(path, &status) == 0, unlink(path) == 0 else { return }
        contents.release(bytes: Int(status.st_size))
    }
}

/// The room of a picture that is about to be kept, until it is or is not.
final class PictureReservation: Sendable {
    private let contents: ContentFolder
    private let bytes = Mutex(0)

    init(in contents: ContentFolder) { self.contents = contents }

    /// - Throws: `quota`.
    func take(bytes count: Int) throws(StoreError) {
        try contents.reserve(bytes: count)
        bytes.withLock { $0 += count }
    }

    /// There will be no picture.
    func giveBack() {
        let count = bytes.withLock { bytes in
            defer { bytes = 0 }
            return bytes
        }
        contents.release(bytes: count)
    }
}
