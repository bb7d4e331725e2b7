public import InkCodecs

/// A file that says in words what it is made of: size and format, the pieces, and the checksum of all.
public struct PlainAssembler: PictureAssembler {
    private let head: PictureHead
    private var adler32: UInt32 = 1
    private var isFirst = true

    public init(_ head: PictureHead) { self.head = head }

    public mutating func begin() -> [PictureWrite] { [.append(Array("\(head.size) \(head.pixels)\n".utf8))] }

    public mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        defer { isFirst = false }
        adler32 = Adler32.combine(adler32, piece.adler32, lengthB: piece.rawByteCount)
        return [.append((isFirst ? Array("first ".utf8) : []) + piece.bytes)]
    }

    public mutating func end() -> [PictureWrite] { [.append(Array("\nadler \(adler32)".utf8))] }
}
