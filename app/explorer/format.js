/** Texts of values, in English and UTC, so that a view reads the same to everybody it is sent to. */

const numbers = new Intl.NumberFormat('en')

export const number = (value) => (value === null || value === undefined ? '–' : numbers.format(value))

/** `2026-11-23 13:00 UTC`, of RFC 3339. */
export const time = (text) => (text ? `${text.slice(0, 16).replace('T', ' ')} UTC` : '–')

export const date = (text) => (text ? text.slice(0, 10) : '–')

export const trend = (percent) => {
  if (percent === null) return 'new'
  return `${percent > 0 ? '+' : ''}${numbers.format(percent)} %`
}

export const list = (values) => values.filter((value) => value !== '').join(', ') || '–'

export const text = (value) => (value === null || value === undefined || value === '' ? '–' : String(value))

export const yesNo = (value) => (value ? 'yes' : 'no')
