import InkProtocol

/// A job as the scheduler sees it.
struct ScheduledJob: Sendable {
    let id: JobID
    var priority: Int
    let weight: UInt64
    /// The renderer version of its first task, which all others have to be of.
    var version: String?
    /// Since when no worker of that version has been there.
    var orphanedSince: UInt64?
    /// Weighted turns taken, in estimated nanoseconds; the job that is furthest behind goes next.
    var pass: UInt64
    let decodes: [TaskCost]
    var nextDecode = 0
    var decodesLeft: Int
    var schedule: TileSchedule?
    var nextRow = 0
    var nextColumn = 0
    /// Rows of tiles begun and not complete: how many tiles are missing.
    var openRows: [Int: Int] = [:]
    /// Rows whose encoding waits for a worker, ascending.
    var encodable: [Int] = []
    var rowsAccepted = 0
    var rowsWritten = 0
    /// Tasks with a record.
    var tasks: Set<TaskID> = []
    /// Tasks that wait for another try, oldest first; suspects are elsewhere.
    var retries: [TaskID] = []

    init(id: JobID, priority: Int, weight: Int, decodes: [TaskCost], pass: UInt64) {
        self.id = id
        self.priority = priority
        self.weight = UInt64(max(1, min(weight, 1_000_000)))
        self.pass = pass
        self.decodes = decodes
        decodesLeft = decodes.count
    }

    /// The next task that has never been dispatched, if one may be now.
    var fresh: (role: TaskRole, cost: TaskCost)? {
        if nextDecode < decodes.count { return (.decode(nextDecode), decodes[nextDecode]) }
        guard let schedule else { return nil }
        if let row = encodable.first { return (.encode(row: row), schedule.encodeCost) }
        guard nextRow < schedule.rows, nextRow - rowsWritten < schedule.window else { return nil }
        return (.tile(row: nextRow, column: nextColumn), schedule.tileCost)
    }

    /// Estimated nanoseconds of the tasks that can be dispatched while one of them takes long; nil before the tiles are
    /// known.
    var workBeside: Double? {
        guard let schedule else { return nil }
        let rows = min(schedule.rows - nextRow, schedule.window)
        let tiles = rows * schedule.columns - nextColumn
        return Double(max(0, tiles)) * Double(schedule.tileCost.nanoseconds)
    }

    /// Moves past what `fresh` said.
    mutating func takeFresh() {
        if nextDecode < decodes.count {
            nextDecode += 1
        } else if !encodable.isEmpty {
            encodable.removeFirst()
        } else if let schedule {
            if nextColumn == 0 { openRows[nextRow] = schedule.columns }
            nextColumn += 1
            if nextColumn == schedule.columns {
                nextColumn = 0
                nextRow += 1
            }
        }
    }

    /// What an accepted result opens up.
    enum Progress {
        case more
        case planTiles
        case complete
    }

    mutating func accept(_ role: TaskRole) -> Progress {
        switch role {
        case .decode:
            decodesLeft -= 1
            return decodesLeft == 0 ? .planTiles : .more
        case .tile(let row, _):
            guard let left = openRows[row], left <= 1 else {
                openRows[row]? -= 1
                return .more
            }
            openRows[row] = nil
            guard schedule?.needsEncoding == true else { return acceptRow() }
            encodable.insert(row, at: encodable.firstIndex { $0 > row } ?? encodable.endIndex)
            return .more
        case .encode: return acceptRow()
        }
    }

    private mutating func acceptRow() -> Progress {
        rowsAccepted += 1
        return rowsAccepted == schedule?.rows ? .complete : .more
    }
}
