import Glibc
import InkEngine
import InkSystem

extension FinishedPicture {
    private static let pieceBytes = 1 << 20

    /// Whether the very picture stands at a path: its bytes are counted and hashed, piece by piece. False also where that
    /// cannot be found out.
    package func isFile(at path: String) -> Bool {
        // A pipe would be waited for.
        guard let found = try? FileSystem.status(of: path), found.kind == .regular,
            UInt64(found.byteCount) == byteCount
        else { return false }
        let hash = SHA256()
        var count: UInt64 = 0
        do throws(SystemFailure) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
            var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
            while true {
                let read = try file.read(into: &buffer)
                if read == 0 { break }
                count += UInt64(read)
                guard count <= byteCount else { return false }
                hash.update(Array(buffer[..<read]))
            }
        } catch {
            return false
        }
        return count == byteCount && hash.finish() == digest
    }
}
