/** @module A policy as a header, and as configuration of web servers. */

import type { HeaderFormat } from '../../../../schema/header-formats.ts'
import { formatHeaders, headerFormats } from '../../../../schema/header-formats.ts'

const { nginx, apache, caddy, express } = headerFormats

const plain: HeaderFormat = { before: '', start: (name) => `${name}: `, encode: (text) => text, end: '', after: '' }

export const forms = {
  Header: plain,
  nginx,
  Apache: apache,
  Caddy: caddy,
  Express: express,
}

export type Form = keyof typeof forms

const headerName = (disposition: string) =>
  disposition === 'report' ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy'

/** Text before and after the policy. */
export function around(form: Form, disposition: string) {
  const { before, start, end, after } = forms[form]
  return { start: `${before}${start(headerName(disposition))}`, end: `${end}\n${after}`.trimEnd() }
}

export const toForm = (form: Form, disposition: string, policy: string) =>
  formatHeaders(forms[form], [[headerName(disposition), policy]]).trimEnd()
