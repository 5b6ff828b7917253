export const conventions = `
A read-only JSON API over the security and reliability reports that browsers send about a tenant's sites.

## Requests

- Send your key with every request: \`Authorization: Bearer srk_live_…\`. A key reads its own tenant's data and
  nothing else: another tenant's site is as unknown as one that does not exist.
- Every operation takes GET and HEAD. The response to another method is 405 with \`Allow\`, to an unknown path 404.
- A parameter that the operation does not take, that is empty or that is repeated is rejected with 400; the message
  names the parameter and the allowed values. Filters of several values alone repeat and can be empty.
- Send your own \`X-Request-Id\` (1 to 64 characters of \`A-Z a-z 0-9 . _ -\`) or read the one that the server made: it is in the
  response header, in every error and in the server's log.

## Windows

\`from\` is inclusive, \`to\` exclusive. Both are RFC 3339 date-times with \`Z\` or an offset, up to milliseconds; write
the \`+\` of an offset as \`%2B\`. \`to\` is, by default, the next whole 10 seconds: every report up to now is read, and
requests within these 10 seconds read the same window. \`from\` is, by default, as many days before \`to\` as the
operation defines, or the start of your retention if that is later. A \`from\` before your retention, which reaches back
to the start of a UTC day, and a window longer than the operation's longest are rejected. Times in responses are in UTC.

\`last\` is a window that ends so, instead of \`from\` and \`to\`, which are rejected beside it: \`1h\`, \`24h\`, \`7d\` and \`31d\`, or an
ISO 8601 duration in whole weeks, days, hours and minutes, such as \`PT90M\`. It is at least a minute and at most the operation's longest
window, and cut to your retention.

With \`last\` or another parameter that version 0.1 did not have, a count, a histogram and a ranking of reports return \`window\`, the
window that they read, and the buckets of a histogram have \`estimatedReportCount\`, and \`partial\` if the window cuts them.

## Conditional requests

A 200, except of the health checks, has a strong validator, \`ETag\`. Send it as \`If-None-Match\` with the same request: the
response is 304 (Not Modified) without a body if it is unchanged, charged as any other. A response of 16 KB and more is compressed if
\`Accept-Encoding\` allows gzip, with an \`ETag\` of its own. A read of reports is fastest with \`last\`, or with the same \`from\` and
\`to\` from one request to the next: one response is shared until new reports arrive. It has every report that was stored \`Age\`
seconds before the request, which is a second at most.

## Pages

A list returns \`nextCursor\`: send it as \`cursor\`, with the same filters, to read the next page; null ends the list. A cursor
freezes the window: omit \`from\`, \`to\` and \`last\` or repeat them, as another value is rejected; \`limit\` may change. If only the first 10,000 items of
a query can be paged, the page that reaches them has \`truncated: true\` beside a null \`nextCursor\`.

The header \`Link\` has the target of the next page, \`rel="next"\`. That of the list of reports goes on past the first
10,000 with a narrower window: follow it until it is absent, and every report was listed once. Lists of groups have none there,
as their items would come again with other counts.

## Text filters

Printable ASCII without the backslash. \`_\` matches any one character; without it a filter is equality, as it always is
where a parameter's description has the word exact. A comma is a character as any other: a filter is one value. Case matters, except in hosts.

A filter \`x\` is not empty. A group whose value is \`""\` has the reports without such a value, as \`feature\` can be missing in an
older browser's; \`x.any=\` selects them.

## Filters of several values

Where their parameters are listed, a filter \`x\` has others beside it, which combine with it and with each other: a report
passes all of them.

- \`x.any\`: one of these values. Repeat it for several, up to 20: \`directive.any=img-src&directive.any=font-src\`.
- \`x.not\`: none of these values: \`blockedHost.not=cdn.example.com\`. Reports without a value pass.
- \`x.contains\`: text of 2 to 64 characters that is part of the value, once; \`_\` is a character as any other there.

An empty value of \`x.any\` or \`x.not\` means: has no value. \`noise=exclude\` omits the reports that extensions, browsers and
injecting products cause, \`noise=only\` selects them; \`issueId\`, with the \`siteId\` and the \`reportType\` of an issue, selects its reports.

## Budgets

A key and its tenant each have a budget of requests a minute, refilled continuously; \`/v1/me\` returns their size. Every
authenticated request is charged, including one that is rejected with 400, but none that is rejected because the plan has
no API access, and none that a spent budget rejects with 429. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` describe the budget nearest to running out; \`RateLimit-Policy\` and \`RateLimit\` describe all of
them. An export is charged one more request for each 10,000 reports. After 429 or 503, wait \`Retry-After\` seconds.

## What may change

Enumerations are open, objects may gain fields and error codes may be added: accept values and fields you do not know,
and treat an unknown error code by its status. What a browser wrote is untrusted text: never show it as markup.
`.trim()
