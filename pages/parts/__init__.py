"""What pages share: the frame's guard, layout, messages, words."""
