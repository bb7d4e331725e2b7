import Glibc
import InkBroker
package import InkEngine

/// What a person can do where the system refuses something, to follow its message.
enum SystemAdvice {
    /// Begins with a semicolon; empty where there is nothing to advise.
    static func text(errno: Int32, operation: String) -> String {
        let advice: String? =
            switch errno {
            case ENOENT: "check the spelling, or give the full path"
            case EACCES, EPERM: "ask for access to it, or choose another place"
            case EROFS: "nothing can be written there; choose another place"
            case ENOSPC, EDQUOT: "make room there, or choose another place"
            case ENOTDIR: "part of the path is a file, where a folder is needed"
            case ENAMETOOLONG: "choose a shorter name"
            case ELOOP: "links in the path lead in a circle"
            case EMFILE: "raise the limit of open files (ulimit -n)"
            case EEXIST where operation.contains("--if-exists"): "--if-exists overwrite replaces it"
            default: nil
            }
        return advice.map { "; \($0)" } ?? ""
    }
}

extension EngineError {
    /// The error in one line, with what a person can do about it.
    package var advised: String {
        guard case .io(_, let operation, let errno) = self else { return description }
        return description + SystemAdvice.text(errno: errno, operation: operation)
    }
}

extension BrokerError {
    /// The message with advice for the farm of this process.
    var advised: String {
        guard case .output(_, let operation, let errno) = self else { return description }
        return description + SystemAdvice.text(errno: errno, operation: operation)
    }
}
