import Glibc
package import InkEngine
import InkSystem

/// A folder for what need not stay, in `TMPDIR` or else in `/tmp`.
package enum TemporaryFolder {
    /// Makes a folder of a new name, which the user alone may look into; one of the `Leftovers`.
    /// - Parameters:
    ///   - name: what its name begins with.
    ///   - folder: in place of these.
    /// - Throws: `io`.
    package static func make(_ name: String, in folder: String? = nil) throws(EngineError) -> String {
        let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = folder ?? (variable.isEmpty ? "/tmp" : variable)
        return try EngineError.wrapping(parent) { () throws(SystemFailure) in
            try Leftovers.add { () throws(SystemFailure) in
                var template = Array(parent.appendingPath("\(name)-XXXXXX").utf8CString)
                guard let made = mkdtemp(&template) else {
                    throw SystemFailure(operation: "make a temporary folder", errno: errno)
                }
                let path = String(cString: made)
                return (path, path)
            }
        }
    }

    /// Removes a folder and all that is in it; links are removed, not followed. What cannot be removed stays.
    package static func remove(_ folder: String) {
        FileSystem.removeTree(folder)
        Leftovers.forget(folder)
    }
}
