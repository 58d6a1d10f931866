"""From the options of a verb to results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ftlab.cli.options import model_config, source_config
from ftlab.cli.progress import meter
from ftlab.config import Config, merge
from ftlab.errors import InternalError
from ftlab.plugins import resolved
from ftlab.result import Comparison
from ftlab.simulation import check_obeyed, execute


def configuration(options: Mapping[str, Any]) -> Config:
    """Return the configuration that the options of `run` or `compare` describe."""
    return merge([source_config(options), model_config(options)])


def print_resolved(config: Config, *ftls: str) -> None:
    """Print the configuration with all defaults, as JSON."""
    click.echo(json.dumps(resolved(config, *ftls), indent=2))


def perform(config: Config, ftls: list[str]) -> Comparison:
    """Run the FTLs with progress on a terminal; a bug comes with all that reproduces it."""
    check_obeyed(config, ftls)
    try:
        with meter() as progress:
            return Comparison(execute([(config, ftl) for ftl in ftls], progress))
    except InternalError as error:
        seed = config.get("run", {}).get("seed", "the default")
        reproduce = f"ftls {','.join(ftls)}, seed {seed}, configuration {json.dumps(config)}"
        raise InternalError(f"{error}\n{reproduce}") from error
