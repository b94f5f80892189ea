enum PlaceholderJSON {}
