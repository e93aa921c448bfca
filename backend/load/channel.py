"""How this package opens gRPC channels."""

from __future__ import annotations

from typing import Final

CHANNEL_OPTIONS: Final = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    # a new server on a port used before must not meet the old one's connection
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
)
