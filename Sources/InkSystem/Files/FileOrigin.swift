import CSystem
import Glibc

/// Identifies a file in a way that no copy shares.
///
/// The inode number alone is not enough: many file systems give the number of a removed file to the next new one.
package struct FileOrigin: Hashable, Sendable {
    package let inode: UInt64
    /// Creation time in nanoseconds since 1970; 0 if the file system does not store it.
    package let birth: UInt64
    /// Generation of the inode number, different for each use; 0 if the file system does not store it.
    package let generation: UInt64

    package init(inode: UInt64, birth: UInt64, generation: UInt64) {
        self.inode = inode
        self.birth = birth
        self.generation = generation
    }

    /// Whether both belong to the same file, as far as the file system can tell. Values that one of them lacks are
    /// ignored.
    package func isSame(as other: FileOrigin) -> Bool {
        func agree(_ a: UInt64, _ b: UInt64) -> Bool { a == b || a == 0 || b == 0 }
        return inode == other.inode && agree(birth, other.birth) && agree(generation, other.generation)
    }
}

extension FileDescriptor {
    package func origin() throws(SystemFailure) -> FileOrigin {
        var (inode, birth, generation): (UInt64, UInt64, UInt64) = (0, 0, 0)
        guard ink_file_origin(rawValue, &inode, &birth, &generation) == 0 else {
            throw failure("look at")
        }
        return FileOrigin(inode: inode, birth: birth, generation: generation)
    }
}
