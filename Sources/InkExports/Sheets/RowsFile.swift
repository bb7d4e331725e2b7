import InkCodecs
import InkEngine
import InkSystem

/// A picture that is written row by row, and gets its name when it is complete.
struct RowsFile {
    private let path: String
    private let head: PictureHead
    private var assembler: any PictureAssembler
    private let write: ([UInt8]) throws(EngineError) -> Void
    private let encoder = PieceSetEncoder()
    private var rowCount = 0

    /// Pixels that are encoded at once, at most.
    private static let bandPixels = 4 << 20

    /// Writes a picture, all of whose rows `fill` adds.
    ///
    /// - Parameter head: of a format whose files only grow: PNG or JPEG.
    /// - Throws: if the file cannot be written, or the format cannot hold the picture; errors of `fill`.
    static func write(
        _ path: String, _ head: PictureHead, _ fill: (inout RowsFile) throws(EngineError) -> Void
    ) throws(EngineError) {
        let assembler = try PictureCodecs.assembler(for: head)
        try FileSystem.writeInPieces(to: path) { (write) throws(EngineError) in
            var file = RowsFile(path: path, head: head, assembler: assembler, write: write)
            try file.carryOut(file.assembler.begin())
            try fill(&file)
            try file.carryOut(file.assembler.end())
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
            try self.write(bytes)
        }
    }
}
