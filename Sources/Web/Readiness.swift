import Synchronization

/// The parts of the service that accept work, for `/readyz`, `ready.json` and tasks that wait for them.
package final class Readiness: Sendable {
    /// One part as the page shows it.
    package struct Part: Sendable, Equatable {
        /// The part's name: `broker`, `store`, `worker status`, `http`.
        package let name: String
        /// Nil while it accepts work, else why it doesn't, in words without secrets.
        package let waitsFor: String?
    }

    private struct State {
        var parts: [String: String?] = [:]
        var watchers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWatcher = 0
        /// Parts that the start does not wait for: their problems show better once the service runs.
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

    /// Makes a registry of parts, none of them ready, and of `others` that are until something happens, and
    /// that `waitForAll` does not wait for.
    package init(parts: [String], others: [String] = []) {
        state.withLock { state in
            for part in parts { state.parts[part] = .some("starting") }
            for part in others { state.parts[part] = .some(nil) }
            state.spared = Set(others)
        }
    }

    /// Notes that a part accepts work.
    package func isReady(_ part: String) { set(part, nil) }

    /// Notes that a part does not accept work, and why.
    package func isWaiting(_ part: String, for reason: String) { set(part, reason) }

    /// All parts, sorted by name.
    package var parts: [Part] {
        state.withLock { state in
            state.parts
                .map { Part(name: $0.key, waitsFor: $0.value) }
                .sorted { $0.name < $1.name }
        }
    }

    /// True while every part accepts work.
    package var isAllReady: Bool {
        state.withLock { $0.parts.values.allSatisfy { $0 == nil } }
    }

    /// True once every part that a start waits for accepts work.
    package var isStarted: Bool { state.withLock { $0.isStarted } }

    /// True while a part accepts work; true as well for one that there isn't.
    package func accepts(_ part: String) -> Bool { state.withLock { $0.accepts(part) } }

    /// Returns as soon as every part accepts work that a start waits for, or when the task is cancelled.
    package func waitForAll() async { await wait { $0.isStarted } }

    /// Returns as soon as a part accepts work, or when the task is cancelled.
    package func wait(for part: String) async { await wait { $0.accepts(part) } }

    private func wait(until isDone: @Sendable (State) -> Bool) async {
        while !state.withLock({ isDone($0) }) && !Task.isCancelled { await nextChange(isDone) }
    }

    private func set(_ part: String, _ reason: String?) {
        let watchers = state.withLock { state in
            guard state.parts[part] != .some(reason) else {
                return [CheckedContinuation<Void, Never>]()
            }
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
                    // A change or a cancellation since the caller looked must not be slept through.
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
