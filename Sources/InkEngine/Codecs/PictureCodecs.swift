/// The formats of pictures that are written.
public enum PictureCodecs {
    /// The first is what is written where nobody asks for another.
    public static let all: [any PictureCodec] = [PNGCodec(), JPEGCodec()]

    /// - Throws: `EngineError.internalError` for a number that has no format, as only another version may send it.
    public static func codec(_ format: PictureFormat) throws(EngineError) -> any PictureCodec {
        guard let codec = all.first(where: { $0.format == format }) else {
            throw .internalError("picture format \(format.rawValue) is not known to this version")
        }
        return codec
    }

    /// By a name as options write it, or by an ending.
    public static func codec(named name: String) -> (any PictureCodec)? {
        let name = name.lowercased()
        return all.first { $0.name == name || $0.endings.contains(name) }
    }

    /// By the ending of a file's name.
    public static func codec(ofFile path: String) -> (any PictureCodec)? {
        let path = path.lowercased()
        return all.first { $0.endings.contains { path.hasSuffix(".\($0)") } }
    }

    /// What puts a picture's file together.
    public static func assembler(for head: PictureHead) throws(EngineError) -> any PictureAssembler {
        try codec(head.encoding.format).makeAssembler(head)
    }
}
