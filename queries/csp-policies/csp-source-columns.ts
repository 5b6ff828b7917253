/** @module Columns of the view reports_per_day_by_source_mv, over raw rows: the same expressions, for the edges of windows. */

import { type Sql, sql } from '../sql/sql.ts'

const pageParts = sql`
  lower(extract(document_url, '^\\\\s*([a-zA-Z][a-zA-Z0-9+.-]*):')) AS scheme,
  extract(document_url, '^\\\\s*[a-zA-Z][a-zA-Z0-9+.-]*:[/\\\\\\\\]*([^/\\\\\\\\?#]*)') AS authority,
  transform(scheme, ['http', 'https'], [80, 443], 0) AS own_port,
  toUInt32OrZero(extract(authority, ':([0-9]{1,6})$')) AS written_port,
  if(written_port = 0, own_port, written_port) AS port`

const blockedParts = sql`
  extract(blocked_origin, '^([a-z]+):') AS blocked_scheme,
  transform(blocked_scheme, ['http', 'https', 'ws', 'wss'], [80, 443, 80, 443], 0) AS blocked_own_port,
  toUInt32OrZero(extract(blocked_origin, ':([0-9]{1,6})$')) AS blocked_written_port,
  if(blocked_written_port = 0, blocked_own_port, blocked_written_port) AS blocked_port,
  if(blocked_origin = '', sample, extract(blocked_url, '^[^:/?#]*://[^/?#]*(/[^?#]*)')) AS full_detail,
  if(blocked_origin = '', sample, extract(full_detail, '^((?:/[^/]*){0,3}/?)')) AS start_of_detail`

const relation = sql`
  blocked_scheme IN ('https', 'wss') OR (scheme = 'http' AND blocked_scheme = 'ws') AS is_secure,
  port = blocked_port OR (port = own_port AND blocked_port = blocked_own_port) AS is_same_port,
  multiIf(
    document_host = '' OR blocked_origin = '', '',
    document_host != blocked_host, 'other',
    scheme = blocked_scheme AND port = blocked_port, 'origin',
    is_secure AND is_same_port, 'upgrade',
    'other') AS self`

/** Prefix for a SELECT FROM reports. */
export const withSourceColumns: Sql = sql`
  WITH ${pageParts}, ${blockedParts}, ${relation},
  toString(if(blocked_origin = '', blocked_host, blocked_origin)) AS source,
  if(document_host != '' AND scheme IN ('http', 'https'), scheme, '') AS page_scheme,
  substringUTF8(start_of_detail, 1, 100) AS detail,
  detail != full_detail AS is_detail_cut`
