import Synchronization

/// The two filters that scale images to the output's size.
public enum ResampleFilter: Hashable, Sendable {
    /// Content and base images.
    case lanczos3
    /// Masks. This filter cannot overshoot.
    case triangle

    /// Half of the filter's width, in samples of the coarser of the two grids.
    var radius: Int {
        switch self {
        case .lanczos3: 3
        case .triangle: 1
        }
    }

    /// The filter's value at `x`, not normalised; 0 from `radius` on.
    func value(at x: Double) -> Double {
        guard x.magnitude < Double(radius) else { return 0 }
        switch self {
        case .triangle: return 1 - x.magnitude
        case .lanczos3:
            if x == 0 { return 1 }
            let angle = Double.pi * x
            return 3 * sinPi(x) * sinPi(x / 3) / (angle * angle)
        }
    }
}

/// The weights of source samples for output samples along one axis. For output sample j: f(((i + 1/2) - (j + 1/2) r) /
/// max(1, r)), r = source / destination, normalised over the samples inside the image.
struct ResampleKernel: Sendable {
    /// The output samples that it covers.
    let outputs: Range<Int>
    /// The first source sample of each.
    let first: [Int]
    /// Index in `weights` of the first weight of each; followed by the end.
    let start: [Int]
    let weights: [Float]

    /// - Precondition: the sizes are in 1...2^30, `outputs` within the destination.
    init(filter: ResampleFilter, source: Int, destination: Int, outputs: Range<Int>) {
        let request = Request(filter: filter, source: source, destination: destination, outputs: outputs)
        if let known = KernelShelf.shared.kernel(request) {
            self = known
            return
        }
        self.outputs = outputs
        if source == destination {
            first = Array(outputs)
            start = Array(0...outputs.count)
            weights = Array(repeating: 1, count: outputs.count)
        } else {
            (first, start, weights) = ResampleKernel.weights(request)
        }
        KernelShelf.shared.keep(self, request)
    }

    /// Weights at any places, normalised over all samples; beyond the image its first and last samples go on.
    ///
    /// - Parameters:
    ///   - ratio: source samples in an output sample.
    ///   - centers: of the output samples, in source samples, ascending.
    init(filter: ResampleFilter, source: Int, ratio: Double, centers: [Double]) {
        outputs = 0..<centers.count
        let width = max(1, ratio)
        let reach = Double(filter.radius) * width
        var first: [Int] = []
        var start = [0]
        var weights: [Float] = []
        for center in centers {
            // |i + 1/2 - center| < reach
            let low = Int((center - reach - 0.5).rounded(.down)) + 1
            let high = Int((center + reach - 0.5).rounded(.up)) - 1
            let inside = min(max(low, 0), source - 1)...min(max(high, 0), source - 1)
            var values = [Double](repeating: 0, count: inside.count)
            for i in low...high {
                let place = min(max(i, inside.lowerBound), inside.upperBound) - inside.lowerBound
                values[place] += filter.value(at: (Double(i) + 0.5 - center) / width)
            }
            first.append(inside.lowerBound)
            Self.append(values, to: &weights)
            start.append(weights.count)
        }
        (self.first, self.start, self.weights) = (first, start, weights)
    }

    /// Equal weights for all samples.
    ///
    /// - Parameter outputs: how many output samples have them.
    init(meanOf source: Int, outputs: Int) {
        self.outputs = 0..<outputs
        first = Array(repeating: 0, count: outputs)
        start = (0...outputs).map { $0 * source }
        var weights: [Float] = []
        for _ in 0..<outputs { Self.append(Array(repeating: 1, count: source), to: &weights) }
        self.weights = weights
    }

    /// The parameters of a kernel.
    fileprivate struct Request: Hashable, Sendable {
        var filter: ResampleFilter
        var source: Int
        var destination: Int
        var outputs: Range<Int>
    }

    private static func weights(_ request: Request) -> (first: [Int], start: [Int], weights: [Float]) {
        let (source, destination, filter) = (request.source, request.destination, request.filter)
        var first: [Int] = []
        var start = [0]
        var weights: [Float] = []
        var values: [Double] = []
        first.reserveCapacity(request.outputs.count)
        start.reserveCapacity(request.outputs.count + 1)
        for output in request.outputs {
            let range = sourceRange(ofOutput: output, source: source, destination: destination, filter: filter)
            first.append(range.lowerBound)
            let scale = Double(2 * max(source, destination))
            values.removeAll(keepingCapacity: true)
            for input in range {
                values.append(
                    filter.value(at: Double((2 * input + 1) * destination - (2 * output + 1) * source) / scale))
            }
            append(values, to: &weights)
            start.append(weights.count)
        }
        return (first, start, weights)
    }

    /// The source samples for the output sample at `position` of `outputs`.
    @inline(__always)
    func range(at position: Int) -> Range<Int> {
        first[position]..<(first[position] + start[position + 1] - start[position])
    }

    /// All source samples that it reads; both ends increase with the output.
    var sourceRange: Range<Int> {
        outputs.isEmpty ? 0..<0 : first[0]..<range(at: outputs.count - 1).upperBound
    }

    /// The source samples for the output samples `outputs` (not empty).
    static func sourceRange(
        forOutput outputs: Range<Int>, source: Int, destination: Int, filter: ResampleFilter
    ) -> Range<Int> {
        let low = sourceRange(ofOutput: outputs.lowerBound, source: source, destination: destination, filter: filter)
        let high = sourceRange(
            ofOutput: outputs.upperBound - 1, source: source, destination: destination, filter: filter)
        return low.lowerBound..<high.upperBound
    }

    /// The source samples at which the filter is not 0, computed in integers: the filter's argument is ((2i + 1) D -
    /// (2j + 1) S) / (2 max(D, S)).
    private static func sourceRange(
        ofOutput output: Int, source: Int, destination: Int, filter: ResampleFilter
    ) -> Range<Int> {
        if source == destination { return output..<(output + 1) }
        let centre = (2 * output + 1) * source
        let reach = 2 * filter.radius * max(source, destination)
        let first = floorDivide(centre - reach - destination, 2 * destination) + 1
        let end = -floorDivide(-(centre + reach - destination), 2 * destination)
        return max(0, first)..<min(source, end)
    }

    private static func floorDivide(_ a: Int, _ b: Int) -> Int {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Appends the values, normalised.
    private static func append(_ values: [Double], to weights: inout [Float]) {
        let sum = values.reduce(0, +)
        let begin = weights.count
        for value in values { weights.append(Float(value / sum)) }
        // A uniform area must stay uniform: modes that jump at 0 and 1 would show the rounding errors of the weights.
        // Therefore the largest weight absorbs the difference of the sum from 1, with the sum computed in the same
        // order as for pixels.
        guard let largest = values.indices.max(by: { values[$0] < values[$1] }) else { return }
        for _ in 0..<3 {
            var found: Float = 0
            for index in begin..<weights.count { found += weights[index] }
            let missing = 1 - found
            if missing == 0 { return }
            weights[begin + largest] += missing
        }
    }
}

/// A cache of the most recent kernels, which the tiles of a picture share: the weights along a row are the same for
/// every band and every image of one size.
private final class KernelShelf: Sendable {
    static let shared = KernelShelf()

    /// Number of kernels kept, newest last. A long kernel takes about 1 MB.
    private static let countMax = 8
    /// Kernels for the rows of a band are shorter, cheap, and not shared.
    private static let outputsMin = 513

    private let kept = Mutex<[(request: ResampleKernel.Request, kernel: ResampleKernel)]>([])

    func kernel(_ request: ResampleKernel.Request) -> ResampleKernel? {
        guard request.outputs.count >= Self.outputsMin else { return nil }
        return kept.withLock { kept in kept.first { $0.request == request }?.kernel }
    }

    func keep(_ kernel: ResampleKernel, _ request: ResampleKernel.Request) {
        guard request.outputs.count >= Self.outputsMin else { return }
        kept.withLock { kept in
            if kept.contains(where: { $0.request == request }) { return }
            if kept.count == Self.countMax { kept.removeFirst() }
            kept.append((request, kernel))
        }
    }
}
