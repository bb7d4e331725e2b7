/// A kind of picture file: what its files are called. Readers and writers of one kind have it in common.
public struct FileType: Hashable, Sendable {
    /// The name in options and reports, such as `jpeg`.
    public let name: String
    /// File name extensions in lower case without the dot, the usual one first.
    public let endings: [String]
    /// The name in the web (IANA's register of media types), such as `image/jpeg`.
    public let mediaType: String

    init(_ name: String, _ mediaType: String, endings: [String]? = nil) {
        self.name = name
        self.mediaType = mediaType
        self.endings = endings ?? [name]
    }

    public static let png = FileType("png", "image/png")
    static let jpeg = FileType("jpeg", "image/jpeg", endings: ["jpg", "jpeg", "jpe", "jfif"])
    static let webp = FileType("webp", "image/webp")
    static let gif = FileType("gif", "image/gif")
    static let tiff = FileType("tiff", "image/tiff", endings: ["tif", "tiff"])
    static let heic = FileType("heic", "image/heic", endings: ["heic", "heif"])
    static let avif = FileType("avif", "image/avif")
    static let jxl = FileType("jxl", "image/jxl")
    static let svg = FileType("svg", "image/svg+xml")
    static let pdf = FileType("pdf", "application/pdf")
    static let psd = FileType("psd", "image/vnd.adobe.photoshop")
    static let psb = FileType("psb", "image/vnd.adobe.photoshop")
    static let ora = FileType("ora", "image/openraster")
    static let szi = FileType("szi", "application/zip")
    /// Folders; as one file they are archives.
    static let dzi = FileType("dzi", "application/zip")
    static let iiif = FileType("iiif", "application/zip")
    /// Several pictures in one file.
    public static let tar = FileType("tar", "application/x-tar")
}
