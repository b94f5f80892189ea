package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit for tests that could wait forever.
    ///
    /// The time of every test counts from the start of the whole run, so the limit also covers the time in which a test
    /// waits for its turn. The limit is therefore longer than the run of all tests, even on a busy machine.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
