import InkCodecs
import InkPlanning

extension ExportsState {
    /// What is wrong with the state, one line a broken rule; empty when it is sound. For tests, after every event.
    ///
    /// - Complexity: O(state).
    var brokenInvariants: [String] {
        var broken = active.values.flatMap { export in export.brokenInvariants.map { "\(export.life.job): \($0)" } }
        let busy = active.values.filter { $0.phase != .finishing }
        let shared = busy.count { !$0.wasAlone }
        if shared > rules.activeMax + rules.overtaking { broken.append("\(shared) under way") }
        if loneBytes > rules.loneBytes { broken.append("\(loneBytes) bytes of pieces made alone") }
        if places < rules.activeMax, !waiting.isEmpty { broken.append("\(waiting.count) wait, and there is room") }
        if isStopping, !waiting.isEmpty || !busy.isEmpty { broken.append("stopping, and something goes on") }
        let queued = Set(unprepared.map(\.life)).union(preparing)
        for export in busy where export.isPrepared == queued.contains(export.life) {
            broken.append("\(export.life.job): \(export.phase), and prepared at the wrong time")
        }
        return broken
    }
}

extension Export {
    /// Whether nothing of it has to be prepared, or is prepared in this process.
    fileprivate var isPrepared: Bool {
        switch phase {
        case .preparing: false
        case .reading: draft != nil || readable?.document != nil
        default: true
        }
    }

    fileprivate var brokenInvariants: [String] {
        var broken: [String] = []
        switch phase {
        case .reading: if readable == nil, draft == nil { broken.append("nothing to read") }
        case .preparing: if draft != nil || !heldBlocks.isEmpty { broken.append("prepared too early") }
        case .decoding, .planning:
            if draft?.images.count != decoded.count { broken.append("\(decoded.count) places for images") }
        case .rendering:
            guard let stitch, let composition else { return ["rendering without a plan"] }
            if isComplete { broken.append("rendering, and all pieces are in") }
            // Files that are encoded as a whole, or again and again, need all tiles.
            guard composition.plan.whole.set.wholes.isEmpty, trials == nil else { break }
            let window = stitch.next..<stitch.next + stitch.window
            for row in composition.tiles.keys where !window.contains(row) {
                broken.append("row \(row) is beyond \(window)")
            }
        case .finishing:
            let needsTiles = plan?.whole.set.wholes.isEmpty == false
            let isFree = composition?.tiles.isEmpty == true || needsTiles
            if !isComplete || !isFree { broken.append("finishing, and not all pieces are in") }
        }
        return broken
    }
}
