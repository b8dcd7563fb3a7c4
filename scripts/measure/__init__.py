"""What a session costs: measured in a process of its own."""
