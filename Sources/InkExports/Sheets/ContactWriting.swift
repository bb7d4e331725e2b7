import InkCodecs
import InkDocuments
import InkEngine
import InkSystem
import Synchronization

/// How the contact sheet of a run looks.
package struct ContactArguments: Hashable, Sendable {
    /// A PNG or JPEG file.
    package var path: String
    /// The number of columns; nil: by the number of pictures.
    package var columns: Int?
    package var edge = ContactSheet.standardEdge

    package init(path: String) { self.path = path }
}

/// Writes the contact sheet of a run from the files of its pictures, which are read again one after the other.
struct ContactWriting {
    struct Picture: Sendable {
        var path: String
        /// What is written under it.
        var label: String
        var isThere: Bool
    }

    var arguments: ContactArguments
    /// In their order; at least one.
    var pictures: [Picture]
    var limits: Limits
    var fonts: [Font]
    /// Pictures that are read at the same time.
    var threads: Int

    /// A larger file is not read; its place shows that.
    private static let fileBytesMax = 256 << 20

    var sheet: ContactSheet {
        ContactSheet(count: pictures.count, columns: arguments.columns, edge: arguments.edge, fonts: fonts)
    }

    /// - Throws: if the file cannot be written; one that was there is then still there. A picture that cannot be read
    ///   is shown as failed.
    func run() throws(EngineError) {
        let sheet = sheet
        let format = PictureCodecs.codec(ofFile: arguments.path)?.format ?? .png
        let head = PictureHead(size: sheet.size, pixels: .rgb, encoding: PictureEncoding(format: format))
        try RowsFile.write(arguments.path, head) { (file) throws(EngineError) in
            for row in 0..<sheet.rowCount {
                let start = row * sheet.columns
                try file.add(try sheet.row(cells(start..<min(pictures.count, start + sheet.columns))))
            }
        }
    }

    private func cells(_ range: Range<Int>) -> [ContactSheet.Cell] {
        let made = Mutex<[Int: Thumbnail]>([:])
        let next = Mutex(range.lowerBound)
        let take = { @Sendable [self] in
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < range.upperBound else { return }
                if let thumbnail = thumbnail(pictures[index]) { made.withLock { $0[index] = thumbnail } }
            }
        }
        let helpers = (1..<max(1, min(threads, range.count))).compactMap { _ in
            // With fewer threads it takes longer.
            try? Lane("contact-sheet", stackBytes: PosixThread.standardStackBytes)
        }
        for helper in helpers { helper.run { take() } }
        take()
        for helper in helpers { helper.wait() }
        return range.map { index in
            ContactSheet.Cell(label: pictures[index].label, thumbnail: made.withLock { $0[index] })
        }
    }

    /// nil for a picture that is missing or cannot be read.
    private func thumbnail(_ picture: Picture) -> Thumbnail? {
        // It is shown as failed; the sheet does not fail for one picture.
        guard picture.isThere, let file = try? FileSystem.read(picture.path, limitBytes: Self.fileBytesMax) else {
            return nil
        }
        // Nor for one that another program has damaged since.
        return try? Thumbnail(file, edge: arguments.edge, place: Place(file: picture.path), limits: limits)
    }
}
