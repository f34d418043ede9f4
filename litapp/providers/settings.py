"""What an installation sets for one source: address, key, contact, switched on or off."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Settings of one source in this installation.

    `base_url` is the address all paths are relative to (no slash at the end needed); it may point to the sandbox.
    `key` and `email` are secret or personal: they are added when a request is sent and never stored, logged or shown.
    `key_owner` names the user whose own key this is ("" = the installation's), `account` is what limits and budgets of
    that key are kept under.
    `timeout` is seconds for connecting and for each wait for data; `deadline` seconds for a whole answer.
    """

    base_url: str
    key: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    tool: str = "litledger"
    enabled: bool = True
    timeout: float = 20.0
    deadline: float = 60.0
    key_owner: str = ""
    account: str = ""
