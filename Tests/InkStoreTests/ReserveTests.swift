import Foundation
import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

/// Stores on disks without room.
@Suite("A full disk", .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
struct ReserveTests {
    private let disk: SmallDisk
    private let path: String

    init() throws {
        disk = try #require(try SmallDisk(byteCount: 4 << 20))
        path = disk.path + "/data"
    }

    @Test("New jobs are refused where the disk is full, ends of the others and purging are not")
    func ends() throws {
        let data = try DataFolder(path: path)
        let store = try JobStore(path: data.jobsPath, in: data)
        #expect(store.hasReserve)
        for number: JobNumber in 1...20 { _ = try store.apply([.accept(StoreSamples.record(number))]) }
        disk.fill()
        for number: JobNumber in 1...20 {
            #expect(try store.apply([StoreSamples.ended(number, .failed(.badInput, text: "x"))]) == [.done])
        }
        #expect(!store.hasReserve)
        #expect(throws: StoreError.full(path: path)) { try store.apply([.accept(StoreSamples.record(21))]) }
        #expect(throws: StoreError.full(path: path)) { try store.apply([.probe]) }
        #expect(try store.apply((1...20).map { .purged($0) }) == Array(repeating: .done, count: 20))
        disk.makeRoom()
        #expect(try store.apply([.probe]) == [.done] && store.hasReserve)
        #expect(try store.apply([.accept(StoreSamples.record(21))]) == [.accepted(21, isNew: true)])
        store.close()
    }

    @Test("A store that is opened on a full disk is the same one and lets itself be purged")
    func opened() throws {
        let id: SubmissionKey
        do {
            let data = try DataFolder(path: path)
            let store = try JobStore(path: data.jobsPath, in: data)
            id = store.storeID
            for number: JobNumber in 1...9 {
                _ = try store.apply([
                    .accept(StoreSamples.record(number)), StoreSamples.ended(number, .failed(.badInput, text: "x")),
                ])
            }
            store.close()
            data.release()
        }
        disk.fill()
        let data = try DataFolder(path: path)
        let store = try JobStore(path: data.jobsPath, in: data)
        #expect(store.storeID == id && !store.isRestored && !store.hasReserve)
        #expect(try store.apply((1...9).map { .purged($0) }) == Array(repeating: .done, count: 9))
        #expect(throws: StoreError.full(path: path)) { try store.apply([.accept(StoreSamples.record(10))]) }
        store.close()
    }
}
