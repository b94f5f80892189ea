import Domain

/// The page on which a user logs in and grants a client access.
struct OAuthPage {
    let known: KnownClient
    let request: AuthorizationRequest
    let language: Language
    let basePath: String
    /// The query of the page's URL; the form sends it again.
    let query: String
    /// The secret that both the form and the browser's cookie contain.
    let nonce: String
    /// The values that the user has entered.
    var form: [String: String]
    /// The `codeToken` from the answer to `account/sendCode`, or nil while the page asks for a password.
    var codeToken: String?
    /// The name of the error text to show, or nil if there is no error.
    var fault: String?

    /// The complete HTML document, made from `Texts/oauth.html`.
    var html: String {
        let words = PageWords.of(language)
        // The page tells the user to which place the redirect URL leads. The place is the host of a web address, or
        // the scheme of a URL that an app opens.
        let parts = request.redirect.split(separator: "/", maxSplits: 2)
        let place =
            ["http:", "https:"].contains(parts[0])
            ? parts[1].prefix { $0 != "?" } : request.redirect.prefix { $0 != ":" }
        let texts = words.oauth.mapValues {
            MessageText.fill($0, ["client": known.client.name, "place": "\(place)"])
        }
        var values = texts.mapValues(HTML.escape)
        values["wants"] = request.scopes.map { "<li>\(values[$0.text] ?? $0.text)</li>\n" }.joined()
        values["fault"] = fault.map { "<p class=\"error\" role=\"alert\">\(values[$0] ?? "")</p>" }
        values["app"] = HTML.escape(known.app.name)
        values["action"] = HTML.escape("\(basePath)/oauth/authorize?\(query)")
        values["nonce"] = nonce
        values["account"] = HTML.escape(form["account"] ?? "")
        values["country"] = HTML.escape(form["country"] ?? known.app.policies.defaultCountryCode ?? "")
        values["token"] = codeToken.map(HTML.escape)
        let proof = codeToken == nil ? "oauth-password.html" : "oauth-code.html"
        values["proof"] = MessageText.fill(WebTexts.text(proof), values)
        return HTML.page(
            language: words[.tag],
            title: "\(fault == nil ? "" : words[.error] + " ")\(texts["title"] ?? "") – \(known.app.name)",
            basePath: basePath,
            MessageText.fill(WebTexts.text("oauth.html"), values)
        )
    }
}
