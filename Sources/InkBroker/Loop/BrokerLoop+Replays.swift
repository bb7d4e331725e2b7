import Glibc
import InkEngine
import InkProtocol
import InkSystem

/// Tasks that took their workers down are kept, so that somebody can look at them.
extension BrokerLoop {
    /// Larger tasks are not kept; of those before only the last, of so many bytes together.
    private static let replayBytesMax = 1 << 30
    static let replaysMax = 32

    /// Has the task that failed its job written to a file; returns its path, nil when there is nothing to keep.
    func keep(_ failure: JobFailure, of id: JobID) -> String? {
        guard let folder = configuration.replayFolder, case .attemptsExhausted(let position, let story) = failure,
            // A task that cannot be made again cannot be replayed; the failure itself is reported without.
            let export = exports[id], let role = export.role(of: position), let (task, _) = try? export.task(role)
        else { return nil }
        var blocks: [(id: BlockID, source: BlockSource)] = []
        var bytes = 0
        for block in task.blocks {
            guard let count = store.byteCount(of: block), bytes + count <= Self.replayBytesMax,
                let source = store.source(of: block)
            else { return nil }
            bytes += count
            blocks.append((block, source))
        }
        let name = role.description.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let path = "\(folder)/job-\(id.rawValue)-\(String(name)).replay"
        let title = ([export.name, role.description] + story).joined(separator: "; ")
        let head = ReplayFile.head(title: title, task: task, blockCount: blocks.count)
        // The job gives them up before they have been read.
        for block in blocks { store.retain(block.id) }
        let mailbox = mailbox
        checking.run { [blocks] in
            BrokerLoop.removeOldReplays(in: folder)
            // Without a disk to keep it on there is no replay; the job's error has been reported by then.
            try? BrokerLoop.writeReplay(head, blocks, to: path)
            mailbox.post(.blocksServed(blocks.map(\.id)))
        }
        return path
    }

    /// One block after the other, so that no more than one is in memory.
    private static func writeReplay(
        _ head: [UInt8], _ blocks: [(id: BlockID, source: BlockSource)], to path: String
    ) throws(SystemFailure) {
        var file = try PendingFile(target: path, tag: "new", mode: 0o600, makesFolders: false)
        do throws(SystemFailure) {
            try file.write(head)
            for (id, source) in blocks {
                try file.write(ReplayFile.record(of: Block(id: id, frame: try source.read())))
            }
            try file.sync()
            try file.publish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// Makes room for one more.
    static func removeOldReplays(in folder: String) {
        var replays: [(path: String, status: FileStatus)] = []
        // Files that cannot be looked at stay; they cost room, and the new one is written all the same.
        for name in (try? FileSystem.names(in: folder)) ?? [] where name.ends(with: ".replay".utf8) {
            let path = folder.appendingPath(String(decoding: name, as: UTF8.self))
            // Nor is one of unknown age removed.
            if let status = try? FileSystem.status(of: path, followingLink: false) { replays.append((path, status)) }
        }
        // The newest first.
        replays.sort { $1.status.modifiedAt < $0.status.modifiedAt }
        var bytes = 0
        for (index, replay) in replays.enumerated() {
            bytes += replay.status.byteCount
            if index >= replaysMax - 1 || bytes > replayBytesMax { unlink(replay.path) }
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with end: some BidirectionalCollection<UInt8>) -> Bool {
        reversed().starts(with: end.reversed())
    }
}
