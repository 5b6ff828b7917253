// Builds programs into .build/, a JavaScript file each and chunks that they share: plain node starts one in a sixth of tsx's processor time.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = join(root, '.build')

/** Packages with a native library, which they find beside their own files, and those that are loaded only to send traces. */
const external = ['chdb', 'ffi-rs', '@opentelemetry/*']

/** Files beside a module (SQL, pages, Lua) are read from its source folder, wherever the module was built to. */
const sourceUrls = {
  name: 'source URLs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const source = JSON.stringify(relative(outdir, path))
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`) }
    })
  },
}

/** @param {readonly string[]} files of programs, from the project's root, such as `app/cli.ts` */
export async function buildPrograms(files) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    entryNames: '[name]',
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    // A module that is imported on demand is a chunk of its own.
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external,
    plugins: [sourceUrls],
    // CommonJS packages require Node's own modules.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
  await mkdir(outdir, { recursive: true })
  const programs = files.map((file) => join(outdir, `${basename(file, '.ts')}.js`))
  const isProgram = ({ path }) => programs.includes(path)
  // A program comes after its chunks, whose names have the hash of their text.
  for (const { path, contents } of outputFiles.toSorted((a, b) => isProgram(a) - isProgram(b))) {
    await replaceFile(path, contents)
  }
}

/** Renames the file into place, as another command may start the same program now. An unchanged one may be read-only. */
async function replaceFile(path, contents) {
  const existing = await readFile(path).catch(() => undefined)
  if (existing?.equals(contents)) return
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, contents)
  await rename(unfinished, path)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildPrograms(process.argv.slice(2))
