/** @module Files of a published version: https://www.jsdelivr.com/docs/data.jsdelivr.com */

import { z } from 'zod'
import { npmCatalog } from '../../../schema/rules/scripts/claimed-library.ts'

/** With `structure=flat`: paths from the root of the package, and SHA-256 in base64. */
const body = z.object({
  files: z.array(z.object({ name: z.string(), hash: z.string().regex(/^[A-Za-z0-9+/]{43}=$/) })),
})

export const filesUrl = (name: string, version: string): URL =>
  new URL(`https://data.jsdelivr.com/v1/packages/npm/${name}@${version}?structure=flat`)

/** Copies of other libraries, such as the jquery of jquery-ui-dist, would be identified as this one. */
const isScript = (path: string) =>
  /\.[cm]?js$/i.test(path) && !/(^|\/)(external|vendor|third[-_]party|node_modules|bower_components)\//.test(path)

/** Lines of `import library`. Throws a ZodError for another format. */
export const toLibraryFiles = (name: string, version: string, response: unknown): object[] =>
  body.parse(response).files.flatMap(({ name: file, hash }) => {
    const path = file.replace(/^\//, '')
    return isScript(path) ? { hash: `sha256-${hash}`, name, version, path, catalog: npmCatalog } : []
  })
