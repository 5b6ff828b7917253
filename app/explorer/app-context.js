// @ts-check
import { createContext, useContext } from './html.js'

/**
 * Context of every component.
 * @typedef {object} App
 * @property {import('./state.js').State} state
 * @property {(changes: Partial<import('./state.js').State>, options?: { replace?: boolean }) => void} go changes the
 * view
 * @property {(changes: Partial<import('./state.js').State>) => string} urlOf link to a changed view
 * @property {ReturnType<typeof import('./api.js').createApi>} api
 * @property {{ id: string, name: string, hosts: string[], firstSeen: string | null, lastSeen: string | null }[]} sites
 * @property {any} me body of /v1/me
 * @property {(text: string) => void} announce a sentence for a moment, for screen readers too
 */

export const AppContext = createContext(/** @type {App} */ (/** @type {unknown} */ (undefined)))

/** @returns {App} */
export const useApp = () => useContext(AppContext)
