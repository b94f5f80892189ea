/// A client's request to be linked to a user's account.
///
/// The user's browser sends the request to the authorization page. The documentation describes the rules for these
/// requests (reference: oauth#authorize).
package struct AuthorizationRequest: Sendable, Equatable {
    /// The client.
    package let client: OAuthClient
    /// The URL to which the user is sent back.
    package let redirect: String
    /// The client's own value, which is sent back unchanged.
    package let state: String?
    /// The requested scopes.
    package let scopes: [KeyScope]
    /// The challenge of PKCE, which is the digest of a secret.
    ///
    /// To use the code, the client must show the secret.
    package let challenge: String?

    /// A refusal of a request.
    package enum Fault: Error, Equatable {
        /// The client or the redirect URL is unknown, so the user must not be sent back.
        case stranger
        /// The user is sent back to the client with an error.
        case error(OAuthError, redirect: String, state: String?)
    }

    /// Checks a request.
    ///
    /// `client` is nil if the client's id is unknown.
    package init(_ parameters: OAuthParameters, of client: OAuthClient?) throws(Fault) {
        guard let client, let redirect = parameters["redirect_uri"], client.redirects.contains(redirect),
            !["client_id", "redirect_uri"].contains(where: parameters.isRepeated)
        else { throw .stranger }
        state = parameters["state"]
        do throws(OAuthError) {
            try parameters.checkOnce()
            guard try parameters.required("response_type") == "code" else {
                throw OAuthError("unsupported_response_type", "The response_type must be code.")
            }
            challenge = try Self.challenge(parameters, isPublic: client.secretHash == nil)
            scopes = try parameters.scopes(among: client.scopes)
        } catch {
            throw .error(error, redirect: redirect, state: state)
        }
        (self.client, self.redirect) = (client, redirect)
    }

    private static func challenge(_ parameters: OAuthParameters, isPublic: Bool) throws(OAuthError) -> String? {
        let method = parameters["code_challenge_method"]
        guard isPublic || method != nil || parameters["code_challenge"] != nil else { return nil }
        let challenge = try parameters.required("code_challenge")
        guard method == "S256", challenge.utf8.count == 43, PlainForm.accepts(challenge.utf8) else {
            throw OAuthError("invalid_request", "The code_challenge must be a SHA-256 digest, with the method S256.")
        }
        return challenge
    }

    /// Returns the URL that sends the user back with `members`, `state` and the issuer (RFC 9207).
    package static func answer(
        to redirect: String,
        state: String?,
        issuer: String,
        members: [(String, String)]
    ) -> String {
        let all = members + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        return redirect + (redirect.contains("?") ? "&" : "?") + WebQuery.encode(all)
    }
}
