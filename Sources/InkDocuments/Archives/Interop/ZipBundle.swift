import CZip
import Glibc
import InkEngine

/// A template in a zip archive, at its root or inside one top folder. Read with libzip, from memory.
///
/// It is the template that the archive unpacks to. Among entries of one name the last counts, because archives are
/// updated like that. A path through a link is an error.
final class ZipBundle: TemplateBundle {
    private let archive: OpaquePointer
    private let name: String
    private let limits: Limits
    private let archiveBytes: Int
    /// Entry numbers of files and links by the bytes of their path inside the bundle. Swift's == also equates
    /// canonically equivalent names, which are two files.
    private var entries: [[UInt8]: UInt64] = [:]
    /// The contents of each folder, by its path.
    private var folders: [[UInt8]: Set<[UInt8]>] = [:]
    /// Bytes unpacked so far; the limit of a project file applies to all files together.
    private var unpackedBytes = 0

    /// Opens the archive and checks all its names without unpacking anything.
    ///
    /// - Throws: `badInput` if it is damaged or contains names that leave the bundle, `overLimit` for the number of
    /// entries.
    init(bytes: consuming [UInt8], name: String, limits: Limits) throws(EngineError) {
        archiveBytes = bytes.count
        archive = try ZipBundle.open(bytes, name: name)
        self.name = name
        self.limits = limits
        try readNames()
    }

    deinit { zip_discard(archive) }

    private static func open(_ bytes: consuming [UInt8], name: String) throws(EngineError) -> OpaquePointer {
        let count = bytes.count
        // libzip frees this copy with the source.
        guard let copy = malloc(max(count, 1)) else {
            throw .badInput(Place(file: name), reason: "there is not enough memory to read it")
        }
        bytes.withUnsafeBytes { buffer in
            if let base = buffer.baseAddress { memcpy(copy, base, count) }
        }
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(copy, zip_uint64_t(count), 1, &error) else {
            free(copy)
            throw damaged(name, &error)
        }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            throw damaged(name, &error)
        }
        return archive
    }

    private static func damaged(_ name: String, _ error: inout zip_error_t) -> EngineError {
        let text = zip_error_strerror(&error).map { String(cString: $0) } ?? "unknown error"
        return .badInput(Place(file: name), reason: "the zip archive cannot be read: \(text)")
    }

    private func readNames() throws(EngineError) {
        let count = Int(zip_get_num_entries(archive, 0))
        guard count <= limits.archiveEntries else {
            throw .overLimit(
                Place(file: name), what: "the number of files in the archive", found: "\(count)",
                limit: "\(limits.archiveEntries)")
        }
        var paths: [(path: BundlePath, entry: UInt64)] = []
        for entry in 0..<UInt64(max(count, 0)) {
            guard let text = zip_get_name(archive, entry, zip_flags_t(ZIP_FL_ENC_GUESS)) else {
                throw .badInput(
                    Place(file: name), reason: "the name of file \(entry + 1) in the archive cannot be read")
            }
            let path = String(cString: text)
            // Folders exist if they contain files; some archives also list the root, as "./".
            if path.hasSuffix("/") && !path.hasPrefix("/") && !path.split(separator: "/").contains("..") { continue }
            do throws(BundlePath.Fault) {
                paths.append((try BundlePath(path), entry))
            } catch .control {
                // No manifest can name it. macOS stores folder icons under such a name.
                continue
            } catch {
                throw .badInput(Place(file: name, path: shownText(path)), reason: "the name \(error.reason)")
            }
        }
        let top = try top(paths.map(\.path))
        for (path, entry) in paths {
            var components = path.components[...]
            if let top {
                guard components.first.map({ Array($0.utf8) }) == top else { continue }
                components = components.dropFirst()
            }
            guard !components.isEmpty else { continue }
            var key: [UInt8] = []
            for component in components {
                folders[key, default: []].insert(Array(component.utf8))
                key = Self.path(of: Array(component.utf8), in: key)
            }
            entries[key] = entry
        }
    }

    private static func path(of name: [UInt8], in folder: [UInt8]) -> [UInt8] {
        folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
    }

    /// The folder that contains the template; nil for the archive's root.
    private func top(_ paths: [BundlePath]) throws(EngineError) -> [UInt8]? {
        let manifests = paths.map(\.components).filter { $0.last == FolderBundle.manifestName && $0.count <= 2 }
        if manifests.contains(where: { $0.count == 1 }) { return nil }
        let tops = Set(manifests.map { Array($0[0].utf8) }).subtracting([Array(FolderBundle.foreignFolder.utf8)])
        guard tops.count <= 1 else {
            throw .badInput(Place(file: name), reason: "the archive holds \(tops.count) templates, must hold one")
        }
        return tops.first
    }

    private func isLink(_ entry: UInt64) -> Bool {
        var system: zip_uint8_t = 0
        var attributes: zip_uint32_t = 0
        guard zip_file_get_external_attributes(archive, entry, 0, &system, &attributes) == 0 else { return false }
        // The upper half is the file's mode if the archive comes from Unix or macOS.
        let isUnix = system == zip_uint8_t(ZIP_OPSYS_UNIX) || system == zip_uint8_t(ZIP_OPSYS_OS_X)
        return isUnix && attributes >> 16 & UInt32(S_IFMT) == UInt32(S_IFLNK)
    }

    /// Resolves a path folder by folder as on a disk: the exact name, otherwise the first canonically equivalent one by
    /// its bytes.
    private func find(_ path: some Sequence<String>) -> [UInt8]? {
        var found: [UInt8] = []
        for component in path {
            let wanted = Array(component.utf8)
            guard let names = folders[found] else { return nil }
            let name =
                names.contains(wanted)
                ? wanted
                : names.filter { String(decoding: $0, as: UTF8.self) == component }
                    .min { $0.lexicographicallyPrecedes($1) }
            guard let name else { return nil }
            found = Self.path(of: name, in: found)
        }
        return found
    }

    private func entry(_ path: some Sequence<String>) -> UInt64? { find(path).flatMap { entries[$0] } }

    func names(limits: Limits) -> [String] { entries.keys.map { String(decoding: $0, as: UTF8.self) } }

    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]? {
        let place = Place(file: name, path: path.text)
        for count in 1...path.components.count {
            guard let entry = entry(path.components.prefix(count)), isLink(entry) else { continue }
            let fault = count == path.components.count ? "is" : "lies behind"
            throw .badInput(place, reason: "\(fault) a symbolic link, which a bundle must not have")
        }
        guard let entry = entry(path.components) else {
            guard find(path.components).flatMap({ folders[$0] }) == nil else {
                throw .badInput(place, reason: "is a folder, not a regular file")
            }
            return nil
        }
        var status = zip_stat_t()
        guard zip_stat_index(archive, entry, 0, &status) == 0, status.valid & UInt64(ZIP_STAT_SIZE) != 0 else {
            throw .badInput(place, reason: "the archive does not say how large it is")
        }
        guard status.encryption_method == UInt16(ZIP_EM_NONE) else {
            throw .badInput(place, reason: "is encrypted")
        }
        let size = Int(clamping: status.size)
        let allowed = min(limitBytes, limits.fileBytes - unpackedBytes)
        guard size <= allowed else {
            let others = allowed < limits.fileBytes ? ", what the other files leave of \(limits.fileBytes)" : ""
            throw .overLimit(
                place, what: "the unpacked file", found: "\(size) bytes", limit: "\(allowed) bytes\(others)")
        }
        // The packed size may be wrong too; no file takes more than the archive.
        let packed = max(1, min(Int(clamping: status.comp_size), archiveBytes))
        guard size <= 16 << 20 || size / packed <= limits.archiveRatio else {
            throw .overLimit(
                place, what: "the unpacked file", found: "\(size / packed) times its packed size",
                limit: "\(limits.archiveRatio) times")
        }
        unpackedBytes += size
        return try unpack(entry, size: size, place: place)
    }

    /// Unpacks exactly `size` bytes; libzip checks the checksum at the end.
    private func unpack(_ entry: UInt64, size: Int, place: Place) throws(EngineError) -> [UInt8] {
        guard let file = zip_fopen_index(archive, entry, 0) else {
            throw .badInput(place, reason: "cannot be unpacked: \(String(cString: zip_strerror(archive)))")
        }
        defer { zip_fclose(file) }
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size + InputFile.spareBytes) { buffer, count in
            while count < size {
                let result = zip_fread(file, buffer.baseAddress! + count, zip_uint64_t(size - count))
                guard result > 0 else { return }
                count += Int(result)
            }
            var more: UInt8 = 0
            isWhole = zip_fread(file, &more, 1) == 0
        }
        guard isWhole else { throw .badInput(place, reason: "cannot be unpacked: its data are damaged") }
        return bytes
    }
}
