import Glibc
import InkEngine
import InkSystem

extension PictureReport {
    private static let pieceBytes = 1 << 20

    /// Whether the file at a path is this picture, by its size and hash. The file is read piece by piece. Also false if
    /// it cannot be read.
    package func isFile(at path: String) -> Bool {
        // Opening a pipe would block.
        // A file that cannot be examined is not known to be this picture.
        guard let found = try? FileSystem.status(of: path), found.kind == .regular,
            found.byteCount == byteCount
        else { return false }
        let hash = SHA256()
        var count = 0
        do throws(SystemFailure) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
            var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
            while true {
                let read = try file.read(into: &buffer)
                if read == 0 { break }
                count += read
                guard count <= byteCount else { return false }
                hash.update(Array(buffer[..<read]))
            }
        } catch {
            return false
        }
        return count == byteCount && hash.finish() == digest
    }
}
