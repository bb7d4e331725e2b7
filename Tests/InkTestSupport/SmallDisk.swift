import Glibc

/// A small file system of its own in memory, unmounted at the end.
public final class SmallDisk: Sendable {
    public static let isAvailable = ((try? SmallDisk(byteCount: 1 << 16)) ?? nil) != nil

    private let folder: TemporaryFolder
    public var path: String { folder.path }

    /// Nil where mounting is not allowed.
    public init?(byteCount: Int) throws {
        folder = try TemporaryFolder(prefix: "ink-disk")
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(byteCount)") == 0 else { return nil }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Leaves no room for a single byte.
    public func fill() {
        let file = open(path + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(file, bytes, size) > 0 {}
        }
    }

    public func makeRoom() { unlink(path + "/ballast") }
}
