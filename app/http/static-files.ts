import type { Hono } from 'hono'
import {
  type GzipOptions,
  type Representation,
  respondConditional,
  toRepresentation,
} from '../pipeline/conditional-response.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

/** The pages run only their own files and connect only to this API; images can be data URLs. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const fixedHeaders = {
  'Cache-Control': 'public, max-age=3600',
  Vary: 'Accept-Encoding',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Compressed once for the life of the process; a page has dozens of small files. */
const fileGzip: GzipOptions = { fromBytes: 256, level: 9 }

export const mediaTypes = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  json: 'application/json',
} as const

/**
 * Serves a file that is the same for all clients, without a key.
 * @param file or a function that creates it for the first request.
 */
export function mountFile(
  app: Hono<ApiEnv>,
  path: string,
  type: keyof typeof mediaTypes,
  file: Representation['plain'] | (() => string),
): void {
  let representation: Representation | undefined
  const headers = { ...fixedHeaders, 'Content-Type': mediaTypes[type] }
  app.get(path, (c) => {
    representation ??= toRepresentation(typeof file === 'function' ? file() : file, undefined, fileGzip)
    return respondConditional(c, representation, headers)
  })
  rejectOtherMethods(app, path)
}

/** Serves such files by the path's parameter `file`; they are read at the first request of one. */
export function mountFiles(
  app: Hono<ApiEnv>,
  path: string,
  type: keyof typeof mediaTypes,
  readFiles: () => Promise<Readonly<Record<string, string>>>,
): void {
  let files: Promise<Map<string, Representation>> | undefined
  const read = async () => {
    const texts = Object.entries(await readFiles())
    return new Map(texts.map(([name, text]) => [name, toRepresentation(text, undefined, fileGzip)]))
  }
  const headers = { ...fixedHeaders, 'Content-Type': mediaTypes[type] }
  app.get(path, async (c) => {
    files ??= read()
    const representation = (await files).get(c.req.param('file') ?? '')
    return representation ? respondConditional(c, representation, headers) : c.notFound()
  })
  rejectOtherMethods(app, path)
}
