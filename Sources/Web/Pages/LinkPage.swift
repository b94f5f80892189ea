import Domain

/// The page behind a link in a message, as HTML without scripts.
struct LinkPage {
    let view: LinkView
    let language: Language
    let basePath: String
    let token: String

    private var words: PageWords { PageWords.of(language) }

    /// The complete HTML document.
    var html: String {
        let appName = view.appName.isEmpty ? words[.service] : view.appName
        let isFailure = if case .badPassword = view.step { true } else { false }
        let prefix = isFailure ? words[.error] + " " : ""
        return HTML.page(
            language: words[.tag],
            title: "\(prefix + title) – \(appName)",
            basePath: basePath,
            """
            <p class="app">\(HTML.escape(appName))</p>
            <h1>\(HTML.escape(title))</h1>
            \(content)

            """
        )
    }

    private var title: String {
        switch (view.step, view.kind) {
        case (.busy, _): words[.busyTitle]
        case (.over, _), (_, nil): words[.overTitle]
        case (.done, .some(let kind)): words.texts(kind)[.doneTitle]
        case (_, .some(let kind)): words.texts(kind)[.title]
        }
    }

    private var content: String {
        switch (view.step, view.kind) {
        case (.busy, _): paragraph(words[.busy])
        case (.over, _), (_, nil): paragraph(words[.over])
        case (.done, .some(let kind)): paragraph(words.texts(kind)[.done], mark: "done")
        case (.ask, .some(let kind)): form(kind, fault: nil)
        case (.badPassword(let fault), .some(let kind)): form(kind, fault: fault)
        }
    }

    private func paragraph(_ text: String, mark: String? = nil) -> String {
        let start = mark.map { "<p class=\"\($0)\" role=\"status\">" } ?? "<p>"
        return start + HTML.escape(text) + "</p>"
    }

    // MARK: Forms

    private func form(_ kind: Link.Kind, fault: LinkView.BadPassword?) -> String {
        let texts = words.texts(kind)
        let intro = texts[.ask].replacing("{address}", with: view.address)
        let fields = kind == .resetPassword ? passwordFields(fault) : ""
        return """
            \(paragraph(intro))
            <form method="post" action="\(HTML.escape(basePath))/link" autocomplete="on">
            <input type="hidden" name="token" value="\(HTML.escape(token))">
            \(fields)<button type="submit">\(HTML.escape(texts[.button]))</button>
            </form>
            """
    }

    private func passwordFields(_ fault: LinkView.BadPassword?) -> String {
        let error = fault.map { fault in
            "<p class=\"error\" id=\"fault\" role=\"alert\">"
                + HTML.escape(words.fault(fault)) + "</p>\n"
        }
        let described = fault == nil ? "rule" : "fault rule"
        let isInvalid = fault == nil ? "" : " aria-invalid=\"true\""
        return """
            \(error ?? "")<label for="password">\(HTML.escape(words[.password]))</label>
            <input id="password" name="password" type="password" autocomplete="new-password" \
            required minlength="8" aria-describedby="\(described)"\(isInvalid)>
            <p class="hint" id="rule">\(HTML.escape(words[.rule]))</p>
            <label for="repeat">\(HTML.escape(words[.again]))</label>
            <input id="repeat" name="repeat" type="password" autocomplete="new-password" \
            required minlength="8"\(isInvalid)>

            """
    }

    // MARK: Style

    /// The style sheet of all pages, light and dark, for screens of all widths.
    static let style = """
        :root { color-scheme: light dark; --back: #f3f5f8; --card: #fff; --text: #1d2733;
          --soft: #4a5663; --line: #8a95a1; --act: #1f5fae; --act-text: #fff; --bad: #a3141b;
          --good: #17663a }
        @media (prefers-color-scheme: dark) { :root { --back: #12171d; --card: #1c232b;
          --text: #e8edf2; --soft: #b3bfca; --line: #8a95a1; --act: #7fb3ef; --act-text: #0d1620;
          --bad: #ff9a9a; --good: #86d9a8 } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--back); color: var(--text);
          font: 1rem/1.55 system-ui, "PingFang SC", "Noto Sans SC", "Microsoft YaHei", sans-serif }
        main { max-width: 28rem; margin: 10vh auto 2rem; padding: 2rem; background: var(--card);
          border-radius: .75rem; box-shadow: 0 1px 3px #0003 }
        h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere }
        p { margin: 0 0 1.25rem; overflow-wrap: anywhere }
        p:last-child { margin-bottom: 0 }
        .app { color: var(--soft); margin-bottom: .25rem }
        .hint { color: var(--soft); font-size: .9rem; margin: .35rem 0 1.25rem }
        .error { color: var(--bad); font-weight: 600; border-left: .25rem solid;
          padding-left: .75rem }
        .done { color: var(--good) }
        label { display: block; font-weight: 600; margin-bottom: .35rem }
        input { display: block; width: 100%; font: inherit; color: inherit;
          background: transparent; border: 1px solid var(--line); border-radius: .4rem;
          padding: .65rem .75rem }
        input[aria-invalid] { border-color: var(--bad) }
        input + button { margin-top: 1.5rem }
        input[type=hidden] + button { margin-top: 0 }
        button { font: inherit; font-weight: 600; width: 100%; min-height: 2.9rem;
          padding: .65rem 1rem; border: 0; border-radius: .4rem; background: var(--act);
          color: var(--act-text); cursor: pointer }
        button:hover { filter: brightness(1.1) }
        button.plain { background: transparent; color: var(--act); border: 1px solid var(--line); margin-top: .75rem }
        input + label { margin-top: 1rem }
        ul { margin: 0 0 1.25rem; padding-left: 1.25rem }
        :focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
        @media (max-width: 34rem) { body { background: var(--card) }
          main { margin: 0; padding: 1.5rem 1.25rem; box-shadow: none; border-radius: 0 } }

        """
}
