package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit that fails a test that doesn't end.
    ///
    /// All tests begin at once, and a test's wait for its turn counts as its own time. The limit is therefore longer
    /// than a whole run takes, even on a busy machine.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
