"""Writing ``config.pbtxt``: comments, layout, and nothing lost on the way back (M09, M12)."""

from __future__ import annotations

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2 as pb

from backend.modelconfig.text import HEADER, to_text
from tests.modelconfig.reading import parse

# every kind of field: maps of scalars and of messages, oneofs, enums, text to escape, floats, nests
RICH = """
name: "rich \\"quoted\\" \\\\ name"
backend: "onnxruntime"
max_batch_size: 4
input [ { name: "A" data_type: TYPE_STRING dims: [ -1, 2 ] reshape { shape: [ ] } optional: true } ]
output [ { name: "B" data_type: TYPE_BF16 dims: [ 1 ] label_filename: "labels – é.txt" } ]
version_policy { specific { versions: [ 1, 3 ] } }
optimization { cuda { graphs: true
  graph_spec { batch_size: 1 input { key: "A" value { dim: [ 2 ] } } } } }
sequence_batching {
  direct { max_queue_delay_microseconds: 18446744073709551615 minimum_slot_utilization: 0.1 }
  control_input [
    { name: "S" control [ { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } ] } ]
  state [ { input_name: "i" output_name: "o" data_type: TYPE_FP32 dims: [ 1 ]
            initial_state { name: "z" data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } } ]
}
instance_group [ { kind: KIND_GPU count: 2 gpus: [ 0, 1 ] } ]
metric_tags { key: "team" value: "a" }
parameters { key: "b" value { string_value: "2" } }
parameters { key: "a" value { string_value: "" } }
model_transaction_policy { decoupled: true }
response_cache { }
"""


def test_everything_that_a_configuration_can_hold_comes_back() -> None:
    config = text_format.Parse(RICH, pb.ModelConfig())
    assert parse(to_text(config)) == config


def test_a_comment_stands_above_its_field() -> None:
    config = pb.ModelConfig(name="m", max_batch_size=4)
    config.dynamic_batching.SetInParent()
    text = to_text(
        config,
        {HEADER: "Top.", "max_batch_size": "Four.", "dynamic_batching": "Merges."},
    )
    assert text == (
        '# Top.\nname: "m"\n# Four.\nmax_batch_size: 4\n# Merges.\ndynamic_batching { }\n'
    )


def test_a_zero_with_a_comment_is_written_out_and_one_without_is_not() -> None:
    config = pb.ModelConfig(name="m")
    config.dynamic_batching.SetInParent()
    path = "dynamic_batching.max_queue_delay_microseconds"
    text = to_text(config, {path: "No waiting."})
    assert "  # No waiting.\n  max_queue_delay_microseconds: 0\n" in text
    assert parse(text) == config
    assert "max_queue_delay" not in to_text(config)


def test_a_comment_cannot_become_part_of_the_configuration() -> None:
    config = pb.ModelConfig(name="m")
    text = to_text(config, {"name": 'Two\nlines\r\nand }\nbackend: "x"'})
    assert parse(text) == config
    assert text.count("# ") == 4


def test_the_kind_of_a_control_is_always_said() -> None:
    config = pb.ModelConfig(name="m")
    config.sequence_batching.control_input.add(name="S").control.add(int32_false_true=(0, 1))
    assert "kind: CONTROL_SEQUENCE_START" in to_text(config)


def test_a_choice_that_is_made_is_written_whatever_its_value() -> None:
    """``zero_data: false`` still means zeros: Triton looks at which of the choices is there."""
    config = pb.ModelConfig(name="m")
    config.model_warmup.add(name="w").inputs["X"].zero_data = False
    config.model_warmup.add(name="v").inputs["X"].input_data_file = ""
    assert "zero_data: false" in to_text(config)
    assert parse(to_text(config)) == config
