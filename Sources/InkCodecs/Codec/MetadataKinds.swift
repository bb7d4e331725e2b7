/// Kinds of what a photo says about itself, for `--keep`.
///
/// A property of EXIF, XMP or IPTC is of one kind at most. What is of none stays only when all kinds are kept.
public struct MetadataKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Who made the photo, and who may use it: creator, rights, credit, contact.
    public static let copyright = MetadataKinds(rawValue: 1)
    /// What it shows: title, description, headline, keywords, rating, the people in it.
    public static let caption = MetadataKinds(rawValue: 2)
    public static let dates = MetadataKinds(rawValue: 4)
    /// What it was taken with, and how: make, model, lens, serial numbers, exposure, the maker's own notes.
    public static let camera = MetadataKinds(rawValue: 8)
    /// Where it was taken, and what places it shows.
    public static let places = MetadataKinds(rawValue: 16)

    public static let all: MetadataKinds = [.copyright, .caption, .dates, .camera, .places]

    /// The kinds that have a name, as the option is written.
    public static let named: [(name: String, kind: MetadataKinds)] = [
        ("copyright", .copyright), ("caption", .caption), ("dates", .dates), ("camera", .camera), ("places", .places),
    ]

    /// The names, in the order of `named`.
    public var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}

extension PictureText.Keyword {
    /// nil for what a picture says of the program.
    var kind: MetadataKinds? {
        switch self {
        case .title: .caption
        case .author, .copyright: .copyright
        case .creationTime: .dates
        case .software: nil
        }
    }
}
