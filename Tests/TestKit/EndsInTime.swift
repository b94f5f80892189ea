package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit for tests that could wait forever.
    ///
    /// All tests begin together, and a test's limit includes the time for which the test waits for its turn. The limit
    /// is therefore longer than a run of all tests takes, even on a busy machine.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
