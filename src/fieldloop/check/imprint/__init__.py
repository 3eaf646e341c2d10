"""What is kept of an episode's content for questions about many: a file a kind of imprint."""


