/** @module A policy as a header, and as configuration of web servers. */

import type { HeaderFormat } from '../../../../schema/header-formats.ts'
import { formatHeaders, headerFormats } from '../../../../schema/header-formats.ts'

const { nginx, apache, caddy, express } = headerFormats

export const forms: Record<string, HeaderFormat> = {
  Header: { before: '', start: (name) => `${name}: `, encode: (text) => text, end: '', after: '' },
  nginx,
  Apache: apache,
  Caddy: caddy,
  Express: express,
}

const headerName = (disposition: string) =>
  disposition === 'report' ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy'

/** Text before and after the policy. */
export function around(form: string, disposition: string) {
  const { before, start, end, after } = forms[form]
  return { start: `${before}${start(headerName(disposition))}`, end: `${end}\n${after}`.trimEnd() }
}

export const toForm = (form: string, disposition: string, policy: string) =>
  formatHeaders(forms[form], [[headerName(disposition), policy]]).trimEnd()
