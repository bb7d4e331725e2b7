import InkEngine

/// A format whose files hold the layers of a project beside the picture of it. The client puts them together from
/// pictures of the layers; a broker knows nothing of them.
protocol LayeredCodec: PictureCodec {}

extension LayeredCodec {
    var hasAlpha: Bool { true }
    var isLayered: Bool { true }

    func isWhole(_ encoding: PictureEncoding) -> Bool { true }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func content(of piece: EncodedPiece) -> [UInt8]? { nil }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        throw .internalError("\(name) is not made by a broker")
    }
}
