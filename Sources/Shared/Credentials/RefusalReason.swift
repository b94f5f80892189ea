/// The reasons for refusals, as listed in `schemas/lists/refusal-reasons.yaml`.
extension RefusalReason: Error {}
