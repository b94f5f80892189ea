enum PlaceholderService {}
