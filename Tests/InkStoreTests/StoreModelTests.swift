import Glibc
import InkTestSupport
import Testing

@testable import InkStore

@Suite("A store and its model")
struct StoreModelTests {
    /// In memory where there is such a place: every batch is synced.
    static func folder() throws -> TemporaryFolder {
        try TemporaryFolder(prefix: "ink-store", in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
    }

    @Test("Whatever happens to jobs, the store says what the model says", arguments: 0..<250)
    func sameAsModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try Self.folder()
        let path = folder.path(of: "jobs.sqlite")
        var store = try JobStore(path: path)
        let storeID = store.storeID
        var model = StoreModel()
        for batch in 0..<random.int(1...15) {
            let entries = model.batch(random.int(1...60), refusedEvery: 8, &random)
            let expected = model.apply(entries)
            let outcomes = try? store.apply(entries)
            #expect(outcomes == expected, "seed \(seed), batch \(batch): \(entries)")
            if random.chance(30) { store = try JobStore(path: path) }
            let difference = try model.difference(from: store, &random)
            try #require(difference == nil, "seed \(seed), batch \(batch)")
        }
        #expect(store.storeID == storeID, "seed \(seed)")
    }
}
