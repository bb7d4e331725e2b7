/// The name that a person most likely meant; nil if none is close.
///
/// Case, hyphens, underscores and blanks are ignored: `color-burn`, `Color_Burn` and `colorBurn` are equal. A name is
/// close if at most a third of its characters differ (omitted, added, replaced, or two neighbours swapped; at most
/// four), or if it begins or ends with the typed text of at least three characters. Among equally close names the first
/// one is returned.
///
/// - Complexity: for each name, the product of the lengths. A text of more than `nearestNameLengthMax` characters is
///   close to no name.
package func nearestName(to typed: some StringProtocol, among names: some Sequence<String>) -> String? {
    guard let wanted = comparedScalars(typed), !wanted.isEmpty else { return nil }
    var best: (name: String, distance: Int)?
    for name in names {
        guard let candidate = comparedScalars(name) else { continue }
        let distance: Int
        if wanted.count >= 3, candidate.starts(with: wanted) || candidate.reversed().starts(with: wanted.reversed()) {
            distance = candidate.count - wanted.count
        } else {
            let distanceMax = min(4, max(wanted.count, candidate.count) / 3)
            guard abs(wanted.count - candidate.count) <= distanceMax else { continue }
            distance = editDistance(wanted, candidate)
            guard distance <= distanceMax else { continue }
        }
        if distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
}

/// The end of a message about an unknown name: ` (did you mean colorBurn?)`; empty if no name is close.
package func didYouMean(_ typed: some StringProtocol, among names: some Sequence<String>) -> String {
    nearestName(to: typed, among: names).map { " (did you mean \($0)?)" } ?? ""
}

/// The longest text that is compared, in Unicode scalars.
private let nearestNameLengthMax = 100

/// The characters that are compared; nil if the text is too long.
private func comparedScalars(_ text: some StringProtocol) -> [Unicode.Scalar]? {
    let scalars = text.unicodeScalars.prefix(nearestNameLengthMax + 1)
    guard scalars.count <= nearestNameLengthMax else { return nil }
    return String(String.UnicodeScalarView(scalars)).lowercased().unicodeScalars.filter {
        $0 != "-" && $0 != "_" && $0 != " "
    }
}

/// Minimum number of characters to insert, remove, replace or swap with their neighbour, each at most once (Damerau's
/// distance by optimal alignment).
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for j in b.indices {
            var least = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforeLast[j - 1] + 1) }
            row.append(least)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
