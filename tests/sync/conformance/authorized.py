# generated from tests/aio/conformance/authorized.py by tools/unasync.py; do not edit
"""What the official conformance suite starts for a protected server: this client, with the way in that a scenario has.

Run as a module with the server's URL as its last argument, and `--engine httpx` before it for the other engine. The
suite tells the scenario, the protocol version and what was arranged beforehand in the environment.
"""

import json
import os
import sys
from typing import Any, cast

from dragoman import (
    Client,
    ClientCredentials,
    IdentityAssertion,
    McpError,
    MemoryStore,
    OAuth,
    PrivateKeyJwt,
    WorkloadIdentity,
)
from tests.sync.auth.support import consent
from tests.sync.conformance._runtime import start

__all__ = ["main", "way_in"]

ARRANGED: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
VERSION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION") or "2026-07-28"


def way_in(scenario: str) -> Any:
    """Give what a user who knows what is arranged would give as `auth`."""
    known = ARRANGED
    match scenario.removeprefix("auth/"):
        case "client-credentials-basic":
            return ClientCredentials(known["client_id"], known["client_secret"])
        case "client-credentials-jwt":
            return PrivateKeyJwt(known["client_id"], known["private_key_pem"], known["signing_algorithm"])
        case "enterprise-managed-authorization":
            arranged = only("idp_token_endpoint", "idp_client_id", "client_id", "client_secret")
            return IdentityAssertion(assertion=known["idp_id_token"], **arranged)
        case "wif-jwt-bearer":
            return WorkloadIdentity(known["valid_jwt"], known["client_id"])
        case "pre-registration":
            return user(**only("client_id", "client_secret", "issuer"))
    return user()


def only(*names: str) -> dict[str, Any]:
    return {name: ARRANGED[name] for name in names}


def user(**arranged: Any) -> OAuth:
    return OAuth(
        browse=consent,
        store=MemoryStore(),
        client_name="dragoman's tests",
        redirect_uri="http://localhost:3000/callback",
        client_metadata_url="https://conformance-test.local/client-metadata.json",
        **arranged,
    )


def main() -> int:
    engine = sys.argv[sys.argv.index("--engine") + 1] if "--engine" in sys.argv else "default"
    try:
        with Client.connect(
            sys.argv[-1], versions=[VERSION], auth=way_in(SCENARIO), engine=cast(Any, engine)
        ) as client:
            client.list_tools()
            client.call_tool("test-tool", {})
    except McpError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print("finished")
    return 0


if __name__ == "__main__":
    sys.exit(start(main))
