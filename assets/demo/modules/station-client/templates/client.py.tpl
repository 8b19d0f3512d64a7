"""Client for {{ partner }}. Generated; write mapping.py, not this file."""

from datetime import datetime

import httpx

from halyard.resilience import Breaker, call_with_deadline

from .mapping import from_pass, to_pass
from .settings import Settings


class {{ class_name }}Client:
    """{{ description | default("Books passes over partner antennas.") }}"""

    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        self._settings = settings
        self._http = http
        self._breaker = Breaker("{{ partner | lower | replace(" ", "-") }}")
{%- for operation in operations %}

    async def {{ operation.name }}(self, deadline: datetime, **values: str) -> dict:
        """{{ operation.method | upper }} {{ operation.path }}"""
        return await call_with_deadline(
            self._http,
            method="{{ operation.method | upper }}",
            url=self._settings.base_url + "{{ operation.path }}".format(**values),
            deadline=deadline,
            breaker=self._breaker,
{%- if operation.safe %}
            tries=3,
{%- else %}
            tries=1,  # a second try could do harm
{%- endif %}
            limit_seconds={{ operation.limit_seconds | default(10) }},
        )
{%- endfor %}
