"""What the engines know beforehand: messages, options, proxies, trust, encodings."""
