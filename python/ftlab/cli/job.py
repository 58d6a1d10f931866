"""Turns the options of a verb into results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ftlab import configuration_file, names
from ftlab.catalogue import catalog
from ftlab.cli import parse
from ftlab.cli.options import Reader, model_config, source_config
from ftlab.cli.output import Outputs
from ftlab.cli.progress import meter
from ftlab.cli.say import hand_over
from ftlab.config import Config, merge
from ftlab.errors import ConfigError, InternalError
from ftlab.ftls import own
from ftlab.plugins import resolved
from ftlab.result import Comparison
from ftlab.simulation import check_obeyed, logged, repeated
from ftlab.titles import title
from ftlab.variants import listed, split

SWEPT = {"seeds": "sweep", "when": "sweep", "grid": "sweep", "tune": "tune"}
"""Sections of a file that only one verb reads."""


def configuration(
    options: Mapping[str, Any], ftl: str | None, default: str, variants: bool = False
) -> tuple[Config, list[str]]:
    """Return the configuration and the FTLs that options and their file describe.

    ``ftl`` has the names on the command line, separated by commas. The settings of a single FTL go
    into the configuration. Several FTLs keep theirs in their texts, if ``variants`` are allowed.
    """
    tree, ftls = setup(options, ftl, default)
    if not variants:
        tree, ftls = _plain(tree, ftls)
    refuse_sweeps(tree, options["config"])
    return tree, ftls


def refuse_sweeps(tree: Config, file: str | None) -> None:
    """Fail for what only a sweep or a search has."""
    swept = next((key for key in SWEPT if key in tree), None)
    if swept:
        raise click.UsageError(f"{file}: found {swept}, which belongs to `ftlab {SWEPT[swept]}`")


def setup(
    options: Mapping[str, Any], ftl: str | None, default: str, read: Reader = parse.value
) -> tuple[Config, list[str]]:
    """Return the tree of a file and options, and the FTLs; options take precedence."""
    file = configuration_file.load(options["config"]) if options["config"] else {}
    ftls = file.pop("ftls", None)
    asked = {"input": options["trace"], "workload": options["workload"]}
    if any(asked.values()):
        for section in asked:
            if not asked[section]:
                file.pop(section, None)
    known = next((each for each in ("workload", "input") if file.get(each)), None)
    tree = merge([file, source_config(options, known), model_config(options, read)])
    if ftl is None and ftls is not None:
        given = [ftls] if isinstance(ftls, str) else list(ftls)
        return tree, [text for each in given for text in _texts(each)]
    return tree, parse.names(ftl or default)


def _texts(found: Any) -> list[Any]:
    """Return the FTLs in an element of a file's list, by their names in the catalogue."""
    return listed(found, names.ftl) if isinstance(found, str) else [found]


def _plain(tree: Config, ftls: Sequence[str]) -> tuple[Config, list[str]]:
    """Return a configuration with the settings in the text of a single FTL, and the FTL's name."""
    if not any(split(ftl)[1] for ftl in ftls if isinstance(ftl, str)):
        return tree, list(ftls)
    if len(ftls) > 1:
        told = next(ftl for ftl in ftls if split(ftl)[1])
        raise click.UsageError(
            f"--ftl: found {told}, expected names; compare, explain and sweep take several FTLs "
            "with settings of their own"
        )
    name, settings = own(ftls[0])
    return merge([tree, settings]), [str(name)]


def one(ftls: Sequence[str], verb: str) -> str:
    """Return the FTL of a verb that takes one."""
    if len(ftls) != 1:
        told = ", ".join(ftls) or "none"
        raise click.UsageError(f"{verb} takes one FTL, found {told}; `ftlab compare` takes several")
    return ftls[0]


def print_resolved(config: Config, ftls: Sequence[str], as_json: bool) -> None:
    """Print the configuration with all defaults: the file that `--config` reads, or JSON."""
    if as_json:
        hand_over(json.dumps(resolved(config, *(split(ftl)[0] for ftl in ftls)), indent=2))
    else:
        hand_over(configuration_file.dump(config, ftls))


def prepared(
    options: Mapping[str, Any], ftl: str | None, default: str, variants: bool = False
) -> tuple[Config, list[str], Outputs]:
    """Return what `configuration` does, and the outputs of a command.

    With ``--print-config``, print the configuration and end the command instead.
    """
    config, ftls = configuration(options, ftl, default, variants)
    if options["print_config"]:
        print_resolved(config, ftls, options["as_json"])
        raise click.exceptions.Exit(0)
    return config, ftls, Outputs.of(options, config, ftls)


def perform_each(
    config: Config, ftls: Sequence[str], seeds: int = 1, parts: int | None = None
) -> tuple[Comparison, list[str]]:
    """Run the FTLs as `perform` does; also return why some are left out that cannot be built.

    Raises `ftlab.ConfigError` if none can be built, or if a name or a variant is invalid.
    """
    try:
        return perform(config, ftls, seeds=seeds, parts=parts), []
    except ConfigError as error:
        if len(ftls) < 2:
            raise
        first = error
    built_in = {each.name for each in catalog().ftls}
    alone: dict[str, Comparison] = {}
    refusals = []
    for ftl in ftls:
        try:
            alone[ftl] = perform(config, [ftl], obeyed=False)
        except ConfigError as error:
            if ftl not in built_in:
                raise
            refusals.append(f"{title(ftl)} is left out: {error}")
    if not alone or not refusals:
        raise first
    if seeds != 1 or parts is not None:
        return perform(config, list(alone), obeyed=False, seeds=seeds, parts=parts), refusals
    found = [(*each, *each.labels) for each in alone.values()]
    return Comparison([result for result, _ in found], [label for _, label in found]), refusals


def perform(
    config: Config,
    ftls: Sequence[str],
    obeyed: bool = True,
    seeds: int = 1,
    parts: int | None = None,
    log: str | None = None,
) -> Comparison:
    """Run the FTLs with progress on a terminal; a bug is reported with all that reproduces it.

    A setting that none of them obeys is an error if ``obeyed``, unless it comes from a result. An
    FTL with settings in its text has the text as its label. The requests of a single FTL go into a
    ``log``.
    """
    chosen = [own(ftl) for ftl in ftls]
    if obeyed:
        check_obeyed(config, [ftl for ftl, _ in chosen])
    points = [(merge([config, settings]), ftl) for ftl, settings in chosen]
    try:
        with meter() as progress:
            if log:
                (point,) = points
                return Comparison([logged(*point, log, progress)])
            results, *more = repeated(points, seeds, parts, progress)
            named = zip(ftls, chosen, results, strict=True)
            labels = [
                str(text) if settings else result["ftl"] for text, (_, settings), result in named
            ]
            return Comparison(results, labels, more)
    except InternalError as error:
        seed = config.get("run", {}).get("seed", "the default")
        reproduce = f"ftls {','.join(ftls)}, seed {seed}, configuration {json.dumps(config)}"
        raise InternalError(f"{error}\n{reproduce}") from error
