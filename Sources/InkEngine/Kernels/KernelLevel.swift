import CKernels
import Glibc

/// Which of the inner loops run: each is there for several levels of processor, and all give the same bytes.
public enum KernelLevel: Int, CaseIterable, Sendable {
    /// What every processor of the architecture has.
    case scalar = 0
    /// x86-64-v3: AVX2.
    case v3 = 1
    /// x86-64-v4: AVX-512.
    case v4 = 2

    public var name: String {
        switch self {
        case .scalar: "scalar"
        case .v3: "v3"
        case .v4: "v4"
        }
    }

    /// The environment's variable that forces a level.
    public static let variable = "INK_KERNELS"

    /// The highest level that this processor runs.
    public static let best = KernelLevel(rawValue: Int(ink_level_best().rawValue)) ?? .scalar

    /// The levels that this processor runs, in order.
    public static var available: [KernelLevel] { allCases.filter { $0.rawValue <= best.rawValue } }

    /// The level in use: the one that the environment asks for where this processor runs it, otherwise the best.
    public static let selected = asked().flatMap { $0.level } ?? best

    /// What is wrong with the level that the environment asks for, for a person to read; nil when nothing is.
    public static func environmentProblem() -> String? {
        guard let asked = asked(), asked.level == nil else { return nil }
        let names = available.map(\.name).joined(separator: ", ")
        return "\(variable)=\(asked.name): the levels of kernels that this processor runs are \(names)"
    }

    private static func asked() -> (name: String, level: KernelLevel?)? {
        guard let value = getenv(variable) else { return nil }
        let name = String(cString: value)
        return name.isEmpty ? nil : (name, available.first { $0.name == name })
    }

    /// The level as C has it.
    var c: ink_level { ink_level(rawValue: UInt32(rawValue)) }
}
