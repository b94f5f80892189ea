package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit for tests that could wait forever.
    ///
    /// All tests begin at the same time, and the time that a test waits for its turn counts towards its limit. The
    /// limit is therefore longer than a run of all tests takes, even on a busy machine.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
