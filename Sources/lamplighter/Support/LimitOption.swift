import ArgumentParser

extension LimitOption {
    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000, not \(limit)") }
    }
}
