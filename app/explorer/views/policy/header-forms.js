// @ts-check
/** @module A policy as a header, and as configuration of web servers. */

import { formatHeaders, headerFormats } from '../../../../schema/header-formats.ts'

const { nginx, apache, caddy, express } = headerFormats

/** @type {Record<string, import('../../../../schema/header-formats.ts').HeaderFormat>} */
export const forms = {
  Header: { before: '', start: (name) => `${name}: `, encode: (text) => text, end: '', after: '' },
  nginx,
  Apache: apache,
  Caddy: caddy,
  Express: express,
}

/** @param {string} disposition */
const headerName = (disposition) =>
  disposition === 'report' ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy'

/** Text before and after the policy. @param {string} form @param {string} disposition */
export function around(form, disposition) {
  const { before, start, end, after } = forms[form]
  return { start: `${before}${start(headerName(disposition))}`, end: `${end}\n${after}`.trimEnd() }
}

/** @param {string} form @param {string} disposition @param {string} policy */
export const toForm = (form, disposition, policy) =>
  formatHeaders(forms[form], [[headerName(disposition), policy]]).trimEnd()
