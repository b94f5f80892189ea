import Testing

@testable import Reference

@Suite struct MarkdownTests {
    @Test("A guide's links lead to the pages beside it; what lies in the sources stays as words")
    func guides() {
        let text =
            "[one](first-app.md#x), [all](README.md), [`clients`](../../clients/c), [W3C](https://w3.org)"
        #expect(
            Guides.pointed(text)
                == "[one](guide-first-app.md#x), [all](guides.md), `clients`, [W3C](https://w3.org)"
        )
    }

    @Test func blocksAreRead() {
        let blocks = BlockReader.read(
            """
            # Title

            Two lines
            of text.

            ## A section {#own}
            - one
              goes on
            - two

            | a | b |
            |---|---|
            | `x\\|y` | \\*z |

            ```sh
            # not a heading
            ```
            """
        )
        #expect(
            blocks == [
                .heading(level: 1, text: "Title", anchor: "title"),
                .paragraph("Two lines of text."),
                .heading(level: 2, text: "A section", anchor: "own"),
                .list(items: ["one goes on", "two"], isNumbered: false),
                .table(titles: ["a", "b"], rows: [["`x|y`", "\\*z"]]),
                .fence(info: "sh", lines: ["# not a heading"]),
            ]
        )
    }

    @Test(
        arguments: [
            ("a < b & \"c\"", "a &lt; b &amp; &quot;c&quot;"),
            ("`<x>` **y**", "<code>&lt;x&gt;</code> <strong>y</strong>"),
            ("[z](page.md#there)", "<a href=\"page.html#there\">z</a>"),
            ("\\*no\\* `` a`b ``", "*no* <code>a`b</code>"),
            ("a ` alone", "a ` alone"),
        ]
    )
    func inlineTextBecomesHTML(text: String, html: String) {
        #expect(Inline.html(text) == html)
    }

    @Test(arguments: ["***", "a_b <c> [d](e) #f", "`x*y` and {root}/{did}|z"])
    func escapedTextStaysWhatItWas(text: String) {
        #expect(Inline.words(Markup.escape(text)) == text.replacing("`", with: ""))
    }

    @Test func plainNamesOfErrorsAndMethodsBecomeLinks() {
        #expect(
            Markup.prose("Forbidden, as device/list says; `Forbidden` and a/b stay.")
                == "[Forbidden](errors.md#Forbidden), as [device/list](service-device.md#device-list) says; "
                + "`Forbidden` and a/b stay."
        )
        #expect(
            Markup.prose("Rules (reference: sessions#life).")
                == "Rules ([the rules](sessions.md#life))."
        )
    }

    @Test func examplesInSeveralLanguagesAreOneGroup() {
        let html = HTMLWriter.html(
            BlockReader.read("```sh\na\n```\n\n```c\nb\n```\n\n```json\n{}\n```")
        )
        #expect(html.contains("data-language=\"sh\" open=\"\""))
        #expect(html.contains("data-language=\"c\"><summary>C"))
        #expect(html.hasSuffix("<pre tabindex=\"0\" class=\"code json\"><code>{}</code></pre>"))
    }

    @Test func aDiagramTellsItsTextToThoseWhoCannotSeeIt() throws {
        let lines = ["A | B", "A -> B: hello <there>", "note B: thinks"]
        let diagram = try #require(Diagram(info: "sequence name What it shows", lines: lines))
        let svg = diagram.svg(isAlone: true)
        #expect(svg.contains("<title>What it shows</title>"))
        #expect(svg.contains("A -&gt; B: hello &lt;there&gt;"))
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(!diagram.svg(isAlone: false).contains("<style>"))
    }
}
