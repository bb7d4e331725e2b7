import InkProtocol

extension ServiceState {
    /// Violated invariants, one line each; empty if there are none. For tests.
    ///
    /// - Complexity: O(state).
    var brokenInvariants: [String] {
        var broken: [String] = []
        for (number, job) in jobs {
            let isActive: Bool
            switch job.phase {
            case .starting, .active: isActive = true
            case .waiting, .recovering, .ending: isActive = false
            }
            if isActive != activeJobs.contains(number) {
                broken.append("job \(number): \(job.phase), counted otherwise")
            }
            if queue.contains(number) != (job.phase == .waiting && !job.isPaused) {
                broken.append("job \(number): \(job.phase) in the queue")
            }
            for session in job.watchers where sessions[session]?.watched.contains(number) != true {
                broken.append("job \(number): watched by session \(session.rawValue), which does not know")
            }
        }
        for number in stuckEnds.keys {
            if case .ending? = jobs[number]?.phase { continue }
            broken.append("job \(number): its end is stuck, and it has none")
        }
        for number in activeJobs where jobs[number] == nil { broken.append("job \(number): active and unknown") }
        if let first = waitingOrders.first, !awaits(first.action, comingBack) {
            broken.append("order \(first.id.number): waits for nothing")
        }
        let running = activeJobs.count { jobs[$0]?.tookNoPlace != true }
        if running > rules.activeJobs + rules.overtakingJobs {
            broken.append("\(running) jobs at once")
        }
        if submitting.count > limits.openSubmissions { broken.append("\(submitting.count) submissions at once") }
        let open = uploads.values.count { $0.phase != .queued }
        if open > limits.openUploads { broken.append("\(open) uploads at once") }
        for (id, upload) in uploads {
            if upload.written > upload.arrived || upload.arrived > upload.requested
                || upload.requested > upload.byteCount
            {
                broken.append("content \(id): \(upload)")
            }
            if sessions[upload.sender] == nil, upload.phase == .queued || upload.phase == .beginning {
                broken.append("content \(id): its sender is gone")
            }
        }
        for (key, entry) in submitting where entry.phase == .waitingForContent {
            guard case .content(let id, _, _) = entry.submission.source, let upload = uploads[id] else {
                broken.append("submission \(key): waits for nothing")
                continue
            }
            if sessions[upload.sender] == nil { broken.append("submission \(key): nobody sends content \(id)") }
        }
        for (id, session) in sessions where session.openNotices.count > limits.openNotices {
            broken.append("session \(id.rawValue): \(session.openNotices.count) notices")
        }
        return broken
    }
}
