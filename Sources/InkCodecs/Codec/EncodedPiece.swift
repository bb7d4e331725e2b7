/// Consecutive full-width rows of a picture, encoded: a piece of its file.
public struct EncodedPiece: Hashable, Sendable {
    /// Number of picture rows.
    public var rowCount: Int
    /// Size after decompression. For PNG: a filter byte and the pixels of each row.
    public var rawByteCount: Int
    /// Checksum of the raw bytes, starting at 1; see `Adler32.combine`.
    public var adler32: UInt32
    /// For PNG: raw deflate (RFC 1951) that begins and ends at a byte boundary and refers to nothing before it. The
    /// pieces of a picture in order, the last one made with `isLast`, form one deflate stream.
    public var bytes: [UInt8]
    /// Which of the picture's files this is the only piece of; nil for rows, which belong to all others.
    public var file: Int?
    /// The picture that the rows are of, by its number among those of the job, or for an assembler of one file of its own
    /// pictures.
    public var picture = 0

    public init(rowCount: Int, rawByteCount: Int, adler32: UInt32, bytes: [UInt8]) {
        self.rowCount = rowCount
        self.rawByteCount = rawByteCount
        self.adler32 = adler32
        self.bytes = bytes
    }
}
