@testable import InkEngine

extension PlacedStamps {
    /// All of them in order.
    var all: [Stamp] {
        var all: [Stamp] = []
        forEach { all.append($0) }
        return all
    }
}
