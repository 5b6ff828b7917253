import type { createApi } from './api.ts'
import { createContext, useContext } from './html.ts'
import type { State } from './state.ts'

/** Context of every component. */
export interface App {
  state: State
  /** Changes the view */
  go: (changes: Partial<State>, options?: { replace?: boolean }) => void
  /** Link to a changed view */
  urlOf: (changes: Partial<State>) => string
  api: ReturnType<typeof createApi>
  sites: { id: string; name: string; hosts: string[]; firstSeen: string | null; lastSeen: string | null }[]
  /** Body of /v1/me */
  me: any
  /** A sentence for a moment, for screen readers too */
  announce: (text: string) => void
}

export const AppContext = createContext<App>(undefined as unknown as App)

export const useApp = (): App => useContext(AppContext)
