import Synchronization

/// A record of which parts of the service accept work.
///
/// `/readyz` shows the record. Tasks can wait until parts accept work, for example before they write `ready.json`.
package final class Readiness: Sendable {
    /// A part of the service and its state.
    package struct Part: Sendable, Equatable {
        /// The part's name, such as `broker`, `store`, `worker status` or `http`.
        package let name: String
        /// The reason why the part doesn't accept work, without secrets, or nil while it accepts work.
        package let waitsFor: String?
    }

    private struct State {
        var parts: [String: String?] = [:]
        var watchers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWatcher = 0
        /// The parts for which the service's start doesn't wait.
        ///
        /// If such a part has a problem, the problem is easier to see in a running service than in one that hasn't
        /// started.
        var spared: Set<String> = []

        func accepts(_ part: String) -> Bool {
            if case .some(.some) = parts[part] { return false }
            return true
        }

        var isStarted: Bool {
            parts.allSatisfy { $0.value == nil || spared.contains($0.key) }
        }
    }

    private let state = Mutex(State())

    /// Creates a record in which `parts` are not ready yet and `others` are ready.
    ///
    /// The other parts count as ready until they report a problem. `waitForAll` doesn't wait for them.
    package init(parts: [String], others: [String] = []) {
        state.withLock { state in
            for part in parts { state.parts[part] = .some("starting") }
            for part in others { state.parts[part] = .some(nil) }
            state.spared = Set(others)
        }
    }

    /// Records that a part accepts work.
    package func isReady(_ part: String) { set(part, nil) }

    /// Records that a part doesn't accept work, and the reason.
    package func isWaiting(_ part: String, for reason: String) { set(part, reason) }

    /// All parts, sorted by name.
    package var parts: [Part] {
        state.withLock { state in
            state.parts
                .map { Part(name: $0.key, waitsFor: $0.value) }
                .sorted { $0.name < $1.name }
        }
    }

    /// Whether every part accepts work.
    package var isAllReady: Bool {
        state.withLock { $0.parts.values.allSatisfy { $0 == nil } }
    }

    /// Whether every part accepts work, apart from the parts for which the service's start doesn't wait.
    package var isStarted: Bool { state.withLock { $0.isStarted } }

    /// Returns whether a part accepts work, or true for an unknown part.
    package func accepts(_ part: String) -> Bool { state.withLock { $0.accepts(part) } }

    /// Waits until `isStarted` is true, or until the task is cancelled.
    package func waitForAll() async { await wait { $0.isStarted } }

    /// Waits until a part accepts work, or until the task is cancelled.
    package func wait(for part: String) async { await wait { $0.accepts(part) } }

    private func wait(until isDone: @Sendable (State) -> Bool) async {
        while !state.withLock({ isDone($0) }) && !Task.isCancelled { await nextChange(isDone) }
    }

    private func set(_ part: String, _ reason: String?) {
        let watchers = state.withLock { state in
            guard state.parts[part] != .some(reason) else { return [CheckedContinuation<Void, Never>]() }
            state.parts[part] = .some(reason)
            defer { state.watchers.removeAll() }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.resume() }
    }

    private func nextChange(_ isDone: @Sendable (State) -> Bool) async {
        let id = state.withLock { state in
            state.nextWatcher += 1
            return state.nextWatcher
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // After the caller's check, the condition might have changed, or the task might have been
                    // cancelled.
                    if isDone(state) || Task.isCancelled {
                        return true
                    }
                    state.watchers[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.resume()
        }
    }
}
