"""The demo's servers, spoken to in raw JSON-RPC over their pipes."""
