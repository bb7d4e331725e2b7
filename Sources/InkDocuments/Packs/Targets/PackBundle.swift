import InkEngine
import InkJSON

/// One archive of a target: its name and its files, known before anything is rendered.
package struct PackBundle: Sendable {
    package let source: TargetBundles
    /// The items in it, by their numbers in the pack.
    package let items: Range<Int>
    package let id: String
    package let name: String
    package let description: String
    /// The release that its files name.
    package let release: PackRelease
    /// The file name of its archive.
    package private(set) var archive = ""
    /// In byte order of their paths, which is that of the archive.
    package private(set) var files: [BundleFile] = []
    /// Where a written archive has its release: a file, and the keys of a value in it.
    package private(set) var releasePlace: (file: String, keys: [String])?
    /// Stands before the roles of its UUIDs.
    let key: String
    /// The values that count for all items, by the numbers of parameters; nil where items must have their own.
    private var values: [JSONValue?] = []

    /// Plans a bundle.
    ///
    /// - Parameters:
    ///   - index: its number, below the source's count.
    ///   - release: nil for the pack's own.
    package init(_ source: TargetBundles, _ index: Int, release: PackRelease? = nil) throws(TargetError) {
        self.source = source
        self.release = release ?? source.info.release
        items = source.items(ofBundle: index)
        let info = source.info
        switch source.bundling {
        case .item:
            let item = source.items[items.lowerBound]
            (id, name, description, key) = (item.id, item.name, item.name, "item/\(item.id)")
        case .pack:
            let end = source.count > 1 ? "\(index + 1)" : ""
            id = info.id + (end.isEmpty ? "" : "_\(end)")
            name = info.name + (end.isEmpty ? "" : " \(end)")
            (description, key) = (info.description, index == 0 ? "pack" : "pack/\(index + 1)")
        }
        values = try standardValues()
        archive = try text(source.recipe.archive)
        if let fault = BundlePaths.fault(ofName: archive) {
            throw source.fault(source.target.place, "the archive's name \"\(shownText(archive))\" \(fault)")
        }
        files = try plannedFiles()
        if let place = source.recipe.release { releasePlace = (try text(place.file), place.keys) }
    }

    /// Values of the target's entry, the pack's, or defaults.
    private func standardValues() throws(TargetError) -> [JSONValue?] {
        var values: [JSONValue?] = []
        for (number, parameter) in source.recipe.parameters.enumerated() {
            if let given = source.given[number] {
                values.append(given)
                continue
            }
            switch parameter.standard {
            case .value(let value): values.append(value)
            case nil: values.append(nil)
            case .text(let template):
                let value = try value(of: template, item: nil)
                if let fault = parameter.fault(of: value) {
                    throw source.fault(
                        source.target.place,
                        "the default of \(parameter.name) of target \(source.recipe.name) \(fault); give a value")
                }
                values.append(value)
            }
        }
        return values
    }

    /// A mistake in the recipe.
    func mistake(_ place: String, _ reason: String) -> TargetError {
        .recipe(.badInput(Place(file: source.recipe.file, path: place), reason: reason))
    }

    // MARK: - Values

    /// The item whose values count where a file is there once: the one of a bundle of one item.
    private var onlyItem: Int? { source.bundling == .item ? items.lowerBound : nil }

    /// The value of a name.
    ///
    /// - Parameter item: its number in the pack; nil in what is there once.
    func value(_ name: TargetName, item: Int?) throws(TargetError) -> JSONValue {
        switch name {
        case .parameter(let number):
            if let item = item ?? onlyItem, let own = source.itemValues[item][number] { return own }
            if let value = values[number] { return value }
            let parameter = source.recipe.parameters[number]
            throw source.fault(
                item.map { source.items[$0].place } ?? source.target.place,
                "target \(source.recipe.name) needs a value \"\(parameter.name)\"")
        case .fact(let fact):
            guard fact.isOfItem else { return self.fact(fact) }
            guard let item else {
                throw mistake(
                    "parts", "{\(fact.rawValue)} is a value of an item, and a file that is there once has this part")
            }
            return self.fact(fact, source.items[item], number: item - items.lowerBound + 1)
        }
    }

    private func fact(_ fact: TargetName.Fact) -> JSONValue {
        let info = source.info
        switch fact {
        case .packID: return .string(info.id)
        case .packName: return .string(info.name)
        case .packDescription: return .string(info.description)
        case .packAuthor: return .string(info.author)
        case .packLicense: return .string(info.license)
        case .packURL: return .string(info.url)
        case .packRelease: return .string("\(release)")
        case .bundleID: return .string(id)
        case .bundleName: return .string(name)
        case .bundleDescription: return .string(description)
        case .count: return .integer(items.count)
        case .target: return .string(source.recipe.name)
        case .program: return .string(source.program)
        case .id, .name, .number, .base, .color, .effects: return .null
        }
    }

    private func fact(_ fact: TargetName.Fact, _ item: PackItem, number: Int) -> JSONValue {
        switch fact {
        case .id: .string(item.id)
        case .name: .string(item.name)
        case .number: .integer(number)
        case .base: .string(item.base)
        case .color: .string(item.color)
        case .effects: .array(item.effects.map { .string($0) })
        default: .null
        }
    }

    /// The most bytes that are put into one text.
    private static let textBytesMax = 1 << 20

    func text(_ template: TargetText, item: Int? = nil) throws(TargetError) -> String {
        var bytesLeft = Self.textBytesMax
        return try template.text { (name) throws(TargetError) in
            let value = try self.value(name, item: item)
            bytesLeft -= value.string?.utf8.count ?? 1
            guard bytesLeft >= 0 else {
                throw source.fault(
                    item.map { source.items[$0].place } ?? source.target.place,
                    "a text of target \(source.recipe.name) would have more than \(Self.textBytesMax) bytes")
            }
            return value
        }
    }

    /// The value of a text that is one placeholder, else the text.
    func value(of template: TargetText, item: Int?) throws(TargetError) -> JSONValue {
        if let name = template.only { return try value(name, item: item) }
        return .string(try text(template, item: item))
    }

    // MARK: - Files

    private func plannedFiles() throws(TargetError) -> [BundleFile] {
        var paths = BundlePaths(source)
        var files: [BundleFile] = []
        for (entry, file) in source.recipe.files.enumerated() {
            if file.isOfItem {
                for item in items where agrees(file, item: item) {
                    try add(file, entry, item: item, to: &files, &paths)
                }
            } else if file.conditions.isEmpty || items.contains(where: { agrees(file, item: $0) }) {
                try add(file, entry, item: nil, to: &files, &paths)
            }
        }
        let known = Set(files.compactMap { if case .picture = $0.content { $0.path } else { nil } })
        for index in files.indices {
            guard case .sheet(let pictures, let places) = files[index].content else { continue }
            let found = pictures.filter(known.contains)
            guard !found.isEmpty else {
                throw mistake(
                    source.recipe.files[files[index].entry].place + ".sheet.of",
                    "no picture has the path \"\(shownText(pictures.first ?? ""))\"")
            }
            files[index].content = .sheet(of: found, places: places)
        }
        return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private func agrees(_ file: TargetFile, item: Int) -> Bool {
        file.conditions.allSatisfy { condition in
            guard let value = source.itemValues[item][condition.parameter] ?? values[condition.parameter] else {
                return false
            }
            return condition.values.contains { $0.isSame(as: value) }
        }
    }

    private func add(
        _ file: TargetFile, _ entry: Int, item: Int?, to files: inout [BundleFile], _ paths: inout BundlePaths
    ) throws(TargetError) {
        let path = try text(file.path, item: item)
        let place = item.map { source.items[$0].place } ?? source.target.place
        try paths.add(path, place: place)
        var planned = BundleFile(path: path, content: .text, entry: entry, item: item)
        switch file.content {
        case .json, .text: break
        case .picture(let picture): planned.content = .picture(try self.picture(picture, file, item: item))
        case .copy(let path, let contains):
            let copied = try text(path, item: item)
            guard !copied.isEmpty else { throw source.fault(place, missing(path)) }
            let needed = try contains.map { (text) throws(TargetError) in try self.text(text, item: item) }
            planned.content = .copy(BundleCopy(path: copied, contains: needed, place: place))
        case .sheet(let of, let places):
            let list = try text(places)
            try paths.add(list, place: place)
            var pictures: [String] = []
            for item in items { pictures.append(try text(of, item: item)) }
            planned.content = .sheet(of: pictures, places: list)
            files.append(BundleFile(path: list, content: .sheetPlaces(sheet: path), entry: entry, item: nil))
        }
        files.append(planned)
    }

    private func missing(_ path: TargetText) -> String {
        let names = path.names.compactMap { name in
            if case .parameter(let number) = name { source.recipe.parameters[number].name } else { nil }
        }
        return
            "target \(source.recipe.name) copies a file here: give its path as the value \"\(names.first ?? "path")\""
    }

    private func picture(
        _ picture: TargetPicture, _ file: TargetFile, item: Int?
    ) throws(TargetError) -> BundlePicture {
        // The icon of several items is the pack's, or its first item.
        let shown = item ?? onlyItem ?? (source.info.icon == nil ? 0 : nil)
        let place = item.map { source.items[$0].place } ?? source.target.place
        let found = try picture.picture(item: shown) { (template) throws(TargetError) in
            try self.constant(template, item: item)
        } fault: { key, fault in
            source.fault(place, "the \(key.rawValue) of a picture of target \(source.recipe.name) \(fault.reason)")
        }
        if case .box(let box) = found.size, max(box.width, box.height) > source.limits.edgePixels {
            throw .input(
                .overLimit(
                    Place(file: source.file, path: place),
                    what: "the edge of a picture of target \(source.recipe.name)",
                    found: "\(max(box.width, box.height)) pixels", limit: "\(source.limits.edgePixels)"))
        }
        return found
    }

    private func constant(_ template: TargetTemplate, item: Int?) throws(TargetError) -> JSONValue {
        guard case .text(let text) = template else { return template.constant ?? .null }
        return try value(of: text, item: item)
    }
}

/// A file of a bundle.
package struct BundleFile: Sendable {
    /// Unique in the bundle, without regard to case.
    package var path: String
    package var content: Content
    /// The number of its entry in the recipe.
    let entry: Int
    /// The number of its item in the pack; nil for one of the whole bundle.
    let item: Int?

    package enum Content: Hashable, Sendable {
        case picture(BundlePicture)
        /// A text or JSON; `PackBundle.bytes(of:)` makes it.
        case text
        case copy(BundleCopy)
        /// A sprite sheet of the pictures at these paths; the list of their places is another file.
        case sheet(of: [String], places: String)
        /// The list of places of the sheet at that path.
        case sheetPlaces(sheet: String)
    }
}
