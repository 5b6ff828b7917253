import { Problem } from '../../schema/problems.ts'
import { echo } from './quote-input.ts'

/**
 * Refuses what the framework's reading of a URL would hide: a parameter without a name, which it leaves out, and
 * percent-encoding that is not UTF-8, which it takes for the text itself. Throws bad_request that names the parameter.
 */
export function refuseUndecodable(url: string): void {
  const at = url.indexOf('?')
  if (at < 0) return
  for (const pair of url.slice(at + 1).split('&')) {
    if (pair === '') continue
    const [rawName = '', ...rawValue] = pair.split('=')
    const name = decoded(rawName)
    if (name === '') throw new Problem('bad_request', `${echo(pair)} is a parameter without a name`)
    if (name === undefined || decoded(rawValue.join('=')) === undefined) {
      throw new Problem('bad_request', `${name ?? echo(rawName)} must be percent-encoded UTF-8, not ${echo(pair)}`)
    }
  }
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
