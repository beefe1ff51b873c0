"""What is stored stays found: the request keys of every bundled model, written down.

Not of `lexicon`, whose key has the versions of the libraries installed.

A key that changes makes every stored answer of that model unfindable. Where that is meant, say so
in CHANGELOG.md.
"""

from __future__ import annotations

import re

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from mouse.config import conf
from mouse.contracts import Message, Request
from mouse.engine.keys import key_function
from mouse.models.base import BackendContext
from mouse.models.registry import make_spec
from mouse.models.vllm import engine

COMMIT = "0123456789abcdef0123456789abcdef01234567"
"""A commit, which needs no network."""
REQUEST = Request(
    key="",
    item_id="i-1",
    task="ms",
    variant="",
    repeat=0,
    messages=(Message("system", "只回答字母。"), Message("user", "题：太🐂🍺了")),
    choices=("A", "B"),
)
CONTEXT = BackendContext(label_counts={"ms": {"A": 2, "B": 1}, "td": {"0": 1}}, seed=3)

KEYS = {
    "model=deepseek-v3.2": "c78685b59f88f9550ef8b8e82537eeea9ed8d426d1cb5294b2afa37ce359ba39",
    "model=deepseek-v3.2 model.thinking=on": "f9377a602908da2d0276bfab25188decb27203169663901f2c1c1a1826f02e89",
    "model=doubao-seed-1.8": "559b6f6bd736e3ccea0131ec69244094139e7278bc6e584eaad0ed2bcaa4f05f",
    "model=doubao-seed-1.8 model.thinking=on": "8de666425c475669942bf0aea5169e1a8e638d86d8c8dc89894b0d437b4bdab1",
    "model=gpt5.2": "0e9eb29035e63fae3e47f34fa6f29da90eef8f5394d229692a0111108264981e",
    "model=gpt5.2 model.thinking=on": "4a1a9b9c37658794b442ad9530963887c1117af2f090c289cadc35e04b4d2647",
    "model=gpt5.2 model.thinking=default": "248d3efe66578a23adbbab934403d4e4be3d2945a29f67d8e56c5c44585b2e5a",
    "model=majority": "fc9b5a0175dc43760f35768dca46e9aa0af56d314feb2ed61ade4ee98a380085",
    "model=ministral-3-14b model.revision=COMMIT": "d952b7a5f9fb12b67e13480b85dd46c853e561df49e7108abbd1643401d07e9d",
    "model=ministral-3-14b model.revision=COMMIT model.thinking=on": "d865716e346e8779510429f74ed9cb471a51f503a8892f8cc506f29f326cc25a",
    "model=ministral-3-3b model.revision=COMMIT": "954ac0f38e3781c62277ec2536120bb123a586794e1e513b0f825c18f5f19ca5",
    "model=ministral-3-3b model.revision=COMMIT model.thinking=on": "05270b1b3ac25d70c579aca62c7d751b0d724d17bc378b384bbcdc4f2f14c1be",
    "model=ministral-3-8b model.revision=COMMIT": "47782611c3628fadd0eb3f34f51b934f262c8791e1fea9f1842cfd12343b13a2",
    "model=ministral-3-8b model.revision=COMMIT model.thinking=on": "193fc349731ce67a22cd85c92ab961de8c5adcad01a4476ace27cbf714d15fa3",
    "model=mistral-large-3": "fe7002c26d85ee2a99ea852babc97deab6d765329df6dc145a851d200af244ad",
    "model=mistral-large-3 model.thinking=on": "520dd0e1ad2b09571984bb82ac7ac95745291a7e20ab18f56e61052013f2382f",
    "model=openai model.id=my-model": "ee703c1de10f12972d055c05e19abb8a6f82ebea9c2c8985e8baf8fa16091c93",
    "model=openai model.id=my-model model.thinking=on": "4025641872ba474c985840faedbdf9d07e0b39051907d24385f342f58c57979f",
    "model=qwen3-0.6b model.revision=COMMIT": "192e8cffaa3093cfc2ed9506b4447e053f10ce763e2cbf171c45f3a603861468",
    "model=qwen3-0.6b model.revision=COMMIT model.thinking=on": "f3beba691565d06a4ceffe9131de8cff378e7f135786a64a22c87eb01d04e0f3",
    "model=qwen3-1.7b model.revision=COMMIT": "4602f261a672bcff15ba0d8eb963e59f68e2902d7c9730542615c88c3149f47d",
    "model=qwen3-1.7b model.revision=COMMIT model.thinking=on": "7999b09de1175538ae41aa7039237c5a692100a789988436558425b8a714d829",
    "model=qwen3-14b model.revision=COMMIT": "f97f15a3808cdf287d9c32a85874e0e7c6c10f15f640a88184deb3166879999a",
    "model=qwen3-14b model.revision=COMMIT model.thinking=on": "ca07b769e5997083db3c685e0223a7aa9d36efb041c592cbcde748ec4e62f8c4",
    "model=qwen3-32b model.revision=COMMIT": "f8fe61f502df051835eff3102f4c10af2802482aa70fc4430cd01e71e60f1638",
    "model=qwen3-32b model.revision=COMMIT model.thinking=on": "a3950bfdd397b918c13775ba049bc2c1915d0fd6ad847c9b948a13fb7695a641",
    "model=qwen3-4b model.revision=COMMIT": "38b3f63c66326a778419d27b674a8310b6db9b622e7e36dc8aee5a7cfff3992f",
    "model=qwen3-4b model.revision=COMMIT model.thinking=on": "51f5d46c9e79f4c5f55ff73f892446364710953185883917791b0dfd0689979a",
    "model=qwen3-8b model.revision=COMMIT": "3b362883b3a2598c4c7da4b9a718e8a5615194e6bb2393f5df576ee63fe94118",
    "model=qwen3-8b model.revision=COMMIT model.thinking=on": "7b161b376b5e200b1e08ee36f9354cb3689a4e959389606ee5b042a4f929ece4",
    "model=qwen3-8b model.revision=COMMIT model.thinking=default": "26ebcda70d879be260c70891c793d73bd9e51ee684d5b06fdd89f6e581d5f907",
    "model=qwen3-max": "767844301281870e65259e44606a0445b98107edacf935a5c1a8b28a771a4ed6",
    "model=qwen3-max model.thinking=on": "4b7c2d56e80c9dc074e22bf6238bc5e742b7626a20ca5faec11f7c88a07d9b83",
    "model=smollm2 model.id=maker/smol model.revision=COMMIT": "fb8a1c7a0921c0f922e8ae957c8aefc9e7c1ef6552de0fbb55cba0b6f65be6dd",
    "model=smollm2 model.id=maker/smol model.revision=COMMIT model.thinking=on": "36b4cf3b9737c6716719250985331a4f49cb01dbed3abc2a9daec117c2f0945c",
    "model=stratified": "25525e87439e7e3d03e95788ea8e873be58cef057a3f02f42b0191ff9db2d538",
    "model=uniform": "2bcb865f94b01aeaa90f30a303293af1fabe61885d1a4f7472bd4abae2f3bfdf",
    "model=vllm model.id=maker/other model.revision=COMMIT": "32ca40ad010aaa193296ed1207986f3a74c7ea44c83cfc9188bcd416c096ae54",
    "model=vllm model.id=maker/other model.revision=COMMIT model.thinking=on": "f566db74ed340a3709d993a11355cd03b35136937340373cec6935e99bb77157",
    "model=openai model.id=m model.base_url=http://h:8000/v1 model.structured=logprobs model.drop_params=[seed,logprobs] ++model.extra_body.top_k=5 ++model.params.top_p=0.5": "233986b90d88f9cf2ad1000dce5530fe7c3b83d46fec6fafabcccd22e5d7427a",
    "model=qwen3-8b model.revision=COMMIT model.dtype=float16": "203f5acaa37944ec1532f7b63a918addb6a94e4ca5aa2cb87f70efb06228123f",
    "model=qwen3-8b model.revision=COMMIT model.max_model_len=null": "f000b76a48d11b2f39f3caa804b606f975591b3275b7220405f787991c4dd29a",
    "model=qwen3-8b model.revision=COMMIT ++model.extra_body.top_k=20 ++model.extra_body.chat_template_kwargs.style=short": "a9da679d59fa9321cddfc0a33ad5e6f6c3ad4107295ab1562075a299f0c14ae8",
    "model=qwen3-8b model.revision=COMMIT model.tokenizer_mode=slow": "f5c56abb6ba115a1c6761ef1bd8883a5552057f9087f0fea238afbcf2c1ec022",
    "model=qwen3-8b model.revision=COMMIT model.chat_template='{{ messages }}'": "d473a33fc5e20a3deab4e262ba03ce9d1350331e3c4d7db3cef440be98a082d7",
}


@pytest.mark.parametrize("overrides", KEYS)
def test_the_key_of_a_request_is_what_it_was(
    overrides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "vllm_version", lambda: "0.32.0")
    monkeypatch.setattr(engine, "is_cpu_build", lambda: False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for vendor in ("OPENAI", "DEEPSEEK", "ARK", "MISTRAL", "DASHSCOPE"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "a key")
    conf.register()
    given = re.split(r" (?=\+*model\.)", overrides.replace("COMMIT", COMMIT))
    with initialize_config_dir(str(conf.conf_dir()), version_base="1.3"):
        config = OmegaConf.to_object(compose("config", overrides=given))
    assert key_function(make_spec(config.model, CONTEXT).identity)(REQUEST) == KEYS[overrides]
