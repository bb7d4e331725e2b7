import InkTestSupport
import Testing

@testable import InkService

@Suite("What autoscalers go by", .waits, .timeLimit(.minutes(5)))
struct TileBacklogTests {
    @Test("Tiles that are left count, and jobs that are not cut yet as many as the others have on average")
    func tiles() {
        for (exports, waiting, expected) in [
            ([], 0, 0), ([(10, 64), (0, 32)], 0, 54 + 32), ([(0, 20), (0, 40)], 10, 60 + 10 * 30),
            ([(0, 0), (5, 20)], 0, 15 + 20), ([], 100, 100 * TileBacklog.tilesOfJob),
            ([(0, 0)], 1, 2 * TileBacklog.tilesOfJob), ([(3, 3), (0, 4)], 1, 4 + 4), ([(5, 4)], 0, 0),
        ] as [([(done: Int, total: Int)], Int, Int)] {
            #expect(TileBacklog.tiles(exports: exports, waiting: waiting) == expected, "\(exports) \(waiting)")
        }
    }
}
