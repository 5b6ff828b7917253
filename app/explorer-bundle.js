/** @module The explorer's bundle for browsers: one file of shared code and one per view, without comments. */

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('./explorer/', import.meta.url))

/** @returns {Promise<Record<string, string>>} texts by their names, such as `main.js` */
export async function bundleExplorer() {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['main.ts'],
    outdir: folder,
    chunkNames: '[name]-[hash]',
    bundle: true,
    // A view is read when it is first shown.
    splitting: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    minify: true,
    logLevel: 'warning',
  })
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.slice(folder.length), text]))
}
