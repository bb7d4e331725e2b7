import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import InkTestSupport
import Testing

@testable import InkBroker

@Suite("Results of tiles on the disk")
struct ResultStoreTests {
    private func result(_ byte: UInt8) -> KeptResult {
        KeptResult(
            band: EncodedPiece(rowCount: 1, rawByteCount: 4, adler32: 5, bytes: [byte, byte, byte, byte]), pixels: nil)
    }

    private func key(_ number: UInt8) -> BlockID { BlockID(hashing: [number]) }

    @Test("A folder that is removed while the program runs is made again, and results are kept in it")
    func removedFolder() throws {
        let folder = try TemporaryFolder(prefix: "ink-results")
        let path = folder.path(of: "deep/results")
        let store = try ResultStore(folder: path, bytesMax: 1 << 20)
        #expect(store.keep(result(1), as: key(1)) == nil && store.result(key(1)) != nil)
        FileSystem.removeTree(folder.path(of: "deep"))
        #expect(store.result(key(1)) == nil)
        #expect(store.keep(result(2), as: key(2)) == nil)
        #expect(store.result(key(2))?.band?.bytes == [2, 2, 2, 2] && store.result(key(1)) == nil)
        // Another process finds it.
        #expect(try ResultStore(folder: path, bytesMax: 1 << 20).result(key(2)) != nil)
    }

    @Test("Why a result cannot be kept is told")
    func noFolder() throws {
        let folder = try TemporaryFolder(prefix: "ink-results")
        let path = folder.path(of: "results")
        let store = try ResultStore(folder: path, bytesMax: 1 << 20)
        FileSystem.removeTree(path)
        // A file in its place.
        try PendingFile.write([1], to: path)
        #expect(store.keep(result(1), as: key(1)) != nil)
        unlink(path)
        #expect(store.keep(result(1), as: key(1)) == nil)
    }
}

@Suite("How fast a worker is")
struct RecentRateTests {
    @Test("A mean over the last ten seconds, or since the first task")
    func mean() {
        var rate = RecentRate()
        func at(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) + 1_000_000_000_000 }
        #expect(rate.perSecond(now: at(0)) == 0)
        for index in 0..<10 { rate.add(now: at(Double(index) / 5)) }
        #expect(rate.perSecond(now: at(1.9)) == 5)
        #expect(rate.perSecond(now: at(9)) == 1)
        #expect(rate.perSecond(now: at(10)) == 0.5)
        #expect(rate.perSecond(now: at(30)) == 0)
        rate.add(now: at(31))
        #expect(rate.perSecond(now: at(31)) == 0.1)
    }
}
