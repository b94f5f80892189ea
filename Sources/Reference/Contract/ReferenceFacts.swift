/// The facts about the program that the reference shows beside the contract, from the service's own
/// tables.
package struct ReferenceFacts: Sendable {
    /// An error's code with its explanation.
    package struct Explained: Sendable {
        /// The code in the form that errors show.
        package let code: String
        /// The meaning in a few words.
        package let title: String
        /// The paragraphs on the cause and the remedy.
        package let paragraphs: [String]

        /// Creates an explanation.
        package init(code: String, title: String, paragraphs: [String]) {
            (self.code, self.title, self.paragraphs) = (code, title, paragraphs)
        }
    }

    /// A setting, as a row of texts.
    package struct Setting: Sendable {
        /// The name in the settings file.
        package let key: String
        /// The accepted values with their unit.
        package let takes: String
        /// The default; empty if there's none.
        package let standard: String
        /// The purpose.
        package let doc: String

        /// Creates a row.
        package init(key: String, takes: String, standard: String, doc: String) {
            (self.key, self.takes, self.standard, self.doc) = (key, takes, standard, doc)
        }
    }

    /// A metric with its kind and meaning.
    package struct Metric: Sendable {
        /// The name shown on `/metrics`.
        package let name: String
        /// The kind: counter, gauge or histogram.
        package let kind: String
        /// The meaning, with the unit.
        package let help: String

        /// Creates a row.
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
    /// The settings in the order of the table.
    package var settings: [Setting] = []
    /// The metrics in the order of the catalog.
    package var metrics: [Metric] = []

    /// Creates empty facts.
    package init() {}
}
