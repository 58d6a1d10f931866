"""A page in headless Chromium, driven over pipes: no driver, no network."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

PATIENCE_S = 240


class Page:
    """A tab. What its console complains of is in ``complaints``."""

    def __init__(self, browser: str, folder: Path) -> None:
        take, self._write = os.pipe()
        self._read, give = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        options += [
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}",
        ]
        # Chromium reads commands from descriptor 3 and answers on 4.
        shell = f'exec 3<&{take} 4>&{give}; exec "$0" "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, browser, *options, "about:blank"],
            pass_fds=(take, give),
            stderr=subprocess.DEVNULL,
        )
        os.close(take)
        os.close(give)
        self._rest, self._number, self._session = b"", 0, None
        self._traced: list[dict[str, Any]] = []
        self._is_traced = False
        self.complaints: list[str] = []
        targets = self.do("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, (method, told["error"])
                return told["result"]
            self._hear(told)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def _hear(self, told: dict[str, Any]) -> None:
        match told.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(told["params"]["exceptionDetails"]))
            case "Tracing.dataCollected":
                self._traced += told["params"]["value"]
            case "Tracing.tracingComplete":
                self._is_traced = True
            case "Log.entryAdded" if told["params"]["entry"]["level"] in ("error", "warning"):
                self.complaints.append(told["params"]["entry"]["text"])
            case "Runtime.consoleAPICalled" if told["params"]["type"] in (
                "error",
                "warning",
                "assert",
            ):
                self.complaints.append(str(told["params"]["args"]))

    def tasks(self, act: Callable[[], object]) -> list[float]:
        """Return the processor time in ms of each task of the page's thread while ``act`` runs."""
        self._traced, self._is_traced = [], False
        timeline = "disabled-by-default-devtools.timeline"
        self.do("Tracing.start", categories=timeline, transferMode="ReportEvents")
        act()
        self.do("Tracing.end")
        while not self._is_traced:
            self._hear(self._next())
        pages = {
            (event["pid"], event["tid"])
            for event in self._traced
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        return [
            event.get("tdur", 0) / 1000
            for event in self._traced
            if event["name"] == "RunTask" and (event["pid"], event["tid"]) in pages
        ]

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """Be as wide and high, in this colour scheme."""
        phone = width < 600
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address: str) -> None:
        """Go to an address."""
        self.do("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def js(self, expression: str) -> Any:
        """Return the value of an expression."""
        found = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Return the value of an expression once it is true."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if value := self.js(expression):
                return value
            time.sleep(0.05)
        raise TimeoutError(f"{expression}: not true after {PATIENCE_S} s; {self.complaints}")

    def picture(self, file: Path) -> None:
        """Save the whole page as a picture."""
        size = self.do("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        found = self.do("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(found["data"]))
