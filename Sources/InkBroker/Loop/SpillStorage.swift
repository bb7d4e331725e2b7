import Glibc
import InkSystem
import Synchronization

/// Where blocks beyond the memory budget lie. Any thread may read while another writes elsewhere in it.
protocol SpillStorage: Sendable {
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure)
    func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8]
    func truncate(to size: Int) throws(SystemFailure)
}

/// A file without a name, which is gone when the process is. It is made for the first bytes.
final class NamelessFile: SpillStorage {
    private let folder: String
    private let file = Mutex<FileDescriptor?>(nil)

    init(in folder: String) { self.folder = folder }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) { try opened().write(bytes, at: offset) }

    func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
        try opened().read(count, at: offset)
    }

    func truncate(to size: Int) throws(SystemFailure) { try opened().truncate(to: size) }

    private func opened() throws(SystemFailure) -> FileDescriptor {
        let result: Result<FileDescriptor, SystemFailure> = file.withLock { file in
            if let file { return .success(file) }
            do throws(SystemFailure) {
                let made = try Self.make(in: folder)
                file = made
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func make(in folder: String) throws(SystemFailure) -> FileDescriptor {
        let path = "\(folder)/.ink-blocks.\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let file: FileDescriptor
        do throws(SystemFailure) {
            file = try FileDescriptor(
                opening: path, flags: O_CREAT | O_EXCL | O_RDWR, mode: 0o600, operation: "create a file in \(folder)")
        } catch {
            throw error.at(folder)
        }
        unlink(path)
        return file
    }
}

/// Which bytes of the file are taken. Freed ranges are used again, first fit.
struct SpillSpace {
    private(set) var usedBytes = 0
    private(set) var end = 0
    /// Ascending, never touching each other nor the end.
    private var holes: [Range<Int>] = []

    mutating func take(_ count: Int, bytesMax: Int) throws(SystemFailure) -> Range<Int> {
        if let index = holes.firstIndex(where: { $0.count >= count }) {
            let hole = holes[index]
            let range = hole.lowerBound..<(hole.lowerBound + count)
            if range == hole { holes.remove(at: index) } else { holes[index] = range.upperBound..<hole.upperBound }
            usedBytes += count
            return range
        }
        guard count <= bytesMax, end <= bytesMax - count else { throw SystemFailure(operation: "grow", errno: EFBIG) }
        defer { end += count }
        usedBytes += count
        return end..<(end + count)
    }

    /// Returns whether the file's end has come nearer.
    mutating func free(_ range: Range<Int>) -> Bool {
        usedBytes -= range.count
        var range = range
        var index = holes.firstIndex { $0.lowerBound >= range.upperBound } ?? holes.endIndex
        if index < holes.endIndex, holes[index].lowerBound == range.upperBound {
            range = range.lowerBound..<holes.remove(at: index).upperBound
        }
        if index > 0, holes[index - 1].upperBound == range.lowerBound {
            index -= 1
            range = holes.remove(at: index).lowerBound..<range.upperBound
        }
        guard range.upperBound == end else {
            holes.insert(range, at: index)
            return false
        }
        end = range.lowerBound
        return true
    }
}
