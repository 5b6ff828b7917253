/**
 * @module A folder of exports in the order of storing. The manifest is renamed into place when a file is complete, and
 * names it: a killed run is continued from the manifest, and its incomplete file is replaced.
 */

import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { ownFolder } from '../../../clickhouse/engine/folder-owner.ts'
import { type ExportFormat, exportFormatNames } from '../../../schema/export-formats.ts'
import type { ReportType } from '../../../schema/report-types.ts'
import { syncFolder, writeSynced } from '../../program/write-synced.ts'

/** Reports of a file, at most; each 10,000 cost a request of the budget. */
const fileReports = 100_000

const progressSchema = z.object({
  /** Start of the next export. */
  cursor: z.string(),
  files: z.int(),
  reports: z.int(),
  /** The last file, by its path in the folder. */
  last: z.string().optional(),
})

type TypeProgress = z.infer<typeof progressSchema>

const manifestSchema = z.object({ format: z.enum(exportFormatNames), types: z.record(z.string(), progressSchema) })

type Manifest = z.infer<typeof manifestSchema>

export type ExportRequest = Readonly<Record<string, string>>

export interface FolderExport {
  readonly folder: string
  readonly format: ExportFormat
  readonly types: readonly ReportType[]
  /** Start of a type's first export. */
  readonly from: string
  /** Opens an export. Throws for any response but a 200. */
  readonly open: (request: ExportRequest) => Promise<Response>
  readonly onProgress: (reports: number, note: string) => void
}

/** Writes what was stored since the folder's last export. Throws if another export writes to it. */
export async function exportToFolder(options: FolderExport): Promise<{ files: number; reports: number }> {
  const { folder, format, types } = options
  await mkdir(folder, { recursive: true })
  const release = await ownFolder(folder, 'another export writes to it')
  try {
    const manifest = await readManifest(folder, format)
    const written = { files: 0, reports: 0 }
    for (const type of types) {
      await finishFile(folder, type, manifest.types[type])
      for (let isComplete = false; !isComplete; ) {
        const reports = await exportFile(options, manifest, type)
        written.files += Math.sign(reports)
        written.reports += reports
        options.onProgress(written.reports, `${type}: ${written.reports} reports in ${written.files} files`)
        isComplete = reports < fileReports
      }
    }
    return written
  } finally {
    await release()
  }
}

const manifestPath = (folder: string) => join(folder, 'manifest.json')

async function readManifest(folder: string, format: ExportFormat): Promise<Manifest> {
  if (!existsSync(manifestPath(folder))) return { format, types: {} }
  const manifest = manifestSchema.parse(JSON.parse(await readFile(manifestPath(folder), 'utf8')))
  if (manifest.format === format) return manifest
  throw new Error(
    `${folder} has files of the format ${manifest.format}: use --format ${manifest.format} or another folder`,
  )
}

const partPath = (folder: string, type: string, number: number) => join(folder, `${type}-${number}.part`)

/** Number of its reports; without any there is no file. */
async function exportFile(
  { folder, format, from, open }: FolderExport,
  manifest: Manifest,
  type: ReportType,
): Promise<number> {
  const progress = manifest.types[type]
  const start = progress ? { after: progress.cursor } : { from }
  const shared = { reportType: type, format, order: 'stored', limit: String(fileReports), end: 'false' }
  const now = new Date().toISOString()
  const { headers, body } = await open({ ...shared, ...start })
  const reports = Number(headers.get('Export-Report-Count'))
  const cursor = headers.get('Next-Cursor') ?? ''
  const number = (progress?.files ?? 0) + Math.sign(reports)
  const part = partPath(folder, type, number)
  if (reports === 0 || !body) await body?.cancel()
  else await download(body, part)
  const name = `${now.slice(11, 13)}-${String(number).padStart(8, '0')}.${format}`
  const last = reports === 0 ? progress?.last : join(type, now.slice(0, 10), name)
  manifest.types[type] = { cursor, files: number, reports: (progress?.reports ?? 0) + reports, ...(last && { last }) }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  if (reports > 0 || !progress) await writeSynced(`${manifestPath(folder)}.part`, manifestPath(folder), [text])
  await finishFile(folder, type, manifest.types[type])
  return reports
}

async function download(body: NonNullable<Response['body']>, path: string): Promise<void> {
  const bytes = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(bytes, createWriteStream(path)).catch((error: Error) => {
    throw new Error(`The export ended early (${error.message}): run the command again to continue`)
  })
  const file = await open(path, 'r')
  await file.datasync().finally(() => file.close())
}

/** Renames the last file, unless that is done. */
async function finishFile(folder: string, type: string, progress: TypeProgress | undefined): Promise<void> {
  const part = partPath(folder, type, progress?.files ?? 0)
  if (!progress?.last || !existsSync(part)) return
  const path = join(folder, progress.last)
  await mkdir(dirname(path), { recursive: true })
  await rename(part, path)
  await syncFolder(dirname(path))
}
