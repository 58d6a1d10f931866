"""``ftlab trace generate``: the requests of a model."""

from __future__ import annotations

import click

from ftlab.catalogue import catalog
from ftlab.cli import parse
from ftlab.cli.trace.convert import output_options, write
from ftlab.config import Config, given
from ftlab.errors import ConfigError
from ftlab.names import in_any_case, near


@click.command()
@click.argument("model")
@click.option("--requests", type=parse.Count(), help="Number of requests [the model's length].")
@click.option("--capacity", metavar="SIZE", help="Device of which sizes are shares [4GiB].")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of random choices [1].")
@output_options
def generate(
    model: str,
    requests: int | None,
    capacity: str | None,
    seed: int | None,
    output: str,
    to: str | None,
) -> None:
    """Generate the requests of MODEL and write them to a file.

    MODEL is a file that ends in .toml, a job file of fio that ends in .fio, or the name of a
    profile. The same seed makes the same requests, and a shorter stream is the beginning of a
    longer one.
    """
    profiles = [profile["name"] for profile in catalog()["profiles"]]
    model = in_any_case(model, profiles)
    if not model.endswith((".toml", ".fio")) and model not in profiles:
        known = ", ".join(profiles)
        meant = near(model, profiles)
        raise ConfigError(
            f"found {model!r}{meant}, expected a file that ends in .toml or .fio, or {known}"
        )
    config: Config = {
        "input": given(trace=model, requests=requests),
        "device": given(capacity=capacity),
        "run": given(seed=seed),
    }
    write(config, output, to)
