"""The names by which Mindroom's plugins register their tools."""
