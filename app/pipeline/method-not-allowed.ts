import type { Hono } from 'hono'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** Refuses every method but those already mounted on the path; GET answers HEAD as well (decisions, Keys and access). */
export function onlyGet(app: Hono<ApiEnv>, path: string): void {
  app.all(path, () => {
    throw new Problem('method_not_allowed')
  })
}
