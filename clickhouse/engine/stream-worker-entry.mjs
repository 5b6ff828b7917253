// tsx transforms TypeScript on the main thread only: a thread registers it for itself.
import { register } from 'tsx/esm/api'

register()
await import('./stream-worker.ts')
