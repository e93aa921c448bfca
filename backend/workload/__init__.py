"""What the user's traffic is: classes, answers, traffic shape, state machine, study files."""
