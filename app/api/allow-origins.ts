import { cors } from 'hono/cors'
import { headers } from '../openapi/headers.ts'

/** Browsers cache a preflight for at most two hours (Chromium). */
const preflightMaxAgeSeconds = 7_200

/** Lets pages of these origins read responses, errors included, with their keys and without cookies. */
export const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD'],
    allowHeaders: ['Authorization', 'If-None-Match', 'X-Request-Id'],
    exposeHeaders: [...Object.keys(headers), 'Content-Disposition'],
    maxAge: preflightMaxAgeSeconds,
  })
