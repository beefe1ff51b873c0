"""Fetches the gated MOUSE data set from the Hugging Face hub with the user's own token.

Every way in which that fails is the user's to mend (library, token, access, network), so each
becomes one sentence that says how; none of them holds the token.
"""

from __future__ import annotations

import os
from pathlib import Path

from mouse.corpus.reading.readers import READERS
from mouse.errors import UserError

REPOSITORY = "ollabalala/MOUSE"
PAGE = f"https://huggingface.co/datasets/{REPOSITORY}"
TOKEN_ENV = "HF_TOKEN"

_BY_HAND = "or download its files in a browser and give data.path=FOLDER"


def download(revision: str | None = None) -> Path:
    """Folder with the data set's files in the hub's own cache; once fetched, no network is needed.

    Raises `UserError` where the library `huggingface_hub` (extra `hub`) is not installed, there
    is no token, the token has no access, or the hub cannot be reached.
    """
    try:
        import huggingface_hub
        from huggingface_hub import errors
    except ImportError as error:
        raise UserError(
            f"The data set {REPOSITORY} needs the library huggingface_hub:"
            f" pip install 'mouse[hub]', {_BY_HAND}."
        ) from error
    token = os.environ.get(TOKEN_ENV) or huggingface_hub.get_token()
    if not token:
        raise UserError(
            f"The data set {REPOSITORY} is gated and there is no Hugging Face token:"
            f" ask for access at {PAGE}, then set {TOKEN_ENV} to your token, {_BY_HAND}."
        )
    try:
        return Path(
            huggingface_hub.snapshot_download(
                REPOSITORY,
                repo_type="dataset",
                revision=revision,
                token=token,
                allow_patterns=[f"*{ending}" for ending in READERS],
            )
        )
    except errors.RevisionNotFoundError as error:
        raise UserError(f"The data set {REPOSITORY} has no revision {revision!r}.") from error
    except Exception as error:
        # The library raises its own errors, its HTTP client's and OSError, by version.
        status = _status(error)
        if isinstance(error, errors.GatedRepoError):
            why = f"Your Hugging Face token has no access to {REPOSITORY}"
            mend = f"accept its terms at {PAGE} and wait for approval"
        elif isinstance(error, errors.RepositoryNotFoundError):
            why = f"The hub shows no data set {REPOSITORY} to your token (is {TOKEN_ENV} valid?)"
            mend = f"see {PAGE}"
        elif status in (401, 403):
            why = f"The hub refuses your token for {REPOSITORY} (it answered {status})"
            mend = f"check {TOKEN_ENV} and your access at {PAGE}"
        else:
            what = f"the hub answered {status}" if status else "no answer"
            what = f"{what}; {type(error).__name__}"
            why = f"The data set {REPOSITORY} could not be fetched ({what})"
            mend = f"check the network and {TOKEN_ENV}"
        raise UserError(f"{why}: {mend}, {_BY_HAND}.") from error


def _status(error: BaseException | None) -> int | None:
    """The HTTP status behind an error; the library wraps the answer in «not in the cache»."""
    while error is not None:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
        error = error.__cause__ or error.__context__
    return None


def data_folder(snapshot: Path) -> Path:
    """The folder of a snapshot that holds the data files: its root, else the one below that does.

    Raises `UserError` where no folder or more than one holds data files.
    """
    files = [file for file in snapshot.rglob("*") if file.suffix.lower() in READERS]
    folders = sorted({file.parent for file in files})
    if snapshot in folders:
        return snapshot
    if len(folders) == 1:
        return folders[0]
    found = ", ".join(str(folder.relative_to(snapshot)) for folder in folders) or "no data file"
    raise UserError(
        f"{snapshot}: expected data files in one folder, found {found};"
        " give data.path=FOLDER with the one to read"
    )
