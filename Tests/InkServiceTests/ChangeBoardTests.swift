import Testing

@testable import InkService

@Suite("What has changed")
struct ChangeBoardTests {
    @Test func changesAreToldOnceAndInFull() {
        let board = ChangeBoard()
        board.note([1, 2, 1])
        let first = board.changes(after: 0)
        #expect(first.jobs == [1, 2] && first.isWhole)
        board.note([3])
        let second = board.changes(after: first.version)
        #expect(second.jobs == [3] && second.isWhole)
        #expect(board.changes(after: second.version).jobs.isEmpty)
    }

    /// Lists once kept rows of jobs that a large purge had removed.
    @Test func whoeverComesTooLateIsToldSo() {
        let board = ChangeBoard()
        board.note(1...20_000)
        let late = board.changes(after: 0)
        #expect(!late.isWhole && !late.jobs.isEmpty && late.version == 20_000)
        #expect(board.changes(after: late.version).isWhole)
        board.note([7])
        #expect(board.changes(after: late.version).jobs == [7])
    }
}
