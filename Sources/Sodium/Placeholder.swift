enum PlaceholderSodium {}
