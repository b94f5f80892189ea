enum PlaceholderCredentials {}
