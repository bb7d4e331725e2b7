import InkProtocol

/// Contents of open submissions, and the pieces of them that the broker has requested.
struct UploadTable {
    private struct Content {
        var source: ContentSource
        var byteCount: UInt64
        /// Number of open submissions with this content.
        var holders: Int
        var hasFailed = false
    }

    private struct Window {
        /// The first byte that is not being read yet.
        var next: UInt64
        var end: UInt64
        /// Data read for an earlier request is dropped.
        var serial: UInt64
    }

    private var contents: [ContentID: Content] = [:]
    private var windows: [ContentID: Window] = [:]
    /// Contents with bytes to read, in turn.
    private var line: [ContentID] = []
    private var bytesInHand = 0
    private var lastSerial: UInt64 = 0

    mutating func hold(_ id: ContentID, _ source: ContentSource, byteCount: UInt64) {
        if contents[id] == nil || contents[id]?.hasFailed == true {
            let holders = contents[id]?.holders ?? 0
            contents[id] = Content(source: source, byteCount: byteCount, holders: holders)
        }
        contents[id]?.holders += 1
    }

    mutating func release(_ id: ContentID) {
        guard let content = contents[id] else { return }
        if content.holders > 1 {
            contents[id]?.holders -= 1
        } else {
            contents[id] = nil
            close(id)
        }
    }

    /// Whether the content could not be read.
    func hasFailed(_ id: ContentID) -> Bool { contents[id]?.hasFailed ?? false }

    mutating func fail(_ id: ContentID) {
        contents[id]?.hasFailed = true
        close(id)
    }

    /// Drops the requests; data being read still counts.
    mutating func endSession() {
        windows = [:]
        line = []
    }

    private mutating func close(_ id: ContentID) {
        windows[id] = nil
        line.removeAll { $0 == id }
    }

    /// Takes a request; false if there is no such content.
    mutating func open(_ id: ContentID, offset: UInt64, byteCount: UInt64) -> Bool {
        guard let content = contents[id], offset < content.byteCount else { return false }
        let count = min(byteCount, content.byteCount - offset, ProtocolLimits.transferWindowBytes)
        lastSerial += 1
        windows[id] = Window(next: offset, end: offset + count, serial: lastSerial)
        if !line.contains(id) { line.append(id) }
        return true
    }

    /// The next pieces to read, as far as memory and the connection allow.
    mutating func nextReads(
        _ rules: ClientRules, _ connection: inout LineWindow, now: UInt64
    ) -> [ClientAction] {
        var reads: [ClientAction] = []
        while bytesInHand < rules.uploadBytes, let id = line.first {
            guard let window = windows[id], let content = contents[id], window.next < window.end else {
                line.removeFirst()
                continue
            }
            let partBytes = min(rules.uploadPartBytes, connection.partBytes)
            let count = Int(min(UInt64(partBytes), window.end - window.next))
            guard connection.hasRoom(for: count, beside: bytesInHand, now: now) else { break }
            line.removeFirst()
            reads.append(
                .read(id, content.source, serial: window.serial, offset: window.next, byteCount: count))
            windows[id]?.next += UInt64(count)
            bytesInHand += count
            if window.next + UInt64(count) < window.end { line.append(id) }
        }
        return reads
    }

    /// Whether a piece that has been read is still needed.
    mutating func take(_ read: ContentRead) -> Bool {
        bytesInHand -= read.byteCount
        return windows[read.id]?.serial == read.serial
    }
}

extension ClientState {
    mutating func asked(for id: ContentID, _ offset: UInt64, _ byteCount: UInt64, now: Int64) {
        guard isServing else { return }
        guard uploads.open(id, offset: offset, byteCount: byteCount) else {
            send(.contentUnavailable(id, reason: "this client no longer has the content"))
            return
        }
        readContents(now: now)
    }

    /// Reads as much as the line has room for.
    mutating func readContents(now: Int64) {
        actions += uploads.nextReads(rules, &line, now: UInt64(max(0, now)))
    }

    mutating func take(_ read: ContentRead, now: Int64) {
        if uploads.take(read) {
            switch read.result {
            case .success(let bytes):
                line.send(bytes.count, now: UInt64(max(0, now)))
                send(.contentPart(ContentPart(id: read.id, offset: read.offset, bytes: bytes)))
            case .failure(let failure):
                uploads.fail(read.id)
                send(.contentUnavailable(read.id, reason: failure.description))
            }
        }
        readContents(now: now)
    }
}
