"""What is asked: a task is one file, found by its code in `mouse.tasks.registry`."""
