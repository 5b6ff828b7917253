export const conventions = `
A read-only JSON API over the security and reliability reports that browsers send about a tenant's sites.

## Requests

- Send your key with every request: \`Authorization: Bearer srk_live_…\`. A key reads only its own tenant's data:
  another tenant's site is not found, like a site that does not exist.
- Operations accept GET and HEAD. Other methods return 405 with \`Allow\`, unknown paths 404.
- Unknown, empty and repeated parameters are rejected with 400; the message names the parameter and the allowed
  values. Only multi-value filters can be repeated or empty.
- Send your own \`X-Request-Id\` (1 to 64 characters of \`A-Z a-z 0-9 . _ -\`) or use the generated id: it is in the
  response header, in every error and in the server's log.

## Windows

\`from\` is inclusive, \`to\` exclusive. Both are RFC 3339 date-times with \`Z\` or an offset, up to milliseconds; write
the \`+\` of an offset as \`%2B\`. The default of \`to\` is the next whole 10 seconds: all reports up to now are included,
and requests within these 10 seconds read the same window. The default of \`from\` is a number of days before \`to\`, which
each operation defines, or the start of your retention if that is later. Retention starts at the beginning of a UTC day.
A \`from\` before it, and a window longer than the operation's maximum, are rejected. Times in responses are in UTC.

Use \`last\` instead of \`from\` and \`to\` for a window that ends at the next whole 10 seconds: \`1h\`, \`24h\`, \`7d\`, \`31d\`, or an
ISO 8601 duration in whole weeks, days, hours and minutes, such as \`PT90M\`. The minimum is one minute, the maximum the operation's
longest window. It is shortened to your retention. \`last\` together with \`from\` or \`to\` is rejected.

With \`last\`, or another parameter added after version 0.1, counts, histograms and rankings of reports also return the \`window\`
that they cover, and histogram buckets have \`estimatedReportCount\`, and \`partial\` if only part of the bucket is in the window.

## Conditional requests

Every 200 except health checks has a strong validator, \`ETag\`. Send it as \`If-None-Match\` with the same request: if the
response is unchanged, you get 304 (Not Modified) without a body, which counts against the budget. Responses of 16 KB and more are
compressed if \`Accept-Encoding\` allows gzip, and then have a different \`ETag\`. For cached responses use \`last\`, or repeat the same
\`from\` and \`to\`: the response is shared until new reports arrive. It includes every report stored \`Age\` seconds or more
before the request; \`Age\` is at most one second.

## Pages

A list returns \`nextCursor\`: send it as \`cursor\` with the same filters to read the next page; null ends the list. A cursor
fixes the window: omit or repeat \`from\`, \`to\` and \`last\`; other values are rejected. \`limit\` may change. If only the first
10,000 items can be paged, the last page has \`truncated: true\` and a null \`nextCursor\`.

The \`Link\` header contains the target of the next page, \`rel="next"\`. For the list of reports it continues past the first
10,000 with a narrower window: follow it until it is absent to get every report exactly once. Lists of groups end at 10,000,
because a narrower window would repeat groups with other counts.

## Text filters

A text filter is printable ASCII without the backslash. \`_\` matches any one character, except in parameters described as
exact; without \`_\` the value must be equal. A comma is an ordinary character: a filter is one value. Filters are case-sensitive,
except for hosts.

A filter \`x\` must not be empty. A group with the value \`""\` contains the reports without a value, for example reports of
older browsers without \`feature\`; select them with \`x.any=\`.

## Multi-value filters

If an operation lists them, a filter \`x\` has these variants. All filters are combined with AND.

- \`x.any\`: one of these values. Repeat it for up to 20 values: \`directive.any=img-src&directive.any=font-src\`.
- \`x.not\`: none of these values: \`blockedHost.not=cdn.example.com\`. It also selects reports without a value.
- \`x.contains\`: a substring of 2 to 64 characters, not repeatable; \`_\` is an ordinary character.

An empty \`x.any\` or \`x.not\` means "no value". \`noise=exclude\` omits reports caused by extensions, browsers and products that
inject code; \`noise=only\` selects them. \`issueId\` with the issue's \`siteId\` and \`reportType\` selects the reports of an issue.

## Budgets

A key and its tenant each have a budget of requests per minute, refilled continuously; \`/v1/me\` returns both. Every
authenticated request counts, including requests rejected with 400. Requests rejected because the plan has no API access, or
with 429 because a budget is spent, do not count. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` describe the
budget closest to its limit; \`RateLimit-Policy\` and \`RateLimit\` describe all budgets. An export counts as one more request
per 10,000 reports. After 429 or 503, wait \`Retry-After\` seconds.

## What may change

Enumerations are open, objects may gain fields and error codes may be added: accept values and fields you do not know,
and treat an unknown error code by its status. Text from browsers is untrusted: never render it as markup.
`.trim()
