import InkSystem

/// Where a path leads, whatever its spelling. Compared by bytes: Swift's == also equates canonically equivalent names, which
/// are two files.
package struct FilePlace: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ path: String) { self.init(resolved: FileSystem.resolved(path)) }

    /// - Parameter resolved: the one spelling of all paths to the place.
    init(resolved path: String) { bytes = Array(path.utf8) }

    /// Whether it is below that folder.
    func isInside(_ folder: FilePlace) -> Bool { bytes.starts(with: folder.bytes + [UInt8(ascii: "/")]) }

    /// Whether it is that name in that folder.
    func isName(_ name: String, in folder: FilePlace) -> Bool {
        bytes == folder.bytes + [UInt8(ascii: "/")] + Array(name.utf8)
    }
}
