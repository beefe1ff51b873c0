"""The vLLM engine inside a worker: hands it every request as it comes and gathers the answers.

vLLM batches by itself and continuously; what keeps its batches full is that the next chunks are
with it before the last requests of the present ones are done (`max_concurrency` of the spec).
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import logging
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from mouse.answers.reasoning import is_closing_tag, opens_reasoning
from mouse.contracts import Completion, CompletionError, ErrorKind, Request
from mouse.errors import UserError
from mouse.models.config import Thinking
from mouse.models.vllm import translate
from mouse.models.vllm.config import VLLMConfig
from mouse.models.vllm.start import EngineOutput, explain, last_error

log = logging.getLogger(__name__)

_DEAD_EXIT = 70


class VLLMBackend:
    """See `mouse.models.base.Backend`. Must be built inside a running event loop.

    `engine`: arguments of vLLM's `AsyncEngineArgs`. `label`: how completions name the model.
    `sampling`: vLLM's sampling parameters beyond `Sampling`. `template_arguments`: variables for
    the chat template (those that it does not know are left out by vLLM). `can_hold`: False where an
    answer cannot be held to labels because the model thinks first and vLLM has no parser for where
    its reasoning ends.
    """

    def __init__(
        self,
        config: VLLMConfig,
        *,
        label: str,
        engine: Mapping[str, Any],
        sampling: Mapping[str, Any],
        template_arguments: Mapping[str, Any],
        can_hold: bool,
        on_cpu: bool,
    ) -> None:
        self._config = config
        self._label = label
        self._extra = dict(sampling)
        self._can_hold = can_hold
        self._on_cpu = on_cpu
        self._numbers = itertools.count()
        _environment(on_cpu)
        self._output = EngineOutput()
        self._engine = self._start(engine)
        self._max_len = int(self._engine.model_config.max_model_len)
        self._set_up_chat(template_arguments)

    def _start(self, arguments: Mapping[str, Any]) -> Any:
        """Load the model; raises `UserError` where a setting can help."""
        try:
            with self._output.captured():
                from vllm.config import StructuredOutputsConfig
                from vllm.engine.arg_utils import AsyncEngineArgs
                from vllm.usage.usage_lib import UsageContext
                from vllm.v1.engine.async_llm import AsyncLLM

                held = StructuredOutputsConfig(**arguments.get("structured_outputs_config", {}))
                # As for offline inference: larger batches than a server's defaults.
                return AsyncLLM.from_engine_args(
                    AsyncEngineArgs(**{**arguments, "structured_outputs_config": held}),
                    usage_context=UsageContext.LLM_CLASS,
                )
        except Exception as error:
            output = self._output.tail()
            sys.stderr.write(output)
            self._output.close()
            sentence = explain(output, error, self._config, on_cpu=self._on_cpu)
            if sentence is not None:
                raise UserError(sentence) from None
            raise RuntimeError(last_error(output, error)) from error

    def _set_up_chat(self, arguments: Mapping[str, Any]) -> None:
        from vllm.renderers import ChatParams

        template = self._config.chat_template
        self._renderer = self._engine.renderer
        self._tokenizer = self._renderer.get_tokenizer()
        self._chat = ChatParams(
            chat_template=template,
            chat_template_content_format="auto",
            chat_template_kwargs={
                "add_generation_prompt": True,
                "continue_final_message": False,
                **arguments,
            },
        )
        # Without vLLM's own length check, which raises: a long prompt is an outcome.
        self._tokenizing = dataclasses.replace(
            self._renderer.default_chat_tok_params, max_total_tokens=None
        )
        text = template or getattr(self._tokenizer, "chat_template", None)
        self._knows_thinking = isinstance(text, str) and "enable_thinking" in text
        # Left to its default, a template without the switch is no more in the way than with `off`.
        self._can_hold |= self._config.thinking is Thinking.default and not self._knows_thinking
        vocabulary = self._tokenizer.get_vocab()
        self._close_ids = frozenset(n for tag, n in vocabulary.items() if is_closing_tag(tag))

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order; an over-long or refused one fails alone."""
        return list(await asyncio.gather(*(self._one(request) for request in requests)))

    async def _one(self, request: Request) -> Completion:
        from vllm.v1.engine.exceptions import EngineDeadError

        started = time.perf_counter()
        try:
            if not self._can_hold and (request.choices or request.json_schema is not None):
                return _failed(
                    request,
                    "bad_request",
                    "An answer cannot be held to labels while this model thinks: set "
                    "model.thinking=off or task.decoding=free.",
                    fatal=True,
                )
            parameters = self._parameters(request)
            prompt = await self._render(request)
            tokens = prompt["prompt_token_ids"]
            if len(tokens) >= self._max_len:
                return translate.too_long(request, len(tokens), self._label)
            output = await self._generate(prompt, parameters)
        except EngineDeadError as error:
            return self._died(request, error)
        except Exception as error:
            # vLLM checks each request by itself; what it raises for one concerns that one.
            message = " ".join(str(error).split()) or "vLLM gave no reason"
            return _failed(request, _kind(error), f"{type(error).__name__}: {message}"[:500])
        return translate.completion(
            request,
            output,
            model=self._label,
            latency_s=time.perf_counter() - started,
            opened=opens_reasoning(self._tokenizer.decode(list(tokens[-12:]))),
            close_ids=self._close_ids,
        )

    def _parameters(self, request: Request) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        constraint = translate.constraint_arguments(request)
        return SamplingParams(
            **translate.sampling_arguments(request, self._extra),
            structured_outputs=StructuredOutputsParams(**constraint) if constraint else None,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    async def _render(self, request: Request) -> Any:
        messages = [
            {"role": message.role, "content": message.content} for message in request.messages
        ]
        _, (prompt,) = await self._renderer.render_chat_async(
            [messages], self._chat, self._tokenizing
        )
        return prompt

    async def _generate(self, prompt: Any, parameters: Any) -> Any:
        final = None
        # A number of our own: the same key may be with the engine twice after a loss.
        number = f"mouse-{next(self._numbers)}"
        async for output in self._engine.generate(prompt, parameters, number):
            final = output
        return final

    def _died(self, request: Request, error: BaseException) -> Completion:
        """The engine's process is gone, and with it every request that it had."""
        output = self._output.tail()
        sentence = explain(output, error, self._config, on_cpu=self._on_cpu)
        if sentence is None and _in_ray_actor():
            # The driver replaces this actor and finds out which request it was, if it was one.
            sys.stderr.write(output + f"\nvLLM's engine died: {last_error(output, error)}\n")
            sys.stderr.flush()
            os._exit(_DEAD_EXIT)
        sentence = sentence or f"vLLM's engine died: {last_error(output, error)}"
        return _failed(request, "resources", sentence, fatal=True)

    def describe(self) -> dict[str, Any]:
        """What a run's manifest says of this engine."""
        import torch
        import vllm
        from vllm import envs
        from vllm.platforms import current_platform

        config = self._engine.vllm_config
        return {
            "engine": "vllm",
            "vllm": vllm.__version__,
            "torch": torch.__version__,
            "model": self._label,
            "dtype": str(config.model_config.dtype).removeprefix("torch."),
            "quantization": config.model_config.quantization,
            "batch_invariant": bool(getattr(envs, "VLLM_BATCH_INVARIANT", False)),
            "device": "CPU" if self._on_cpu else current_platform.get_device_name(),
            "tensor_parallel": config.parallel_config.tensor_parallel_size,
            "max_model_len": self._max_len,
            "max_num_seqs": config.scheduler_config.max_num_seqs,
            "prefix_caching": bool(config.cache_config.enable_prefix_caching),
            "enforce_eager": bool(config.model_config.enforce_eager),
            "thinking": self._config.thinking.value,
            "template_knows_thinking": self._knows_thinking,
        }

    def close(self) -> None:
        """End the engine's process and give its memory back."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with self._output.captured():
                engine.shutdown()
            self._output.close()


def _environment(on_cpu: bool) -> None:
    """Settings that vLLM takes from the environment alone; a user's own values win."""
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
    if on_cpu:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
        if _in_ray_actor():
            # Ray sets it to the CPUs that the actor asked for; vLLM is to use the machine's.
            os.environ.pop("OMP_NUM_THREADS", None)


def _in_ray_actor() -> bool:
    ray = sys.modules.get("ray")
    return bool(
        ray and ray.is_initialized() and ray.get_runtime_context().get_actor_id() is not None
    )


def _kind(error: BaseException) -> ErrorKind:
    """Whose fault it is: the request's (vLLM's class for that came after `ValueError`), or not."""
    refused = any(kind.__name__ == "VLLMClientError" for kind in type(error).__mro__)
    return "bad_request" if refused or isinstance(error, ValueError | TypeError) else "server"


def _failed(request: Request, kind: ErrorKind, message: str, *, fatal: bool = False) -> Completion:
    return Completion(request.key, error=CompletionError(kind, message, fatal=fatal))
