import Glibc
import InkEngine
import InkSystem
import Synchronization

/// Documents that are being received, in a folder of the data folder.
enum Spool {
    private static func folder(_ data: String) -> String { "\(data)/uploads" }

    /// Makes the folder, without what an earlier life has left.
    static func clear(_ data: String) throws(GatewayError) {
        FileSystem.removeTree(folder(data))
        guard mkdir(folder(data), 0o700) == 0 || errno == EEXIST else {
            throw .system(SystemFailure(operation: "make the folder \(folder(data))", errno: errno))
        }
    }

    /// One request's documents; its folder is removed with it.
    final class Upload: Sendable {
        let folder: String
        private let count = Atomic<Int>(0)

        init(_ data: String) throws(Problem) {
            var generator = SystemRandomNumberGenerator()
            let number = UInt64.random(in: 0 ... .max, using: &generator)
            folder = "\(Spool.folder(data))/\(String(number, radix: 16))"
            // The folder around it may have been removed since the start.
            var made: [String] = []
            do throws(SystemFailure) { try FileSystem.makeFolders(folder, mode: 0o700, made: &made) } catch {
                throw Spool.problem(error.errno)
            }
        }

        deinit { FileSystem.removeTree(folder) }

        /// A file for a document of this name. Each is in a folder of its own, so that names may be equal.
        func file(named name: String) throws(Problem) -> SpooledFile {
            let place = "\(folder)/\(count.add(1, ordering: .relaxed).newValue)"
            guard mkdir(place, 0o700) == 0 else { throw Spool.problem(errno) }
            return try SpooledFile(name: name, path: "\(place)/\(Spool.fileName(name))")
        }
    }

    /// The last part of a name, such as it can be a file's.
    static func fileName(_ name: String) -> String {
        var last =
            name.replacing("\0", with: "").split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
            ?? ""
        while last.utf8.count > 200 { last.removeFirst() }
        return last.isEmpty || last.hasPrefix(".") ? "document\(last)" : last
    }

    static func problem(_ code: Int32) -> Problem {
        switch code {
        case ENOSPC, EDQUOT: .busy("the broker's disk is full; make room, then send this again", retrySeconds: 30)
        case EMFILE, ENFILE: .busy("the broker has no file descriptor left; send this again later", retrySeconds: 5)
        default:
            Problem(500, "Internal Server Error", "the document cannot be stored: \(SystemFailure.text(of: code))")
        }
    }
}

/// A document on its way to the disk. Used by one thread at a time.
final class SpooledFile: Sendable {
    /// As the client named it.
    let name: String
    let path: String
    private let file: FileDescriptor
    private let written = Atomic<Int>(0)
    var byteCount: Int { written.load(ordering: .relaxed) }

    init(name: String, path: String) throws(Problem) {
        self.name = name
        self.path = path
        file = try rethrowing(
            try FileDescriptor(
                opening: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, operation: "create")
        ) { (error: SystemFailure) in Spool.problem(error.errno) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        do throws(SystemFailure) { try file.write(Array(bytes), at: byteCount) } catch {
            throw Spool.problem(error.errno)
        }
        written.add(bytes.count, ordering: .relaxed)
    }
}
