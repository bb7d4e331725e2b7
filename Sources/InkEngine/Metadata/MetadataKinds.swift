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

extension MetadataKinds {
    /// Whether the EXIF tag of a directory stays; what only describes the stored pixels always does.
    func keeps(exif tag: UInt16, in directory: ExifTree.Directory) -> Bool {
        guard self != .all else { return true }
        guard let kind = Self.kind(ofExif: tag, in: directory) else {
            return directory == .camera && ExifTree.pixelTags.contains(tag)
        }
        return contains(kind)
    }

    /// The kind of an EXIF tag (CIPA DC-008, and those of Windows); nil for those of none.
    static func kind(ofExif tag: UInt16, in directory: ExifTree.Directory) -> MetadataKinds? {
        switch directory {
        case .main: tags.first { $0.directory == .main && $0.names[tag] != nil }?.kind
        // Nearly all of that directory is about the camera.
        case .camera:
            noKindTags.contains(tag)
                ? nil : tags.first { $0.directory == .camera && $0.names[tag] != nil }?.kind ?? .camera
        case .places: .places
        }
    }

    /// The tags that are named one by one, with their names.
    static let tags: [(kind: MetadataKinds, directory: ExifTree.Directory, names: [UInt16: String])] = [
        (.copyright, .main, [315: "Artist", 33432: "Copyright", 40093: "XPAuthor"]),
        (
            .caption, .main,
            [
                269: "DocumentName", 270: "ImageDescription", 285: "PageName", 18246: "Rating", 18249: "RatingPercent",
                40091: "XPTitle", 40092: "XPComment", 40094: "XPKeywords", 40095: "XPSubject",
            ]
        ),
        (.dates, .main, [306: "DateTime"]),
        // Of cameras, the software is their firmware. Some write the exposure here.
        (
            .camera, .main,
            [
                271: "Make", 272: "Model", 305: "Software", 316: "HostComputer", 33434: "ExposureTime",
                33437: "FNumber", 34850: "ExposureProgram", 34855: "PhotographicSensitivity", 37386: "FocalLength",
            ]
        ),
        (.copyright, .camera, [42032: "CameraOwnerName", 42039: "Photographer", 42040: "ImageEditor"]),
        (.caption, .camera, [37510: "UserComment", 42038: "ImageTitle"]),
        (
            .dates, .camera,
            [
                36867: "DateTimeOriginal", 36868: "DateTimeDigitized", 36880: "OffsetTime", 36881: "OffsetTimeOriginal",
                36882: "OffsetTimeDigitized", 37520: "SubSecTime", 37521: "SubSecTimeOriginal",
                37522: "SubSecTimeDigitized",
            ]
        ),
    ]

    /// Of none: ImageUniqueID, and those of `ExifTree.pixelTags`.
    private static let noKindTags: Set<UInt16> = ExifTree.pixelTags.union([42016])
}

extension MetadataKinds {
    /// Whether a property of XMP stays.
    func keeps(_ name: XMPData.Name) -> Bool {
        guard self != .all else { return true }
        return Self.kind(of: name).map(contains) ?? false
    }

    /// The kind of a property: that of its name, or of its namespace; nil for those of none.
    static func kind(of name: XMPData.Name) -> MetadataKinds? {
        if let named = propertyKinds.first(where: { $0.namespace == name.namespace && $0.names.contains(name.local) }) {
            return named.kind
        }
        if name.namespace == XMPData.Namespace.exif {
            if name.local.hasPrefix("GPS") { return .places }
            if name.local == "ImageUniqueID" { return nil }
        }
        return namespaceKinds[name.namespace]
    }

    private typealias Space = XMPData.Namespace

    static let propertyKinds: [(kind: MetadataKinds, namespace: String, names: Set<String>)] = [
        (.copyright, Space.dc, ["creator", "rights", "publisher", "contributor"]),
        (.caption, Space.dc, ["title", "description", "subject", "type", "language", "coverage"]),
        (.dates, Space.dc, ["date"]),
        (.copyright, Space.photoshop, ["Credit", "Source", "AuthorsPosition", "Instructions"]),
        (
            .caption, Space.photoshop,
            [
                "Headline", "CaptionWriter", "Category", "SupplementalCategories", "TransmissionReference", "Urgency",
            ]
        ),
        (.dates, Space.photoshop, ["DateCreated"]),
        (.places, Space.photoshop, ["City", "State", "Country"]),
        (.caption, Space.xmp, ["Label", "Nickname", "Rating", "Description"]),
        (.dates, Space.xmp, ["CreateDate", "MetadataDate", "ModifyDate"]),
        (.copyright, Space.iptcCore, ["CreatorContactInfo"]),
        (.places, Space.iptcCore, ["CountryCode", "Location"]),
        (
            .copyright, Space.iptcExtension,
            ["Contributor", "DigitalSourceType", "ImageCreator", "ImageSupplier", "RegistryId"]
        ),
        (.places, Space.iptcExtension, ["LocationCreated", "LocationShown"]),
        (.copyright, Space.tiff, ["Artist", "Copyright"]),
        (.caption, Space.tiff, ["ImageDescription"]),
        (.dates, Space.tiff, ["DateTime"]),
        (.camera, Space.tiff, ["Make", "Model", "Software"]),
        (.caption, Space.exif, ["UserComment"]),
        (
            .dates, Space.exif,
            [
                "DateTimeDigitized", "DateTimeOriginal", "OffsetTime", "OffsetTimeDigitized", "OffsetTimeOriginal",
                "SubSecTime", "SubSecTimeDigitized", "SubSecTimeOriginal",
            ]
        ),
        (.copyright, Space.exifEX, ["CameraOwnerName", "ImageEditor", "OwnerName", "Photographer"]),
        (.caption, Space.exifEX, ["ImageTitle"]),
        (.copyright, Space.aux, ["OwnerName"]),
        (.dates, Space.microsoft, ["DateAcquired"]),
        (
            .camera, Space.microsoft,
            ["CameraSerialNumber", "FlashManufacturer", "FlashModel", "LensManufacturer", "LensModel"]
        ),
        (.copyright, Space.acdsee, ["author"]),
        (.dates, Space.acdsee, ["datetime"]),
        (.places, Space.mediaPro, ["Location"]),
    ]

    /// Of what has no name of its own above.
    static let namespaceKinds: [String: MetadataKinds] = [
        Space.rights: .copyright, Space.plus: .copyright, Space.creativeCommons: .copyright,
        Space.iptcCore: .caption, Space.iptcExtension: .caption, Space.lightroom: .caption, Space.regions: .caption,
        Space.keywords: .caption, Space.microsoft: .caption, Space.microsoftRegions: .caption,
        Space.digiKam: .caption, Space.mediaPro: .caption, Space.acdsee: .caption, Space.appleFaces: .caption,
        Space.exif: .camera, Space.exifEX: .camera, Space.aux: .camera,
    ]
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
