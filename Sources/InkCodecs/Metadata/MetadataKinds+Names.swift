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
        // The software of cameras is their firmware. Some write the exposure here.
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

    /// Tags that belong to no kind: ImageUniqueID, and those of `ExifTree.pixelTags`.
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

    /// The kinds of properties that have no name of their own above, by their namespaces.
    static let namespaceKinds: [String: MetadataKinds] = [
        Space.rights: .copyright, Space.plus: .copyright, Space.creativeCommons: .copyright,
        Space.iptcCore: .caption, Space.iptcExtension: .caption, Space.lightroom: .caption, Space.regions: .caption,
        Space.keywords: .caption, Space.microsoft: .caption, Space.microsoftRegions: .caption,
        Space.digiKam: .caption, Space.mediaPro: .caption, Space.acdsee: .caption, Space.appleFaces: .caption,
        Space.exif: .camera, Space.exifEX: .camera, Space.aux: .camera,
    ]
}
