/// A running part of a benchmark, such as a process.
protocol RunningPart {
    /// Stops the part and waits until it has ended.
    func stop() async
}

extension RunningPart {
    /// Calls `body` with the part, and stops the part afterwards, even if `body` throws.
    func use<Value>(_ body: (Self) async throws -> Value) async throws -> Value {
        do {
            let value = try await body(self)
            await stop()
            return value
        } catch {
            await stop()
            throw error
        }
    }
}
