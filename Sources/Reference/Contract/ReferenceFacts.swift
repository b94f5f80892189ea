/// What the reference tells of the program beside its contract; the service gives it from its own tables.
package struct ReferenceFacts: Sendable {
    /// A code of an error with its explanation.
    package struct Explained: Sendable {
        package let code: String
        package let title: String
        /// Paragraphs: why it happens and what to do.
        package let paragraphs: [String]

        /// Puts an explanation together.
        package init(code: String, title: String, paragraphs: [String]) {
            (self.code, self.title, self.paragraphs) = (code, title, paragraphs)
        }
    }

    /// A row of a table of the program's own, as texts.
    package struct Setting: Sendable {
        package let key: String
        package let environment: String
        /// What it takes, with its unit.
        package let takes: String
        /// The default; empty where it has none.
        package let standard: String
        package let doc: String

        /// Puts a row together.
        package init(key: String, environment: String, takes: String, standard: String, doc: String)
        {
            (self.key, self.environment, self.takes) = (key, environment, takes)
            (self.standard, self.doc) = (standard, doc)
        }
    }

    /// A metric with its kind and meaning.
    package struct Metric: Sendable {
        package let name: String
        package let kind: String
        package let help: String

        /// Puts a row together.
        package init(name: String, kind: String, help: String) {
            (self.name, self.kind, self.help) = (name, kind, help)
        }
    }

    /// The program's version.
    package var version = ""
    /// The codes of the command line's errors.
    package var problems: [Explained] = []
    /// The reasons for which the gate refuses.
    package var refusals: [Explained] = []
    package var settings: [Setting] = []
    package var metrics: [Metric] = []

    /// Makes facts that tell nothing yet.
    package init() {}
}
