import { number, time } from './format.js'

/**
 * The rows of a list: its first page follows polls until a later one is read, as a cursor freezes the window.
 * @param {{ step: number, totalOf?: (body: object) => number, mostRows?: number }} list rows that are shown at first and
 *   with each press; how many there are, where a response has it; the most that one response has
 */
export function createPaging({ step, totalOf, mostRows }, api) {
  let limit
  let pages
  let total
  let frozenAt
  let restarts = 0

  const rows = () => pages.flatMap(({ body }) => body.data)
  const shown = () => rows().slice(0, limit)
  const last = () => pages.at(-1)

  function restart() {
    limit = step
    pages = []
    frozenAt = undefined
    restarts += 1
  }

  /** How many of how many, as far as the API knows. */
  function countText() {
    const read = rows().length
    const known = totalOf?.(pages[0].body) ?? total
    if (known !== undefined) return number(Math.max(known, read))
    if (last().next || last().body.truncated) return `more than ${number(read)}`
    return read === mostRows ? `${number(read)} or more` : number(read)
  }

  restart()
  return {
    restart,
    isFrozen: () => frozenAt !== undefined,
    /** @param {number | undefined} count of all rows, where another operation counts them */
    start(page, count) {
      pages = [page]
      total = count
    },
    body: () => ({ ...pages[0].body, data: shown() }),
    hasMore: () => shown().length < rows().length || last().next !== undefined,
    text() {
      const moment = frozenAt ? `, as of ${time(frozenAt)}` : ''
      return `${number(shown().length)} of ${countText()}${moment}`
    },
    async more() {
      const before = restarts
      if (limit + step > rows().length && last().next) {
        frozenAt ??= new Date().toISOString()
        const page = await api.get(last().next).catch((error) => {
          if (pages.length === 1) frozenAt = undefined
          throw error
        })
        if (before !== restarts) return
        pages.push(page)
      }
      limit += step
    },
  }
}
