package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit for tests that could wait forever.
    ///
    /// All tests begin together. So the time that a test waits for its turn counts toward its limit. The limit is
    /// therefore longer than the run of all tests, even on a busy machine.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
