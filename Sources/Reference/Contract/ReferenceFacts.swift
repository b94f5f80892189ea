/// What the reference tells of the program beside its contract; the service gives it from its own tables.
package struct ReferenceFacts: Sendable {
    /// A code of an error with its explanation.
    package struct Explained: Sendable {
        /// The code, as errors show it.
        package let code: String
        /// What it means, in a few words.
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
        /// The name in the settings file.
        package let key: String
        /// What it takes, with its unit.
        package let takes: String
        /// The default; empty where it has none.
        package let standard: String
        /// What it is for.
        package let doc: String

        /// Puts a row together.
        package init(key: String, takes: String, standard: String, doc: String) {
            (self.key, self.takes, self.standard, self.doc) = (key, takes, standard, doc)
        }
    }

    /// A metric with its kind and meaning.
    package struct Metric: Sendable {
        /// The name, as `/metrics` shows it.
        package let name: String
        /// Counter, gauge or histogram.
        package let kind: String
        /// What it counts, with its unit.
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
    /// The settings, in the order of the table.
    package var settings: [Setting] = []
    /// The metrics, in the order of the catalog.
    package var metrics: [Metric] = []

    /// Makes facts that tell nothing yet.
    package init() {}
}
