import Domain

extension WebClient.Request {
    /// Makes a GET request with a query.
    static func get(_ url: String, _ query: [(String, String)]) -> WebClient.Request {
        WebClient.Request(url: "\(url)?\(WebQuery.encode(query))")
    }

    /// Makes a POST request with a form.
    static func post(_ url: String, form: [(String, String)]) -> WebClient.Request {
        WebClient.Request(url: url, body: ("application/x-www-form-urlencoded", Array(WebQuery.encode(form).utf8)))
    }
}
