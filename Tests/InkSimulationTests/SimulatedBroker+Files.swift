import Glibc
import InkCodecs
import InkEngine
import InkStore
import InkTestSupport

@testable import InkBroker
@testable import InkProtocol
@testable import InkService

/// Files: a picture is written under a temporary name, synced, sealed in the journal, and gets its name. For a picture
/// that is a folder, an archive is written in a temporary folder beside its place and unpacked there before the seal; then
/// the new folder is exchanged for what is at the place, and the description is written beside it, if it has one there.
extension SimulatedBroker {
    /// Some of the plain pictures.
    func isFolder(_ job: JobNumber) -> Bool {
        (farm.seed / 7 + job) % 3 == 0 && encoding(of: job) == PictureEncoding()
    }

    /// As Deep Zoom has it.
    func hasDescription(_ job: JobNumber) -> Bool { isFolder(job) && (farm.seed + job) % 2 == 0 }

    func place(of job: JobNumber) -> String { isFolder(job) ? "\(job)_files" : "\(job).png" }

    private func temporary(of job: JobNumber) -> String { isFolder(job) ? "\(job).part/archive" : "\(job).part" }

    private func description(of job: JobNumber) -> String { "\(job).dzi" }

    func isWhole(_ job: JobNumber) -> Bool {
        isPicture(farm.disk.files[place(of: job)], of: job)
            && (!hasDescription(job) || farm.disk.files[description(of: job)] != nil)
    }

    /// By one of the renderers.
    private func isPicture(_ file: [String]?, of job: JobNumber) -> Bool {
        ["1", "2"].contains { bands(of: job, version: $0) == file }
    }

    func removeWork(of job: JobNumber) {
        farm.disk.files["\(job).part/archive"] = nil
        farm.disk.files["\(job).part/new"] = nil
    }

    /// A folder is there whole or not at all, and none is described that is not there.
    func checkFolders() {
        for job in farm.disk.placed.keys.sorted() {
            let tiles = farm.disk.files[place(of: job)]
            if let tiles, !isPicture(tiles, of: job) { farm.problem("the folder of job \(job) is \(tiles)") }
            if tiles == nil, farm.disk.files[description(of: job)] != nil {
                farm.problem("the folder of job \(job) is described, and not there")
            }
        }
    }

    func write(_ pieces: [EncodedPiece], _ rows: Int, _ life: ExportLife, _ ending: PictureReport?) {
        let job = life.job.rawValue
        let path = temporary(of: job)
        guard pictures[job]?.isClosed == false else { return }
        guard farm.now >= farm.disk.refusesUntil else {
            pictures[job]?.isClosed = true
            later(.answered(life, .failed(.output(path: path, operation: "write to", errno: ENOSPC))))
            return
        }
        // What an earlier life has left.
        if isFolder(job), pictures[job]?.file.isEmpty == true { removeWork(of: job) }
        pictures[job]?.file += pieces.map {
            String(decoding: $0.bytes.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(), as: UTF8.self)
        }
        if isFolder(job) { farm.disk.files[path] = pictures[job]?.file }
        later(.answered(life, .written(rows: rows, UnfinishedPicture(path: path, byteCount: 0), LaneTime())))
        if let ending { later(.synced(life, ending)) }
    }

    /// All is written: a file is on the disk, an archive is unpacked.
    func synced(_ life: ExportLife, _ ending: PictureReport) {
        let job = life.job.rawValue
        guard exports[life] != nil, let file = pictures[job]?.file else { return }
        if file != bands(of: job, version: pictures[job]?.version) { farm.problem("job \(job): bands \(file)") }
        guard isFolder(job) else {
            farm.disk.files[temporary(of: job)] = file
            return seal(life, ending)
        }
        farm.disk.files["\(job).part/new"] = Array(file.prefix(file.count / 2))
        later(.unpacked(life, ending), 1...50)
    }

    /// A folder is complete in its temporary place, or the disk had no room for it.
    func unpacked(_ life: ExportLife, _ ending: PictureReport) {
        let job = life.job.rawValue
        guard exports[life] != nil else { return farm.problem("job \(job) ended while it was unpacked") }
        guard farm.now >= farm.disk.refusesUntil else { return giveUp(life, "write to") }
        farm.disk.files["\(job).part/new"] = farm.disk.files["\(job).part/archive"]
        seal(life, ending)
    }

    /// The digest goes to the journal.
    private func seal(_ life: ExportLife, _ ending: PictureReport) {
        let job = life.job.rawValue
        sealing[job] = life
        var picture = ending
        picture.files = [Self.written(job)]
        let seal = SealedPicture(target: place(of: job), temporary: temporary(of: job), picture: picture)
        pendingJournal.append((.starting(job), [.publishing(job, seal)]))
        if !isCommitting {
            isCommitting = true
            later(.commit, 1...20)
        }
    }

    static func written(_ job: JobNumber) -> WrittenFile {
        WrittenFile(
            byteCount: Int(job) + 1, digest: [UInt8](repeating: UInt8(truncatingIfNeeded: job), count: 32))
    }

    func sealed(_ life: ExportLife, _ result: Result<[JournalOutcome], StoreError>) {
        let job = life.job.rawValue
        sealing[job] = nil
        switch result {
        case .success: later(.renamed(life))
        case .failure(let fault):
            farm.disk.files[temporary(of: job)] = nil
            removeWork(of: job)
            later(.answered(life, .failed(.journal(export: "p", Cause(fault)))))
        }
    }

    func renamed(_ life: ExportLife) {
        let job = life.job.rawValue
        guard isFolder(job) else {
            farm.disk.files[place(of: job)] = farm.disk.files.removeValue(forKey: temporary(of: job))
            return later(.answered(life, .finished([Self.written(job)], LaneTime())))
        }
        exchange(job)
        if hasDescription(job) { later(.described(life), 1...50) } else { finish(life) }
    }

    /// In one step: the new folder has its place, and what was there is in the temporary one.
    private func exchange(_ job: JobNumber) {
        let (new, place) = ("\(job).part/new", place(of: job))
        (farm.disk.files[place], farm.disk.files[new]) = (farm.disk.files[new], farm.disk.files[place])
        farm.disk.placed[job] = life
        farm.note("job \(job): its folder is exchanged")
    }

    /// The description is written, or the folder is taken back.
    func described(_ life: ExportLife) {
        let job = life.job.rawValue
        guard farm.now >= farm.disk.refusesUntil else {
            exchange(job)
            farm.disk.placed[job] = farm.disk.files[place(of: job)].flatMap { _ in -1 }
            return giveUp(life, "create")
        }
        farm.disk.files[description(of: job)] = []
        finish(life)
    }

    private func finish(_ life: ExportLife) {
        removeWork(of: life.job.rawValue)
        later(.answered(life, .finished([Self.written(life.job.rawValue)], LaneTime())))
    }

    private func giveUp(_ life: ExportLife, _ operation: String) {
        removeWork(of: life.job.rawValue)
        let path = place(of: life.job.rawValue)
        later(.answered(life, .failed(.output(path: path, operation: operation, errno: ENOSPC))))
    }

    func recover(_ job: JobNumber, _ seal: SealedPicture) {
        if isFolder(job) { farm.problem("the folder of job \(job) is looked for as if it were a file") }
        if farm.disk.files[seal.target] == nil { farm.disk.files[seal.target] = farm.disk.files[seal.temporary] }
        farm.disk.files[seal.temporary] = nil
        let isThere = farm.disk.files[seal.target] != nil
        later(.service(.recovered(job, isThere ? seal.picture : nil)))
    }
}
