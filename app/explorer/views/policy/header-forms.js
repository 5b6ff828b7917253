// @ts-check
/** @module A policy as a header, and as configuration of web servers. */

/**
 * @typedef {{ start: (name: string) => string, end: string, encode: (text: string) => string }} Form `encode` applies
 * to single characters
 */

/** @param {string} text */
const quoted = (text) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')

/** @type {Record<string, Form>} */
export const forms = {
  Header: { start: (name) => `${name}: `, end: '', encode: (text) => text },
  // nginx cannot encode the dollar sign of a variable; in a URL it is %24 too.
  nginx: {
    start: (name) => `add_header ${name} "`,
    end: '" always;',
    encode: (text) => quoted(text).replaceAll('$', '%24'),
  },
  // A percent sign begins a format, and ${ a variable.
  Apache: {
    start: (name) => `Header always set ${name} "`,
    end: '"',
    encode: (text) => quoted(text).replaceAll('%', '%%').replaceAll('$', '%%24'),
  },
  // Braces begin a placeholder.
  Caddy: { start: (name) => `header ${name} "`, end: '"', encode: (text) => quoted(text).replaceAll('{', '\\{') },
  Express: {
    start: (name) => `app.use((request, response, next) => {\n  response.set('${name}', "`,
    end: '")\n  next()\n})',
    encode: (text) => JSON.stringify(text).slice(1, -1),
  },
}

/** @param {string} disposition */
export const headerName = (disposition) =>
  disposition === 'report' ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy'

/** @param {string} form @param {string} disposition @param {string} policy */
export function toForm(form, disposition, policy) {
  const { start, end, encode } = forms[form] ?? forms.Header
  return `${start(headerName(disposition))}${encode(policy)}${end}`
}
