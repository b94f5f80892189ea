package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Fails a test that does not come to an end.
    ///
    /// All tests begin at once, and the time in which one waits for its turn counts as its own. The limit is therefore longer
    /// than a whole run takes, also on a machine that is busy with other things.
    package static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
