package import CKernels
import Glibc

/// The processor level of the inner loops. They exist for several levels, and all give the same bytes.
public enum KernelLevel: Int, CaseIterable, Sendable {
    /// The baseline of the architecture.
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

    /// The environment variable that selects a level.
    public static let variable = "INK_KERNELS"

    /// The highest level that this processor supports.
    public static let best = KernelLevel(rawValue: Int(ink_level_best().rawValue)) ?? .scalar

    /// The levels that this processor supports, in ascending order.
    public static var available: [KernelLevel] { allCases.filter { $0.rawValue <= best.rawValue } }

    /// The level in use: the one in the environment if this processor supports it, otherwise the best.
    public static let selected = asked().flatMap { $0.level } ?? best

    /// An error message about the level in the environment; nil if there is no problem.
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

    /// The level as a C value.
    package var c: ink_level { ink_level(rawValue: UInt32(rawValue)) }
}
