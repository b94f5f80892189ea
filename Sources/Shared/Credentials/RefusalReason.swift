/// The reasons are the entries of `schemas/lists/refusal-reasons.yaml`.
extension RefusalReason: Error {}
