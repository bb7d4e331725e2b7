package import InkEngine
import InkJSON

/// Reads pack files (`.inkpack`).
package struct PackReader {
    let file: String
    let limits: Limits
    var pack: Pack
    private var namedPictures: [String: Int] = [:]
    /// Pictures that stand where they are used, by the bytes of their paths.
    private var unnamedPictures: [[UInt8]: Int] = [:]
    private var colorNodes: [String: PackNode] = [:]
    private var colors: [String: [PackStep]] = [:]
    /// The colours that are being read, for those that name each other in a circle.
    private var openColors: Set<String> = []
    private var effects: [String: Int] = [:]
    private var itemIDs: Set<String> = []

    private static let keys = [
        "version", "id", "name", "description", "author", "license", "url", "release", "uuid", "icon", "targets",
        "pictures", "colors", "effects", "values", "items", "matrix",
    ]

    /// Reads a pack.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: names it in messages.
    /// - Throws: `badInput` for what breaks a rule of the format, `overLimit`.
    package static func read(_ bytes: [UInt8], file: String, limits: Limits) throws(EngineError) -> Pack {
        let root = PackNode(value: try json(bytes, file: file, limit: limits.packBytes), place: "", file: file)
        let fields = try root.fields(keys)
        if let version = fields["version"], try !isVersion(version.string()) {
            throw version.error("\"\(shownText(try version.string()))\" is not a version that is read, such as 1.0")
        }
        var reader = PackReader(file: file, limits: limits, info: try info(root, fields))
        try reader.readParts(fields)
        try reader.readItems(fields)
        guard !reader.pack.items.isEmpty else {
            let node = fields["items"] ?? root.child("items", .null)
            throw node.error("there is no item; a pack has at least one, in items or matrix")
        }
        return reader.pack
    }

    private init(file: String, limits: Limits, info: PackInfo) {
        self.file = file
        self.limits = limits
        pack = Pack(info: info)
    }

    static func json(_ bytes: [UInt8], file: String, limit: Int) throws(EngineError) -> JSONValue {
        let place = Place(file: file)
        guard bytes.count <= limit else { throw InputFile.overLimit(file: file, count: bytes.count, limit: limit) }
        do throws(JSONReader.Failure) {
            return try JSONReader.read(bytes, refusesRepeatedKeys: true)
        } catch {
            let lines = bytes.prefix(error.offset).split(separator: 10, omittingEmptySubsequences: false)
            throw .badInput(
                place,
                reason: "line \(lines.count), column \((lines.last?.count ?? 0) + 1): is not JSON: \(error.reason)")
        }
    }

    /// Whether a version is one of 1.x.
    static func isVersion(_ text: String) -> Bool {
        let minor = text.utf8.dropFirst(2)
        return text.hasPrefix("1.") && (1...4).contains(minor.count) && minor.allSatisfy { (48...57).contains($0) }
    }

    private static func info(_ root: PackNode, _ fields: [String: PackNode]) throws(EngineError) -> PackInfo {
        guard let id = try fields["id"]?.identifier(2...32) else { throw root.child("id", .null).error("is missing") }
        let name = try fields["name"]?.text(1...60) ?? words(of: id)
        var info = PackInfo(id: id, name: name, description: try fields["description"]?.text(1...200) ?? name)
        info.author = try fields["author"]?.text(0...60) ?? ""
        info.license = try fields["license"]?.text(0...60) ?? ""
        info.url = try fields["url"]?.text(0...200) ?? ""
        if let node = fields["release"] {
            guard let release = PackRelease(try node.string()) else {
                throw node.error(
                    "\"\(shownText(try node.string()))\" is not a release: three whole numbers below 100000 without "
                        + "leading zeros, such as 1.4.0")
            }
            info.release = release
        }
        if let node = fields["uuid"] {
            let text = try node.string().lowercased()
            guard isUUID(text) else {
                throw node.error("\"\(shownText(text))\" is not a UUID such as 5d0f9a2c-7b3e-4c1f-8a66-d1e2c4b7f093")
            }
            info.uuid = text
        }
        info.values = try fields["values"]?.values() ?? [:]
        return info
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The words of an id, each with a capital: `rainbow_cow` is `Rainbow Cow`.
    static func words(of id: String) -> String {
        id.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    // MARK: - What items are made of

    private mutating func readParts(_ fields: [String: PackNode]) throws(EngineError) {
        for (index, node) in try fields["targets"]?.elements().enumerated() ?? [].enumerated() {
            pack.targets.append(try target(node, index))
        }
        for (name, node) in try fields["pictures"]?.members() ?? [] {
            namedPictures[name] = try add(try picture(node), at: node)
        }
        for (name, node) in try fields["colors"]?.members() ?? [] { colorNodes[name] = node }
        for (name, node) in try fields["colors"]?.members() ?? [] { _ = try steps(ofColor: name, at: node) }
        for (name, node) in try fields["effects"]?.members() ?? [] {
            effects[name] = pack.effects.count
            pack.effects.append(try effect(name, node))
        }
        if let node = fields["icon"] {
            pack.info.icon = try node.string()
            pack.iconPicture = try pictureNumber(node)
        }
    }

    private func target(_ node: PackNode, _ index: Int) throws(EngineError) -> PackTarget {
        if let name = node.value.string { return PackTarget(name, place: node.place) }
        guard node.value.members != nil else { throw node.wrongType("a name or an object") }
        let fields = try node.fields(["target", "bundle", "values"])
        guard let name = fields["target"] else { throw node.child("target", .null).error("is missing") }
        var target = PackTarget(try name.string(), place: node.place)
        target.bundle = try fields["bundle"].map { (node) throws(EngineError) in try node.named() }
        target.values = try fields["values"]?.values() ?? [:]
        return target
    }

    private func picture(_ node: PackNode) throws(EngineError) -> PackPicture {
        if let file = node.value.string { return PackPicture(file: file, place: node.place, filePlace: node.place) }
        guard node.value.members != nil else { throw node.wrongType("a path or an object") }
        let fields = try node.fields(["file", "scaling", "layers", "viewport"])
        guard let file = fields["file"] else { throw node.child("file", .null).error("is missing") }
        var picture = PackPicture(file: try file.string(), place: node.place, filePlace: file.place)
        if let scaling = fields["scaling"] { picture.scaling = try scaling.named() }
        if let layers = fields["layers"] {
            var names: [String] = []
            for layer in try layers.elements() { names.append(try layer.string()) }
            picture.layers = names
        }
        picture.viewport = try fields["viewport"]?.string()
        return picture
    }

    private mutating func add(_ picture: PackPicture, at node: PackNode) throws(EngineError) -> Int {
        do throws(BundlePath.Fault) {
            _ = try BundlePath(picture.file)
        } catch {
            throw .badInput(
                Place(file: file, path: picture.filePlace),
                reason: "the path \"\(shownText(picture.file))\" \(error.reason)")
        }
        guard pack.pictures.count < limits.packPictures else {
            throw .overLimit(
                Place(file: file, path: node.place), what: "the number of pictures",
                found: "more than \(limits.packPictures)", limit: "\(limits.packPictures)")
        }
        pack.pictures.append(picture)
        return pack.pictures.count - 1
    }

    /// The picture that a text stands for: the name of one, or a path with a dot in it.
    mutating func pictureNumber(_ node: PackNode) throws(EngineError) -> Int {
        let text = try node.string()
        if let named = namedPictures[text] { return named }
        guard text.utf8.contains(UInt8(ascii: ".")) else {
            throw node.error(
                "there is no picture \"\(shownText(text))\"" + didYouMean(text, among: namedPictures.keys.sorted())
                    + "; a path has a dot in it")
        }
        let key = Array(text.utf8)
        if let known = unnamedPictures[key] { return known }
        let number = try add(PackPicture(file: text, place: node.place, filePlace: node.place), at: node)
        unnamedPictures[key] = number
        return number
    }

    private mutating func effect(_ name: String, _ node: PackNode) throws(EngineError) -> PackEffect {
        let fields = try node.fields(["color", "layers", "values"])
        var effect = PackEffect(name: name)
        effect.steps = try fields["color"].map { (node) throws(EngineError) in try steps(node) } ?? []
        for layer in try fields["layers"]?.elements() ?? [] { effect.steps.append(.layer(try self.layer(layer))) }
        effect.values = try fields["values"]?.values() ?? [:]
        return effect
    }

    // MARK: - Items

    private mutating func readItems(_ fields: [String: PackNode]) throws(EngineError) {
        let nodes = try fields["items"]?.elements() ?? []
        try checkCount(nodes.count, at: fields["items"]?.place ?? "items")
        for node in nodes { try add(try item(node), at: node) }
        guard let matrix = fields["matrix"] else { return }
        if matrix.value.array != nil {
            for node in try matrix.elements() { try expand(node) }
        } else {
            try expand(matrix)
        }
    }

    func checkCount(_ more: Int, at place: String) throws(EngineError) {
        let (count, isHuge) = pack.items.count.addingReportingOverflow(more)
        guard !isHuge, count <= limits.packItems else {
            throw .overLimit(
                Place(file: file, path: place), what: "the number of items",
                found: isHuge || more == .max ? "huge" : "\(count)", limit: "\(limits.packItems)")
        }
    }

    private mutating func item(_ node: PackNode) throws(EngineError) -> (PackItem, PackMaking) {
        let fields = try node.fields(["id", "name", "base", "color", "effects", "values"])
        guard let idNode = fields["id"] else { throw node.child("id", .null).error("is missing") }
        let id = try idNode.identifier(2...48)
        guard let base = fields["base"] else { throw node.child("base", .null).error("is missing") }
        let name = try fields["name"]?.text(1...60) ?? PackReader.words(of: id)
        var item = PackItem(id: id, name: name, base: try base.string(), place: node.place)
        var making = PackMaking(base: try pictureNumber(base), colors: [], effects: [])
        if let color = fields["color"] {
            making.colors = try steps(color)
            item.color = PackReader.colorText(color.value)
        }
        if let effects = fields["effects"] { making.effects = try effectNumbers(effects, &item) }
        item.values.merge(try fields["values"]?.values() ?? [:]) { $1 }
        return (item, making)
    }

    /// The effects of a list of names; the item gets their names and values.
    mutating func effectNumbers(_ node: PackNode, _ item: inout PackItem) throws(EngineError) -> [Int] {
        var numbers: [Int] = []
        for element in try node.elements() {
            let name = try element.string()
            guard let number = effects[name] else {
                throw element.error(
                    "there is no effect \"\(shownText(name))\"" + didYouMean(name, among: effects.keys.sorted()))
            }
            numbers.append(number)
            item.effects.append(name)
            item.values.merge(pack.effects[number].values) { $1 }
        }
        return numbers
    }

    /// Adds an item whose id no other has.
    mutating func add(_ made: (item: PackItem, making: PackMaking), at node: PackNode) throws(EngineError) {
        let (item, making) = made
        let place = node.child("id", .null)
        if PackReader.deviceNames.contains(item.id) {
            throw place.error("\"\(item.id)\" is the name of a device on Windows, which no file can have")
        }
        guard itemIDs.insert(item.id).inserted else {
            throw place.error("another item has the id \(item.id), too")
        }
        let count = making.effects.reduce(making.colors.count) { $0 + pack.effects[$1].steps.count }
        guard count <= Pack.stepsMax else {
            throw .overLimit(
                Place(file: file, path: node.place), what: "the number of steps of \(item.id)", found: "\(count)",
                limit: "\(Pack.stepsMax)")
        }
        pack.items.append(item)
        pack.makings.append(making)
    }

    private static let deviceNames: Set<String> =
        Set(["con", "aux", "nul", "prn"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    // MARK: - Colours by name

    /// The steps of a named colour; each is read once.
    mutating func steps(ofColor name: String, at node: PackNode) throws(EngineError) -> [PackStep] {
        if let known = colors[name] { return known }
        guard let definition = colorNodes[name] else {
            if name == "rainbow" { return [PackReader.rainbow] }
            throw node.error(
                "there is no colour \"\(shownText(name))\""
                    + didYouMean(name, among: colorNodes.keys.sorted() + ["rainbow"])
                    + "; a colour of its own is written as #rrggbb")
        }
        guard openColors.insert(name).inserted else {
            throw definition.error("the colour names itself, directly or through others")
        }
        defer { openColors.remove(name) }
        let steps = try steps(definition)
        guard steps.count <= Pack.stepsMax else {
            throw .overLimit(
                Place(file: file, path: definition.place), what: "the number of steps", found: "\(steps.count)",
                limit: "\(Pack.stepsMax)")
        }
        colors[name] = steps
        return steps
    }
}
