import Glibc
import InkEngine
import InkProtocol

/// Tasks that took their workers down are kept, so that somebody can look at them.
extension BrokerLoop {
    /// More than this is not kept, bytes.
    private static let replayBytesMax = 1 << 30

    /// Has the task that failed its job written to a file; returns its path, nil when there is nothing to keep.
    func keep(_ failure: JobFailure, of id: JobID) -> String? {
        guard let folder = configuration.replayFolder, case .attemptsExhausted(let role, let story) = failure,
            let job = jobs[id], let (task, _) = try? makeTask(role, of: job)
        else { return nil }
        var blocks: [Block] = []
        var bytes = 0
        for block in task.blocks {
            guard let count = store.byteCount(of: block), bytes + count <= Self.replayBytesMax,
                let frame = try? store.part(of: block, offset: 0, count: count)
            else { return nil }
            bytes += count
            blocks.append(Block(id: block, frame: frame))
        }
        let name = role.description.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let path = "\(folder)/job-\(id.rawValue)-\(String(name)).replay"
        let title = ([job.name, role.description] + story).joined(separator: "; ")
        let file = ReplayFile(title: title, task: task, blocks: blocks)
        writing.run { BrokerLoop.write(file.encoded(), to: path) }
        return path
    }

    /// Without a disk to keep it on there is no replay; the job's error has been told by then.
    private static func write(_ bytes: [UInt8], to path: String) {
        let temporary = path + ".part"
        unlink(temporary)
        do throws(SystemFailure) {
            let file = try FileDescriptor(
                opening: temporary, flags: O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode: 0o600, operation: "create")
            try file.write(bytes)
            try file.sync()
            rename(temporary, path)
        } catch {
            unlink(temporary)
        }
    }
}
