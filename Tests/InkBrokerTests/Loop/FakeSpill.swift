import Foundation
import Glibc
import InkSystem
import Synchronization

@testable import InkBroker

/// A disk for blocks whose speed and faults a test sets.
final class FakeSpill: SpillStorage {
    private struct State {
        var bytes: [UInt8] = []
        /// Bytes that cannot be read any more; what is written there anew can be.
        var spoilt = IndexSet()
        /// Numbers of calls that fail, the first is 1.
        var failingWrites: Set<Int> = []
        var failingReads: Set<Int> = []
        var holdsWrites = false
        var holdsReads = false
        var held = 0
        var writes = 0
        var reads = 0
    }

    private let state = Mutex(State())

    /// Calls that have ended.
    var writes: Int { state.withLock(\.writes) }
    var reads: Int { state.withLock(\.reads) }
    /// Calls that wait until the disk is let go.
    var held: Int { state.withLock(\.held) }

    func fail(writes: Set<Int> = [], reads: Set<Int> = []) {
        state.withLock { state in
            state.failingWrites = writes
            state.failingReads = reads
        }
    }

    /// Nothing of what has been written can be read again.
    func spoil() { state.withLock { $0.spoilt = IndexSet(integersIn: 0..<$0.bytes.count) } }

    /// No such call ends before `letGo`.
    func holdWrites() { state.withLock { $0.holdsWrites = true } }
    func holdReads() { state.withLock { $0.holdsReads = true } }

    func letGo() {
        state.withLock { state in
            state.holdsWrites = false
            state.holdsReads = false
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        wait(while: \.holdsWrites)
        let isRefused = state.withLock { state in
            state.writes += 1
            if state.failingWrites.contains(state.writes) { return true }
            if state.bytes.count < offset + bytes.count {
                state.bytes += [UInt8](repeating: 0, count: offset + bytes.count - state.bytes.count)
            }
            state.bytes.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            state.spoilt.remove(integersIn: offset..<(offset + bytes.count))
            return false
        }
        if isRefused { throw SystemFailure(operation: "write", errno: ENOSPC) }
    }

    func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
        wait(while: \.holdsReads)
        let bytes: [UInt8]? = state.withLock { state in
            state.reads += 1
            let range = offset..<(offset + count)
            guard !state.failingReads.contains(state.reads), range.upperBound <= state.bytes.count,
                !state.spoilt.intersects(integersIn: range)
            else { return nil }
            return Array(state.bytes[range])
        }
        guard let bytes else { throw SystemFailure(operation: "read", errno: EIO) }
        return bytes
    }

    func truncate(to size: Int) throws(SystemFailure) {
        state.withLock { state in
            state.bytes.removeLast(max(0, state.bytes.count - size))
            state.spoilt.remove(integersIn: size..<Int.max)
        }
    }

    private func wait(while isHeld: (borrowing State) -> Bool) {
        guard state.withLock({ isHeld($0) }) else { return }
        state.withLock { $0.held += 1 }
        while state.withLock({ isHeld($0) }) { usleep(1_000) }
        state.withLock { $0.held -= 1 }
    }
}
