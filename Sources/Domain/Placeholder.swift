enum PlaceholderDomain {}
