import type { Hono } from 'hono'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** Rejects every method that is not mounted on the path; GET covers HEAD. */
export function rejectOtherMethods(app: Hono<ApiEnv>, path: string): void {
  app.all(path, () => {
    throw new Problem('method_not_allowed')
  })
}
