import InkCodecs
import InkEngine
import InkSystem

/// A picture that is written row by row, and gets its name when it is complete.
struct RowsFile {
    private let path: String
    private let head: PictureHead
    private var assembler: any PictureAssembler
    private let encoder = PieceSetEncoder()
    private var file: PendingFile
    private var rowCount = 0

    /// Pixels that are encoded at once, at most.
    private static let bandPixels = 4 << 20

    /// - Parameter head: of a format whose files only grow: PNG or JPEG.
    /// - Throws: if the file cannot be created, or the format cannot hold the picture.
    init(_ path: String, _ head: PictureHead) throws(EngineError) {
        self.path = path
        self.head = head
        assembler = try PictureCodecs.assembler(for: head)
        file = try EngineError.wrapping { () throws(SystemFailure) in try PendingFile(target: path) }
        do throws(EngineError) { try carryOut(assembler.begin()) } catch {
            file.discard()
            throw error
        }
    }

    /// Appends rows.
    ///
    /// - Parameter pixels: as many as a multiple of 16 rows has, or the last ones.
    mutating func add(_ pixels: [UInt8]) throws(EngineError) {
        let rowBytes = head.size.width * head.pixels.bytesPerPixel
        let most = max(16, RowsFile.bandPixels / head.size.width / 16 * 16) * rowBytes
        for start in stride(from: 0, to: pixels.count, by: most) {
            let part = pixels[start..<min(pixels.count, start + most)]
            let count = part.count / rowBytes
            let isLast = rowCount + count == head.size.height
            let piece = try part.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                try encoder.encode(
                    PixelRows(
                        pixels: UnsafeRawBufferPointer(bytes), width: head.size.width, format: head.pixels,
                        firstRow: rowCount), PieceEncoding(head.encoding, isLast: isLast))
            }
            rowCount += count
            try carryOut(assembler.add(piece))
        }
    }

    private mutating func carryOut(_ writes: [PictureWrite]) throws(EngineError) {
        for write in writes {
            guard case .append(let bytes, 0) = write else { throw .internalError("\(path): bytes out of order") }
            try EngineError.wrapping { () throws(SystemFailure) in try file.write(bytes) }
        }
    }

    /// Completes the file and gives it its name.
    mutating func finish() throws(EngineError) {
        try carryOut(assembler.end())
        try EngineError.wrapping { () throws(SystemFailure) in
            try file.sync()
            try file.publish()
        }
    }

    /// Removes the file; does nothing after `finish`.
    mutating func discard() { file.discard() }
}
