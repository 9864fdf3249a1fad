"""The official conformance suite, scored strictly."""
