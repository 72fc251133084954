"""As much of Agno as a class of tools needs to be read."""
