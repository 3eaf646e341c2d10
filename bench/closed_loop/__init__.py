"""What the bench of planning is made of: trials, floors kept on disk, jobs, and how their rows are judged and shown."""
