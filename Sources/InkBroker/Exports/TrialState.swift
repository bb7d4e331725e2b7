import InkCodecs
import InkEngine
import InkPlanning

/// The search for the best quality with which a picture's file is not larger than asked for. Each trial encodes the file
/// again, from the kept tiles.
///
/// Pure; holds the pieces of the best file so far, which are no more than asked for, and of one trial.
struct TrialState: Sendable {
    /// A file of one quality, from the top as far as it is there.
    private struct Trial: Sendable {
        let encoding: PictureEncoding
        let files: PictureSet
        var stitch: StitchState
        var pieces: [EncodedPiece] = []
    }

    private let grid: TileGrid
    private let format: PixelFormat
    private let head: PictureHead
    private let makeAssembler: AssemblerMaker
    private var search: QualitySearch
    private var trial: Trial?
    private var best: Trial?
    /// Trials begun.
    private(set) var count = 0

    /// nil for a picture without a file of limited size.
    init?(_ plan: PicturePlan, _ makeAssembler: @escaping AssemblerMaker) {
        // Where a file is made of several pictures, its format has no quality.
        guard plan.pictures.count == 1, let encoding = plan.whole.set.bounded?.encoding,
            let bytesMax = encoding.bytesMax
        else { return nil }
        (grid, format, head) = (plan.whole.grid, plan.whole.format, plan.heads[0])
        self.makeAssembler = makeAssembler
        search = QualitySearch(bytesMax: bytesMax, highest: encoding.quality)
    }

    /// The number of the trial under way.
    var number: Int { count - 1 }

    /// How the file is encoded in the trial under way; nil before the first and after the last.
    var encoding: PictureEncoding? { trial?.encoding }

    var isWhole: Bool { trial?.files.streamed.isEmpty == true }

    var isComplete: Bool { count > 0 && trial == nil }

    /// That was found.
    var quality: Int? { isComplete ? best?.encoding.quality : nil }

    /// Judges the trial under way, all of whose pieces are there, and begins the next, if there is one.
    ///
    /// - Throws: `EngineError.badInput` at `place` when even the lowest quality gives too large a file, and what the
    ///   assembler throws.
    mutating func advance(place: Place) throws(EngineError) {
        if let trial {
            search.note(trial.encoding.quality ?? 0, byteCount: try assembler(of: trial).byteCount(of: trial.pieces))
            if search.best?.quality == trial.encoding.quality { best = trial }
        }
        trial = nil
        guard let quality = search.next else {
            if best != nil { return }
            throw .badInput(
                place,
                reason:
                    "\(search.leastByteCount) bytes even with quality 1, more than the \(search.bytesMax) of --max-bytes"
            )
        }
        let encoding = head.encoding.with(quality: quality)
        let files = try PictureSet([encoding], pixels: format)
        trial = Trial(
            encoding: encoding, files: files, stitch: StitchState([(grid, files)], window: grid.rows))
        count += 1
    }

    /// What makes a piece of a trial useless; nil for one that comes late.
    func fault(in piece: EncodedPiece, row: Int, of number: Int) -> String? {
        guard let trial, number == self.number else { return nil }
        if isWhole { return trial.files.members[0].fault(inWhole: piece, grid.output, format) }
        do throws(StitchError) {
            try trial.stitch.check(piece, row: row)
            return nil
        } catch {
            if case .repeated = error { return nil }
            return error.description
        }
    }

    /// Takes a piece that has been checked.
    mutating func take(_ piece: EncodedPiece, row: Int, of number: Int) throws(StitchError) {
        guard number == self.number else { return }
        let pieces = isWhole ? [piece] : try trial?.stitch.accept(piece, row: row) ?? []
        trial?.pieces += pieces
    }

    /// The pieces of the file that was found, and what puts them together.
    mutating func takeBest() throws(EngineError) -> ([EncodedPiece], any PictureAssembler) {
        guard let found = best, isComplete else { throw .internalError("no file of limited size has been found") }
        best?.pieces = []
        return (found.pieces, try assembler(of: found))
    }

    private func assembler(of trial: Trial) throws(EngineError) -> any PictureAssembler {
        var head = head
        head.encoding = trial.encoding
        return try makeAssembler(head)
    }
}

extension PictureAssembler {
    /// The length of all files that the pieces of a picture make.
    func byteCount(of pieces: [EncodedPiece]) -> Int {
        var assembler = self
        var counts: [Int: Int] = [:]
        func count(_ writes: [PictureWrite]) {
            for write in writes {
                switch write {
                case .append(let bytes, let stream): counts[stream, default: 0] += bytes.count
                case .move(let store, let stream): counts[stream, default: 0] += counts.removeValue(forKey: store) ?? 0
                case .copy(_, _, let count, let stream): counts[stream, default: 0] += count
                // What refuses the picture does so when it is written.
                case .patch, .refuse: break
                }
            }
        }
        count(assembler.begin())
        for piece in pieces { count(assembler.add(piece)) }
        count(assembler.end())
        return (0..<fileCount).reduce(0) { $0 + (counts[$1] ?? 0) }
    }
}
