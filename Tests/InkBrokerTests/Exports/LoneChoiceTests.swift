import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker

/// One thread, and documents of which nobody has read anything.
@Suite("Which pictures a worker makes alone")
struct LoneChoiceTests {
    private static let size = PixelSize(width: 100, height: 100)

    /// A farm's exports, and the lives of those that have been begun.
    private struct Exports {
        var state: ExportsState
        private var lives: [JobID: ExportLife] = [:]

        init(_ rules: ExportRules = ExportRules(preparingMax: 99)) { state = ExportsState(rules: rules) }

        mutating func submit(_ id: UInt64, priority: Int = 0, others: Int = 0, pixels: Double? = 10_000) {
            let source = DocumentSource { () throws(BrokerError) in throw .internalError("nobody opens it") }
            var job = ExportJob(
                id: JobID(id), name: "a", source: .document(source), destination: "a.png", priority: priority)
            (job.othersWaiting, job.pixelCount) = (others, pixels)
            handle(.submitted(job))
        }

        private mutating func handle(_ event: ExportEvent) {
            for action in state.handle(event, now: 0, mayPrepare: true, threads: 1) {
                if case .prepare(let life, _) = action { lives[life.job] = life }
            }
        }

        /// Whether it is to be made alone, once its document of so many bytes is there.
        mutating func isAlone(
            _ id: UInt64, bytes: Int = 100, _ change: (inout PictureOptions) -> Void = { _ in }
        ) throws -> Bool {
            let life = try #require(lives[JobID(id)])
            var options = PictureOptions()
            change(&options)
            let document = OpenedDocument(
                name: "a", bytes: [UInt8](repeating: 32, count: bytes),
                picture: PictureSpec(size: .exact(LoneChoiceTests.size), options: options), software: ""
            ) { _ in [] }
            let job = ExportJob(
                id: JobID(id), name: "a", source: .document(DocumentSource { () throws(BrokerError) in document }),
                destination: "a.png")
            var blocks: [EncodedBlock] = []
            let readable = try Readable(document, of: job, digestsStrokes: false, blocks: &blocks)
            handle(.answered(life, .readable(readable, blocks: blocks)))
            #expect(state.brokenInvariants == [])
            return state[JobID(id)]?.isAlone == true
        }
    }

    @Test("Only pictures that are as urgent count as waiting")
    func priorities() throws {
        var exports = Exports()
        exports.submit(1, priority: 5)
        exports.submit(2, priority: 0, others: 9)
        exports.submit(3, priority: 0, others: 9)
        // Whoever waits is less urgent.
        #expect(try !exports.isAlone(1))
        #expect(try exports.isAlone(2))
        exports.submit(4, priority: 5, others: 1)
        #expect(try exports.isAlone(3) && exports.isAlone(4))
    }

    @Test("How many bytes a document has is known when it is opened, how many pixels are wanted has to be before")
    func sizes() throws {
        var exports = Exports()
        for id in 1...4 as ClosedRange<UInt64> { exports.submit(id, others: 9, pixels: id == 4 ? nil : 10_000) }
        #expect(try exports.isAlone(1))
        #expect(try !exports.isAlone(2, bytes: 20_000_000))
        #expect(try !exports.isAlone(3) { $0.files[0].encoding.bytesMax = 1_000 })
        #expect(try !exports.isAlone(4))
    }

    @Test("Their pieces have room, all together")
    func room() throws {
        // For three pictures of the least bytes.
        var exports = Exports(ExportRules(activeMax: 1, preparingMax: 99, loneBytes: 3 << 20))
        for id in 1...9 as ClosedRange<UInt64> { exports.submit(id, others: 9) }
        for id in 1...3 as ClosedRange<UInt64> {
            #expect(try exports.isAlone(id))
        }
        #expect(exports.state.loneBytes == 3 << 20)
        // It takes the place of those that are made by many, so none further is begun.
        #expect(try !exports.isAlone(4))
        #expect(exports.state[JobID(5)] == nil && exports.state.loneBytes == 3 << 20)
    }

    @Test("Pieces are taken up to the bytes that there is room for")
    func pieces() throws {
        var result = TaskResult()
        let piece = EncodedPiece(rowCount: 1, rawByteCount: 1, adler32: 1, bytes: [1, 2, 3])
        for _ in 0..<3 { try result.addPiece(piece, bytesMax: 9) }
        #expect(throws: ProtocolError.overLimit(what: "the pieces of a picture", found: 12, limit: 9)) {
            try result.addPiece(piece, bytesMax: 9)
        }
        #expect(result.pieces == [piece, piece, piece])
    }

    @Test(
        "The bounds of the task follow from the picture",
        arguments: [(100.0, 1, 1 << 20), (1e6, 1, 4_000_000), (1e6, 3, 12_000_000)])
    func bounds(pixels: Double, files: Int, bytes: Int) throws {
        let source = DocumentSource { () throws(BrokerError) in throw .internalError("nobody opens it") }
        var job = ExportJob(id: JobID(1), name: "a", source: .document(source), destination: "a.png")
        job.destinations = (0..<files).map { "\($0).png" }
        job.pixelCount = pixels
        let block = FakeBlocks.id(of: [1])
        let readable = Readable(task: .local(block), cost: TaskCost(bytes: 0, nanoseconds: 0))
        let bounds = LoneBounds(RoughSize.Known(job), readable, nanosecondsMax: 2_000_000_000)
        #expect(bounds?.pieceBytesMax == bytes && bounds?.task(.local(block)).pieceBytesMax == bytes)
        job.pixelCount = 1e9
        #expect(LoneBounds(RoughSize.Known(job), readable, nanosecondsMax: 2_000_000_000) == nil)
        let longest = LoneBounds(RoughSize.Known(job), readable, nanosecondsMax: .max)
        #expect(longest?.pieceBytesMax == WholeTask.pieceBytesLimit)
    }
}
