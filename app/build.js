// Builds programs into .build/, one JavaScript file each and shared chunks: plain node starts one in a sixth of tsx's
// processor time. `node app/build.js --package` builds all of them into dist/ for `npm pack`.
import { rmSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, stop } from 'esbuild'
import { bundleExplorer } from './explorer-bundle.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs of the product. */
const programs = ['app/start.ts', 'app/serve.ts', 'app/collect.ts', 'app/work.ts', 'app/cli.ts']

/**
 * Packages that are not bundled: native libraries, which load files beside them, and packages needed only for traces.
 */
const external = ['chdb', 'ffi-rs', '@opentelemetry/*']

/**
 * Without node_modules above them, programs include the packages for traces; the engine is started from its own folder.
 */
const externalElsewhere = ['chdb', 'ffi-rs']

/** Files beside a module (SQL, pages, Lua) are read from its source folder, independent of the build folder. */
const sourceUrls = (outdir) => ({
  name: 'source URLs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const source = JSON.stringify(relative(outdir, path))
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`) }
    })
  },
})

/** Replaces the bundler of the explorer with the bundled explorer. */
const bundledExplorer = {
  name: 'bundled explorer',
  setup({ onLoad }) {
    onLoad({ filter: /explorer-modules\.ts$/ }, async () => ({
      contents: `export const explorerModules = async () => (${JSON.stringify(await bundleExplorer())})`,
    }))
  },
}

/**
 * @param {readonly string[]} files of programs, from the project's root, such as `app/cli.ts`
 * @returns {Promise<string>} the folder with their JavaScript
 */
export async function buildPrograms(files, folder = '.build') {
  const outdir = resolve(root, folder)
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    entryNames: '[name]',
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    // A module that is imported on demand is a separate chunk.
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: outdir.startsWith(root) ? external : externalElsewhere,
    plugins: [bundledExplorer, sourceUrls(outdir)],
    // CommonJS packages require Node's own modules.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
  await mkdir(outdir, { recursive: true })
  const built = files.map((file) => join(outdir, `${basename(file, '.ts')}.js`))
  const isProgram = ({ path }) => built.includes(path)
  // Written after its chunks, whose names contain the hash of their text.
  for (const { path, contents } of outputFiles.toSorted((a, b) => isProgram(a) - isProgram(b))) {
    await replaceFile(path, contents)
  }
  // The program that is built may run for months in this process.
  await stop()
  return outdir
}

/** Builds only for this process if the checkout belongs to another user. */
export async function buildForThisUser(files) {
  const outdir = join(root, '.build')
  const writable = await access(outdir, constants.W_OK)
    .catch((error) => (error.code === 'ENOENT' ? access(root, constants.W_OK) : Promise.reject(error)))
    .then(
      () => true,
      () => false,
    )
  if (writable) return buildPrograms(files)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'security-reporting-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return buildPrograms(files, folder)
}

/**
 * Renames the file into place, because another command may be starting the same program. An unchanged file may be
 * read-only.
 */
async function replaceFile(path, contents) {
  const existing = await readFile(path).catch(() => undefined)
  if (existing?.equals(contents)) return
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, contents)
  await rename(unfinished, path)
}

async function buildPackage() {
  // A chunk of an earlier build has another name.
  await rm(join(root, 'dist'), { recursive: true, force: true })
  await buildPrograms(programs, 'dist')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = process.argv.slice(2)
  await (files[0] === '--package' ? buildPackage() : buildPrograms(files))
}
