import InkEngine

/// The properties of an XMP packet (ISO 16684-1): each has a name, and a value that may have structure.
struct XMPData: Hashable {
    struct Name: Hashable {
        var namespace: String
        var local: String

        init(_ namespace: String, _ local: String) {
            self.namespace = namespace
            self.local = local
        }
    }

    /// An element of the packet: a property, or a part of its value.
    struct Node: Hashable {
        var name: Name
        var attributes: [Attribute] = []
        var children: [Node] = []
        var text = ""
    }

    struct Attribute: Hashable {
        var name: Name
        var value: String
    }

    /// Those that are written or treated in their own way.
    enum Namespace {
        static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        static let xml = "http://www.w3.org/XML/1998/namespace"
        static let dc = "http://purl.org/dc/elements/1.1/"
        static let dublinTerms = "http://purl.org/dc/terms/"
        static let xmp = "http://ns.adobe.com/xap/1.0/"
        static let rights = "http://ns.adobe.com/xap/1.0/rights/"
        static let note = "http://ns.adobe.com/xmp/note/"
        static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
        static let iptcCore = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
        static let iptcExtension = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
        static let plus = "http://ns.useplus.org/ldf/xmp/1.0/"
        static let creativeCommons = "http://creativecommons.org/ns#"
        static let tiff = "http://ns.adobe.com/tiff/1.0/"
        static let exif = "http://ns.adobe.com/exif/1.0/"
        static let exifEX = "http://cipa.jp/exif/1.0/"
        static let aux = "http://ns.adobe.com/exif/1.0/aux/"
        static let lightroom = "http://ns.adobe.com/lightroom/1.0/"
        static let regions = "http://www.metadataworkinggroup.com/schemas/regions/"
        static let keywords = "http://www.metadataworkinggroup.com/schemas/keywords/"
        static let microsoft = "http://ns.microsoft.com/photo/1.0/"
        static let microsoftRegions = "http://ns.microsoft.com/photo/1.2/"
        static let digiKam = "http://www.digikam.org/ns/1.0/"
        static let mediaPro = "http://ns.iview-multimedia.com/mediapro/1.0/"
        static let acdsee = "http://ns.acdsee.com/iptc/1.0/"
        static let appleFaces = "http://ns.apple.com/faceinfo/1.0/"
        static let mediaManagement = "http://ns.adobe.com/xap/1.0/mm/"
    }

    /// In the order of the packet; each name once.
    private(set) var properties: [Node] = []
    private var names: Set<Name> = []
    /// The prefixes of the packet's namespaces, to be written again.
    private var prefixes = standardPrefixes

    /// As the specifications of the namespaces have them.
    static let standardPrefixes: [String: String] = [
        Namespace.rdf: "rdf", Namespace.xml: "xml", Namespace.dc: "dc", Namespace.dublinTerms: "dcterms",
        Namespace.xmp: "xmp", Namespace.rights: "xmpRights", Namespace.note: "xmpNote",
        Namespace.photoshop: "photoshop", Namespace.iptcCore: "Iptc4xmpCore", Namespace.iptcExtension: "Iptc4xmpExt",
        Namespace.plus: "plus", Namespace.creativeCommons: "cc", Namespace.tiff: "tiff", Namespace.exif: "exif",
        Namespace.exifEX: "exifEX", Namespace.aux: "aux", Namespace.lightroom: "lr", Namespace.regions: "mwg-rs",
        Namespace.keywords: "mwg-kw", Namespace.microsoft: "MicrosoftPhoto", Namespace.microsoftRegions: "MP",
        Namespace.digiKam: "digiKam", Namespace.mediaPro: "mediapro", Namespace.acdsee: "acdsee",
        Namespace.appleFaces: "apple-fi", Namespace.mediaManagement: "xmpMM",
    ]

    init() {}

    /// Reads a packet.
    ///
    /// - Throws: for what is not well-formed, declares entities, or is too large.
    init(_ packet: [UInt8]) throws(XMLFault) {
        let builder = Builder()
        // Some writers fill the rest of the room with NUL or blanks.
        let end = packet.lastIndex { ![0, 0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? -1
        try XMLScanner.scan(Array(packet[...end]), with: builder)
        guard let root = builder.root else { throw XMLFault("it has no elements") }
        prefixes.merge(builder.prefixes) { own, _ in own }
        for description in Self.descriptions(in: root) {
            for attribute in description.attributes
            where ![Namespace.rdf, Namespace.xml, ""].contains(attribute.name.namespace) {
                add(Node(name: attribute.name, text: attribute.value))
            }
            description.children.forEach { add($0) }
        }
    }

    /// The descriptions of the picture.
    private static func descriptions(in root: Node) -> [Node] {
        if root.name == Name(Namespace.rdf, "RDF") {
            return root.children.filter { $0.name == Name(Namespace.rdf, "Description") }
        }
        return root.children.flatMap { descriptions(in: $0) }
    }

    /// Adds a property unless there is one of the name.
    mutating func add(_ property: Node) {
        guard names.insert(property.name).inserted else { return }
        properties.append(property)
    }

    mutating func removeAll(where isUnwanted: (Name) -> Bool) {
        properties.removeAll { isUnwanted($0.name) }
        names = Set(properties.map(\.name))
    }

    mutating func set(_ name: Name, _ text: String) {
        guard let index = properties.firstIndex(where: { $0.name == name }) else { return }
        properties[index] = Node(name: name, text: text)
    }

    /// The first text of a property; nil where there is none.
    func text(_ name: Name) -> String? {
        func first(_ node: Node) -> String? {
            let own = node.text.trimmingBlanks
            return own.isEmpty ? node.children.lazy.compactMap(first).first : own
        }
        return properties.first { $0.name == name }.flatMap(first)
    }

    // MARK: - Writing

    /// A packet; nil where there are no properties.
    func packet() -> [UInt8]? {
        guard !properties.isEmpty else { return nil }
        var names: [String: String] = [Namespace.rdf: "rdf", Namespace.xml: "xml"]
        var used: Set<String> = ["rdf", "x"]
        var spaces: [String] = []
        func collect(_ node: Node) {
            for space in [node.name.namespace] + node.attributes.map(\.name.namespace)
            where !space.isEmpty && names[space] == nil {
                var prefix = prefixes[space] ?? ""
                var number = names.count
                // XML keeps names that begin so for itself.
                while prefix.isEmpty || prefix.lowercased().hasPrefix("xml") || used.contains(prefix) {
                    prefix = "ns\(number)"
                    number += 1
                }
                used.insert(prefix)
                names[space] = prefix
                spaces.append(space)
            }
            node.children.forEach(collect)
        }
        properties.forEach(collect)
        func shown(_ name: Name) -> String { names[name.namespace].map { "\($0):\(name.local)" } ?? name.local }
        func write(_ node: Node, indent: String, to text: inout String) {
            text += "\(indent)<\(shown(node.name))"
            for attribute in node.attributes { text += " \(shown(attribute.name))=\"\(attribute.value.xmlEscaped)\"" }
            if node.children.isEmpty {
                text += node.text.isEmpty ? "/>\n" : ">\(node.text.xmlContent)</\(shown(node.name))>\n"
                return
            }
            text += ">\n"
            for child in node.children { write(child, indent: indent + " ", to: &text) }
            text += "\(indent)</\(shown(node.name))>\n"
        }
        var text =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
        text += " <rdf:RDF xmlns:rdf=\"\(Namespace.rdf)\">\n  <rdf:Description rdf:about=\"\""
        for space in spaces { text += "\n    xmlns:\(names[space] ?? "")=\"\(space.xmlEscaped)\"" }
        text += ">\n"
        for property in properties { write(property, indent: "   ", to: &text) }
        text += "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>"
        return Array(text.utf8)
    }

    // MARK: - Reading

    private final class Builder: XMLHandler {
        var root: Node?
        var prefixes: [String: String] = [:]
        private var open: [Node] = []
        private var count = 0

        private static let countMax = 50_000
        private static let depthMax = 64

        func declares(_ prefix: String, _ namespace: String) {
            if prefixes.count < 1_000, !prefix.isEmpty, prefixes[namespace] == nil { prefixes[namespace] = prefix }
        }

        func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault) {
            count += 1 + attributes.count
            guard count <= Self.countMax else { throw XMLFault("it has more than \(Self.countMax) elements") }
            guard open.count < Self.depthMax else { throw XMLFault("elements are more than \(Self.depthMax) deep") }
            open.append(
                Node(
                    name: Name(name.namespace, name.local),
                    attributes: attributes.map {
                        Attribute(name: Name($0.name.namespace, $0.name.local), value: $0.value)
                    }))
        }

        func end(_ name: XMLName) {
            var node = open.removeLast()
            // Between elements there is nothing but blanks.
            if !node.children.isEmpty { node.text = "" }
            if open.isEmpty { root = root ?? node } else { open[open.count - 1].children.append(node) }
        }

        func characters(_ text: String) { if !open.isEmpty { open[open.count - 1].text += text } }
    }
}

extension XMPData {
    /// How a property's texts are held.
    enum Form {
        case text
        /// Ordered, or not.
        case sequence, bag
        /// One text, in a language that is not named.
        case language
    }

    /// Adds a property of texts unless there is one of the name.
    mutating func add(_ name: Name, _ texts: [String], _ form: Form) {
        let texts = texts.filter { !$0.isEmpty }
        guard let first = texts.first else { return }
        func rdf(_ local: String) -> Name { Name(Namespace.rdf, local) }
        func list(_ kind: String, _ texts: [String], _ attributes: [Attribute] = []) -> Node {
            let items = texts.map { Node(name: rdf("li"), attributes: attributes, text: $0) }
            return Node(name: name, children: [Node(name: rdf(kind), children: items)])
        }
        switch form {
        case .text: add(Node(name: name, text: first))
        case .sequence: add(list("Seq", texts))
        case .bag: add(list("Bag", texts))
        case .language:
            add(list("Alt", [first], [Attribute(name: Name(Namespace.xml, "lang"), value: "x-default")]))
        }
    }
}

extension XMPData {
    /// Takes out what would not be true of another file: how pixels are stored, and whatever points at bytes that are not
    /// taken along.
    ///
    /// - Returns: what of it a person may miss.
    mutating func removeWhatStaysBehind() -> [String] {
        var lost: [String] = []
        func lose(_ what: String) { if !lost.contains(what) { lost.append(what) } }
        removeAll { name in
            if let entry = Self.stayingBehind.first(where: { $0.matches(name) }) {
                if let what = entry.what { lose(what) }
                return true
            }
            return Self.pixelNames[name.namespace]?.contains(name.local) ?? false
        }
        set(Name(Namespace.tiff, "Orientation"), "1")
        return lost
    }

    private struct StayingBehind {
        var namespace: String
        /// The names of properties; nil: all names of the namespace, and of those that begin like it.
        var names: [String]?
        /// What a warning calls them; nil: nobody misses them.
        var what: String?

        /// A name in the list ends it, or begins it if it ends in `*`.
        func matches(_ name: Name) -> Bool {
            guard let names else { return name.namespace.hasPrefix(namespace) }
            return (namespace.isEmpty || name.namespace == namespace)
                && names.contains { $0.hasSuffix("*") ? name.local.hasPrefix($0.dropLast()) : name.local == $0 }
        }
    }

    static let gainMap = "the picture's gain map for HDR screens is left out"
    static let video = "the video of the motion photo is left out"
    static let depth = "the depth map is left out"
    static let otherPicture = "the further picture in the photo is left out"
    static let sound = "the sound of the photo is left out"
    static let credentials = "the content credentials (C2PA) are left out: they are about the file they came in"

    private static let stayingBehind = [
        StayingBehind(namespace: "http://ns.adobe.com/hdr-gain-map/1.0/", what: gainMap),
        StayingBehind(namespace: "http://ns.apple.com/HDRGainMap/1.0/", what: gainMap),
        StayingBehind(namespace: "http://ns.apple.com/pixeldatainfo/1.0/", what: nil),
        StayingBehind(namespace: "http://ns.apple.com/depthData/1.0/", what: depth),
        StayingBehind(namespace: "http://ns.google.com/photos/1.0/depthmap/", what: depth),
        StayingBehind(namespace: "http://ns.google.com/photos/1.0/focus/", what: depth),
        StayingBehind(namespace: "http://ns.google.com/photos/dd/1.0/", what: depth),
        StayingBehind(namespace: "http://ns.google.com/photos/1.0/image/", what: otherPicture),
        StayingBehind(namespace: "http://ns.google.com/photos/1.0/audio/", what: sound),
        // All makers: what moves is a video.
        StayingBehind(namespace: "", names: ["MotionPhoto*", "MicroVideo*"], what: video),
        StayingBehind(namespace: "http://ns.oplus.com/photos/1.0/camera/", what: video),
        StayingBehind(namespace: "http://ns.vivo.com/photos/1.0/camera/", what: video),
        StayingBehind(namespace: "http://ns.xiaomi.com/photos/1.0/camera/", what: otherPicture),
        // Its items are named by the others, or are pictures of the file's own.
        StayingBehind(namespace: "http://ns.google.com/photos/1.0/container/", what: nil),
        StayingBehind(
            namespace: Namespace.note, names: ["HasExtendedXMP"], what: "the second part of the XMP data is left out"),
        StayingBehind(namespace: Namespace.dublinTerms, names: ["provenance"], what: credentials),
        // Small pictures of the one that was, without what is laid over it.
        StayingBehind(namespace: Namespace.xmp, names: ["Thumbnails"], what: nil),
    ]

    /// How the pixels of the source are stored.
    private static let pixelNames: [String: Set<String>] = [
        Namespace.tiff: [
            "ImageWidth", "ImageLength", "BitsPerSample", "Compression", "PhotometricInterpretation",
            "SamplesPerPixel", "PlanarConfiguration", "YCbCrSubSampling", "YCbCrPositioning", "XResolution",
            "YResolution", "ResolutionUnit", "NativeDigest",
        ],
        Namespace.exif: [
            "ColorSpace", "ComponentsConfiguration", "CompressedBitsPerPixel", "PixelXDimension", "PixelYDimension",
            "NativeDigest",
        ],
        Namespace.photoshop: ["ColorMode", "ICCProfile", "LegacyIPTCDigest"],
        Namespace.dc: ["format"],
    ]

    /// What programs keep of a picture's making, which may be more than a file has room for.
    mutating func removeHistory() {
        removeAll { name in
            name == Name(Namespace.photoshop, "DocumentAncestors") || name == Name(Namespace.photoshop, "History")
                || name.namespace == Namespace.mediaManagement
                    && ["History", "Pantry", "Ingredients"].contains(name.local)
        }
    }
}
