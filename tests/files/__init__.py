"""What a host keeps on disk and reads from its surroundings."""
