/// The two filters by which images come to the output's size.
public enum ResampleFilter: Sendable {
    /// Content and base images.
    case lanczos3
    /// Masks: cannot overshoot.
    case triangle

    /// Half of the filter's width, in samples of the coarser of the two grids.
    var radius: Int {
        switch self {
        case .lanczos3: 3
        case .triangle: 1
        }
    }

    /// The filter's value at `x`, without normalisation; 0 from `radius` on.
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

/// The weights by which output samples are made of source samples, along one axis: for output sample j,
/// f(((i + 1/2) - (j + 1/2) r) / max(1, r)), r = source / destination, normalised over the samples inside.
struct ResampleKernel {
    /// The output samples that it serves.
    let outputs: Range<Int>
    /// The first source sample of each.
    let first: [Int]
    /// Where the weights of each begin in `weights`; one more, the end, follows.
    let start: [Int]
    let weights: [Float]

    /// - Precondition: the sizes are in 1...2^30, `outputs` within the destination.
    init(filter: ResampleFilter, source: Int, destination: Int, outputs: Range<Int>) {
        self.outputs = outputs
        var first: [Int] = []
        var start = [0]
        var weights: [Float] = []
        first.reserveCapacity(outputs.count)
        start.reserveCapacity(outputs.count + 1)
        for output in outputs {
            let range = Self.sourceRange(ofOutput: output, source: source, destination: destination, filter: filter)
            first.append(range.lowerBound)
            Self.appendWeights(
                of: output, from: range, source: source, destination: destination, filter: filter, to: &weights)
            start.append(weights.count)
        }
        self.first = first
        self.start = start
        self.weights = weights
    }

    /// The source samples of the output sample at `position` of `outputs`.
    @inline(__always)
    func range(at position: Int) -> Range<Int> {
        first[position]..<(first[position] + start[position + 1] - start[position])
    }

    /// All source samples that it reads; both ends grow with the output.
    var sourceRange: Range<Int> {
        outputs.isEmpty ? 0..<0 : first[0]..<range(at: outputs.count - 1).upperBound
    }

    /// The source samples that the output samples `outputs` (not empty) are made of.
    static func sourceRange(
        forOutput outputs: Range<Int>, source: Int, destination: Int, filter: ResampleFilter
    ) -> Range<Int> {
        let low = sourceRange(ofOutput: outputs.lowerBound, source: source, destination: destination, filter: filter)
        let high = sourceRange(
            ofOutput: outputs.upperBound - 1, source: source, destination: destination, filter: filter)
        return low.lowerBound..<high.upperBound
    }

    /// The source samples for which the filter is not 0, found in whole numbers: the filter's argument is
    /// ((2i + 1) D - (2j + 1) S) / (2 max(D, S)).
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

    private static func appendWeights(
        of output: Int, from range: Range<Int>, source: Int, destination: Int, filter: ResampleFilter,
        to weights: inout [Float]
    ) {
        let scale = Double(2 * max(source, destination))
        let values = range.map { input in
            filter.value(at: Double((2 * input + 1) * destination - (2 * output + 1) * source) / scale)
        }
        let sum = values.reduce(0, +)
        let begin = weights.count
        for value in values { weights.append(Float(value / sum)) }
        // An even area must stay even: the modes that jump at 0 and 1 would show the weights' rounding errors. So
        // the largest weight takes up what is missing in their sum, added as it is when pixels are made.
        guard let largest = values.indices.max(by: { values[$0] < values[$1] }) else { return }
        for _ in 0..<3 {
            let missing = 1 - weights[begin...].reduce(Float(0), +)
            if missing == 0 { return }
            weights[begin + largest] += missing
        }
    }
}
