"""The least that can be written: `AsyncOpenAI` and a semaphore. PROMPTS URL CONCURRENCY [aiohttp]"""

from __future__ import annotations

import asyncio
import json
import sys


async def main() -> None:
    import openai

    prompts, url, concurrency, *transport = sys.argv[1:]
    with open(prompts, encoding="utf-8") as file:
        asked = [json.loads(line)["messages"] for line in file]
    limit = int(concurrency)
    client = openai.AsyncOpenAI(
        base_url=url,
        api_key="none",
        max_retries=0,
        http_client=openai.DefaultAioHttpClient() if transport else None,
    )
    places = asyncio.Semaphore(limit)

    async def ask(messages: list[dict[str, str]]) -> str | None:
        async with places:
            answer = await client.chat.completions.create(
                model="bench", messages=messages, temperature=0.0, max_tokens=128
            )
            return answer.choices[0].message.content

    answers = await asyncio.gather(*(ask(messages) for messages in asked))
    print(len(answers), "answers,", sum(answer == "1" for answer in answers), "as expected")


if __name__ == "__main__":
    asyncio.run(main())
