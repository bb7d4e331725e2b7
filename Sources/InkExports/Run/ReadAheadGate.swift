import Dispatch
import Synchronization

/// Bounds how many projects, and how many bytes of them, are in memory between being read and being exported.
final class ReadAheadGate: Sendable {
    private struct State {
        var count = 0
        var byteCount = 0
        var isOpen = true
    }

    private let countMax: Int
    private let byteCountMax: Int
    private let state = Mutex(State())
    private let changes = DispatchSemaphore(value: 0)

    init(countMax: Int, byteCountMax: Int) {
        self.countMax = countMax
        self.byteCountMax = byteCountMax
    }

    /// Waits until there is room for a project of `byteCount` bytes; one that is larger than all room may come in
    /// alone. False when the gate has been closed. Several threads may wait.
    func enter(byteCount: Int) -> Bool {
        while true {
            let verdict: Bool? = state.withLock { state in
                guard state.isOpen else { return false }
                let isRoom = state.count < countMax && state.byteCount + byteCount <= byteCountMax
                guard isRoom || state.count == 0 else { return nil }
                state.count += 1
                state.byteCount += byteCount
                return true
            }
            if let verdict {
                // Those who wait behind it see that there is still room, or that the gate is closed.
                changes.signal()
                return verdict
            }
            changes.wait()
        }
    }

    func leave(byteCount: Int) {
        state.withLock { state in
            state.count -= 1
            state.byteCount -= byteCount
        }
        changes.signal()
    }

    /// Closes the gate.
    func close() {
        state.withLock { $0.isOpen = false }
        changes.signal()
    }
}
