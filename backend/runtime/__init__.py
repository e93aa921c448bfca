"""A Triton to talk to: start, watch and stop one; its model repository; what crashes leave."""
