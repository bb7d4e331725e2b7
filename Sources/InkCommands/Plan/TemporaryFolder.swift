import Glibc
import InkEngine
import InkFiles

/// A folder for what need not stay, in `TMPDIR` or else in `/tmp`.
enum TemporaryFolder {
    /// Makes a folder of a new name, which the user alone may look into.
    /// - Parameter name: what its name begins with.
    static func make(_ name: String) throws(EngineError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array(parent.appendingPath("\(name)-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw .io(path: parent, operation: "make a temporary folder", errno: errno)
        }
        return String(cString: made)
    }

    /// Removes a folder and all that is in it; links are removed, not followed. What cannot be removed stays.
    static func remove(_ folder: String) {
        for entry in (try? FileSystem.entries(folder)) ?? [] {
            guard case .name(let name) = entry else { continue }
            let path = folder.appendingPath(name)
            if unlink(path) != 0 { remove(path) }
        }
        rmdir(folder)
    }
}
