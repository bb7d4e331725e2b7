/// The name that a person most likely meant; nil when none is near.
///
/// Case, hyphens, underscores and blanks do not count: `color-burn`, `Color_Burn` and `colorBurn` are one name. Near is a
/// name that up to a third of its characters tell apart (left out, added, replaced, or two neighbours exchanged; at most
/// four), or that begins or ends with what was typed, from three characters on. Of equally near ones the first counts.
///
/// - Complexity: lengths multiplied, for each name; texts of more than `nearestNameLengthMax` characters are near to
///   nothing.
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

/// The tail of a message about a name that is not known: ` (did you mean colorBurn?)`; empty when none is near.
package func didYouMean(_ typed: some StringProtocol, among names: some Sequence<String>) -> String {
    nearestName(to: typed, among: names).map { " (did you mean \($0)?)" } ?? ""
}

/// Longest text that is compared, in Unicode scalars.
private let nearestNameLengthMax = 100

/// What of a text counts; nil when it is too long.
private func comparedScalars(_ text: some StringProtocol) -> [Unicode.Scalar]? {
    let scalars = text.unicodeScalars.prefix(nearestNameLengthMax + 1)
    guard scalars.count <= nearestNameLengthMax else { return nil }
    return String(String.UnicodeScalarView(scalars)).lowercased().unicodeScalars.filter {
        $0 != "-" && $0 != "_" && $0 != " "
    }
}

/// The fewest characters to insert, remove, replace or exchange with their neighbour, none of them twice (Damerau's
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
