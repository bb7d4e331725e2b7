import InkEngine

/// EXIF data (CIPA DC-008), or the tags of a TIFF's first picture: what they say apart from pixels.
///
/// Three directories are read: the main one, that of the camera and that of the place. Directories of pixels, thumbnails and
/// of interoperability (which tells the colour space) are left out. No directory leads to another, so offsets that go in
/// circles do no harm.
struct ExifTree: Hashable {
    enum Directory: Hashable, CaseIterable {
        case main, camera, places

        /// The tag in the main directory that says where this one lies.
        var pointer: UInt16? {
            switch self {
            case .main: nil
            case .camera: 34665
            case .places: 34853
            }
        }
    }

    private let isLittle: Bool
    private(set) var values: [Directory: [UInt16: TagValue]] = [:]
    /// Where the maker's own notes lay, which may have offsets of the whole.
    private var notesOffset = 0
    /// Whether there are entries that cannot be read.
    private(set) var isDamaged = false
    /// Whether another picture follows that is not a smaller one of the same, or a mask of it.
    private(set) var hasSecondPage = false
    /// Data of other kinds in the first directory.
    private(set) var embedded: [UInt16: [UInt8]] = [:]
    private(set) var hasGeoreference = false
    /// That of the stored pixels.
    private(set) var density: PictureDensity?
    private(set) var orientation = ImageOrientation.upright

    /// Color space, size, version and order of components: of the camera's directory, and true of the new file too.
    static let pixelTags: Set<UInt16> = [36864, 37121, 40960, 40961, 40962, 40963]
    /// The maker's own notes.
    private static let notes: UInt16 = 37500
    /// XMP, IPTC, resources of Photoshop, content credentials.
    private static let embeddedTags: Set<UInt16> = [700, 33723, 34377, 0xCD41]
    /// Where a map's pixels lie on the earth, which is wrong in another size.
    private static let georeference: Set<UInt16> = [33550, 33922, 34264, 34735, 34736, 34737]

    /// The most entries that a directory may have.
    private static let entriesMax = 1_000

    /// - Parameters:
    ///   - file: EXIF data, or a TIFF; a BigTIFF too.
    ///   - bytesMax: what all values may have together; what does not fit is left out as damaged.
    /// - Returns: nil for what is neither.
    init?(_ file: [UInt8], bytesMax: Int = MetadataSize.bytesMax) {
        guard let reader = TagFile(file), let first = reader.firstDirectory else { return nil }
        isLittle = reader.isLittle
        var left = bytesMax
        var places: [Directory: Int] = [.main: first]
        var resolution: [UInt16: TagValue] = [:]
        for directory in Directory.allCases {
            guard let place = places[directory] else { continue }
            guard let (entries, next) = reader.entries(at: place, countMax: Self.entriesMax) else {
                isDamaged = true
                continue
            }
            for entry in entries {
                if directory == .main, let target = Directory.allCases.first(where: { $0.pointer == entry.tag }) {
                    if places[target] == nil { places[target] = reader.value(entry, bytesMax: 8)?.number }
                    continue
                }
                if directory == .main, Self.embeddedTags.contains(entry.tag) {
                    let bytes = reader.bytes(of: entry, bytesMax: MetadataSize.embeddedBytesMax)
                    if embedded[entry.tag] == nil { embedded[entry.tag] = bytes ?? [] }
                    continue
                }
                if directory == .main, [274, 282, 283, 296].contains(entry.tag), resolution[entry.tag] == nil {
                    resolution[entry.tag] = reader.value(entry, bytesMax: 8)
                }
                if directory == .main, Self.georeference.contains(entry.tag) { hasGeoreference = true }
                guard Self.isKept(entry.tag, in: directory), values[directory]?[entry.tag] == nil else { continue }
                // Numbers of 64 bits are BigTIFF's own.
                guard entry.kind < 16, let value = reader.value(entry, bytesMax: left) else {
                    isDamaged = true
                    continue
                }
                left -= value.bytes.count
                values[directory, default: [:]][entry.tag] = value
                if directory == .camera, entry.tag == Self.notes { notesOffset = entry.place }
            }
            if directory == .main, let next, let second = reader.entries(at: next, countMax: Self.entriesMax)?.entries {
                let kind = second.first { $0.tag == 254 }.flatMap { reader.value($0, bytesMax: 8)?.number }
                hasSecondPage = (kind ?? 0) & 5 == 0 && !second.isEmpty
            }
        }
        orientation = resolution[274]?.number.flatMap(ImageOrientation.init(rawValue:)) ?? .upright
        if let across = resolution[282]?.fraction, let down = resolution[283]?.fraction {
            switch resolution[296]?.number ?? 2 {
            case 2: density = PictureDensity(across: across, down: down)
            case 3: density = PictureDensity(across: across * 2.54, down: down * 2.54)
            // Only the shape of pixels.
            default: break
            }
        }
    }

    /// Whether a tag is about the photo: not about pixels, where they lie, files that are not taken along, or fillings.
    private static func isKept(_ tag: UInt16, in directory: Directory) -> Bool {
        switch directory {
        case .main:
            // TIFF's own tags are those below 530 that are not named; from 50000 on there are those of DNG and of programs.
            let own: Set<UInt16> = [269, 270, 271, 272, 285, 305, 306, 315, 316]
            let programs: Set<UInt16> = [33421, 33422, 34675, 37724, 42112, 42113]
            return tag < 534
                ? own.contains(tag) : tag < 50_000 && !georeference.contains(tag) && !programs.contains(tag)
        // Interoperability, RelatedSoundFile, and Microsoft's filling.
        case .camera: return ![40965, 40964, 0xEA1C, 0xEA1D].contains(tag)
        case .places: return true
        }
    }

    var isEmpty: Bool { values.values.allSatisfy { $0.keys.allSatisfy(Self.pixelTags.contains) } }

    /// A text of the main directory; nil if there is none, or it is empty.
    func text(_ tag: UInt16) -> String? { values[.main]?[tag]?.text }

    /// The EXIF data of an upright picture in sRGB; nil for more than fits into a JPEG.
    ///
    /// - Parameters:
    ///   - size: in pixels; nil: as it was.
    ///   - density: nil: not said.
    func written(_ size: PixelSize?, _ density: PictureDensity?) -> [UInt8]? {
        var directories = directories(size, density)
        let header: [UInt8] = isLittle ? [0x49, 0x49, 42, 0] : [0x4D, 0x4D, 0, 42]
        // The maker's notes stay where they were.
        let notes = values[.camera]?[Self.notes].flatMap { value in
            // Four bytes and fewer lie in the directory itself.
            value.bytes.count > 4 ? (range: notesOffset..<(notesOffset + value.bytes.count), value.bytes) : nil
        }
        if let notes {
            guard notes.range.lowerBound >= 8, notes.range.upperBound <= MetadataSize.bytesMax else {
                return without(Self.notes, in: .camera).written(size, density)
            }
            directories[.camera]?[Self.notes] = .elsewhere(count: notes.1.count, at: UInt64(notesOffset))
        }
        var (front, back) = (8, ((notes?.range.upperBound ?? 0) + 1) & ~1)
        func place(_ count: Int) -> Int {
            if notes.map({ front + count <= $0.range.lowerBound }) ?? true {
                defer { front += count }
                return front
            }
            defer { back += count }
            return back
        }
        var places: [Directory: Int] = [:]
        for directory in Directory.allCases {
            guard let tags = directories[directory] else { continue }
            places[directory] = place(tags.bytes(at: 0).count)
            if let pointer = directory.pointer {
                directories[.main]?[pointer] = .long([UInt32(places[directory] ?? 0)])
            }
        }
        var bytes = [UInt8](repeating: 0, count: max(front, back))
        bytes.replaceSubrange(0..<4, with: header)
        let main = littleEndian(UInt32(places[.main] ?? 8))
        bytes.replaceSubrange(4..<8, with: isLittle ? main : main.reversed())
        if let notes { bytes.replaceSubrange(notes.range, with: notes.1) }
        for (directory, place) in places {
            guard let tags = directories[directory] else { continue }
            let written = tags.bytes(at: UInt64(place), isLittle: isLittle)
            bytes.replaceSubrange(place..<(place + written.count), with: written)
        }
        if bytes.count > MetadataSize.segmentBytesMax, notes != nil {
            return without(Self.notes, in: .camera).written(size, density)
        }
        return bytes.count <= MetadataSize.segmentBytesMax ? bytes : nil
    }

    /// The directories of an upright picture in sRGB. In the main one the others have entries, with places to be set.
    func directories(_ size: PixelSize?, _ density: PictureDensity?) -> [Directory: TagDirectory] {
        var directories: [Directory: TagDirectory] = [.main: TagDirectory()]
        for (directory, values) in values {
            var tags = TagDirectory()
            for (tag, value) in values { tags[tag] = .copied(value) }
            directories[directory] = tags
        }
        for directory in Directory.allCases where directories[directory] != nil {
            if let pointer = directory.pointer { directories[.main]?[pointer] = .long([0]) }
        }
        directories[.main]?[274] = .short([1])
        if let density { directories[.main]?.set(density) }
        if directories[.camera] != nil {
            directories[.camera]?[40961] = .short([1])
            if let size {
                directories[.camera]?[40962] = .long([UInt32(clamping: size.width)])
                directories[.camera]?[40963] = .long([UInt32(clamping: size.height)])
            }
        }
        return directories
    }

    private func without(_ tag: UInt16, in directory: Directory) -> ExifTree {
        var tree = self
        tree.values[directory]?[tag] = nil
        return tree
    }

    /// What is of these kinds.
    func keeping(_ kinds: MetadataKinds) -> ExifTree {
        var tree = self
        for (directory, values) in values {
            let kept = values.filter { kinds.keeps(exif: $0.key, in: directory) }
            let isPixels = kept.keys.allSatisfy(Self.pixelTags.contains)
            tree.values[directory] = kept.isEmpty || directory == .camera && isPixels ? nil : kept
        }
        return tree
    }
}

/// A file of directories of tags: TIFF, BigTIFF, EXIF data.
struct TagFile {
    private let bytes: [UInt8]
    let isLittle: Bool
    private let isBig: Bool

    struct Entry {
        var tag: UInt16
        var kind: UInt16
        var count: Int
        /// Where its value is.
        var place: Int
    }

    /// nil for what is none.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let start = bytes.prefix(4)
        isLittle = start.starts(with: [0x49, 0x49])
        isBig = start == [0x49, 0x49, 43, 0] || start == [0x4D, 0x4D, 0, 43]
        guard isBig || start == [0x49, 0x49, 42, 0] || start == [0x4D, 0x4D, 0, 42] else { return nil }
    }

    var firstDirectory: Int? { number(at: isBig ? 8 : 4, bytes: isBig ? 8 : 4) }

    /// nil where there are not so many bytes, or the number is not one of this machine.
    func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let field = bytes[offset..<(offset + count)]
        let value = (isLittle ? Array(field.reversed()) : Array(field)).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    /// The entries that lie in the file whole, and where the next directory lies; nil where there is no directory.
    func entries(at directory: Int, countMax: Int) -> (entries: [Entry], next: Int?)? {
        let (countBytes, entryBytes, offsetBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        guard directory >= 8, let count = number(at: directory, bytes: countBytes) else { return nil }
        var entries: [Entry] = []
        var at = directory + countBytes
        for _ in 0..<min(count, countMax) {
            guard at <= bytes.count - entryBytes, let tag = number(at: at, bytes: 2),
                let kind = number(at: at + 2, bytes: 2)
            else { return (entries, nil) }
            let valueCount = number(at: at + 4, bytes: offsetBytes) ?? .max
            let inside = at + 4 + offsetBytes
            let size = TagValue.byteCount(ofKind: UInt16(kind)).map { valueCount.multipliedReportingOverflow(by: $0) }
            let isInside = size.map { !$0.overflow && $0.partialValue <= offsetBytes } ?? true
            let place = isInside ? inside : number(at: inside, bytes: offsetBytes) ?? .max
            entries.append(Entry(tag: UInt16(tag), kind: UInt16(kind), count: valueCount, place: place))
            at += entryBytes
        }
        let next = count <= countMax ? number(at: at, bytes: offsetBytes) : nil
        return (entries, next == 0 ? nil : next)
    }

    /// A value as it lies in the file; nil for a kind that there is not, what lies outside, and what is too much.
    func bytes(of entry: Entry, bytesMax: Int) -> [UInt8]? {
        guard let size = TagValue.byteCount(ofKind: entry.kind) else { return nil }
        let (count, overflow) = entry.count.multipliedReportingOverflow(by: size)
        guard !overflow, count >= 0, count <= bytesMax, entry.place >= 0, entry.place <= bytes.count - count else {
            return nil
        }
        return Array(bytes[entry.place..<(entry.place + count)])
    }

    /// The content of an entry as a value.
    func value(_ entry: Entry, bytesMax: Int) -> TagValue? {
        guard let bytes = bytes(of: entry, bytesMax: bytesMax) else { return nil }
        let value = TagValue(kind: entry.kind, count: entry.count, bytes: bytes)
        return isLittle ? value : TagValue(kind: value.kind, count: value.count, bytes: value.swapped)
    }
}
