import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { parseDateTime } from '../../../schema/params.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi, requestText } from '../command/request-api.ts'
import { api, site, tenantUnlessApi } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { keyNote, reportFile, reportPath } from './pci-report-file.ts'
import { addVerify } from './pci-verify.ts'

const asOf = option('--as-of <TIME>', {
  about: 'Report what was recorded by this time (default: now)',
  takes: 'a date (00:00 UTC), or a time with Z or an offset, such as 2026-11-01 or 2026-11-01T12:00:00+01:00',
  schema: z
    .string()
    .transform((text) => parseDateTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)?.toISOString())
    .pipe(z.string()),
})

const out = option('--out <FILE>', {
  about: 'The file to create',
  takes: 'the path of a new file that ends with .json, .html or .csv',
  schema: z.string().regex(/\.(json|html|csv)$/),
}).makeOptionMandatory()

const table = option('--table <TABLE>', {
  about: 'The table to write to a .csv file',
  takes: 'scripts or changes',
  schema: z.enum(['scripts', 'changes']),
})

export function addPci(program: Command, context: Context): void {
  const pci = subcommand(program, 'pci', { about: 'PCI DSS evidence that an assessor can verify' })
  for (const add of [addReport, addVerify]) add(pci, context)
}

function addReport(pci: Command, context: Context): void {
  subcommand(pci, 'report', {
    about: "Write a site's report as of a date",
    notes: ['The same time always gives the same evidence and hash, until the site or the tenant is deleted.', keyNote],
    examples: [
      'pci report --tenant ID --site ID --as-of 2026-11-01 --out november.json',
      'pci report --tenant ID --site ID --out today.html',
      'pci report --tenant ID --site ID --table scripts --out scripts.csv',
      'pci report --api https://reports.example.com --site ID --out today.json',
    ],
  })
    .addOption(tenantUnlessApi)
    .addOption(site)
    .addOption(asOf)
    .addOption(out)
    .addOption(table)
    .addOption(api)
    .action(async ({ site, asOf, out, table, ...options }) => {
      const format = out.slice(out.lastIndexOf('.') + 1)
      if ((format === 'csv') !== (table !== undefined)) {
        throw new Error('Use --table scripts or --table changes with a .csv, and only with a .csv')
      }
      const response = await requestApi(context, options, reportPath, { siteId: site, asOf })
      const { evidence, evidenceHash } = reportFile.parse(response).data
      const ofSame = { siteId: site, asOf: evidence.asOf, format, table }
      const text =
        format === 'json'
          ? `${JSON.stringify(response, null, 2)}\n`
          : await requestText(context, options, reportPath, ofSame)
      await writeNew(resolve(context.folder, out), text)
      context.finish({ file: out, asOf: evidence.asOf, evidenceHash })
    })
}

/** Throws if the file exists, or its folder does not. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Error(`There is no folder ${dirname(path)}: create it or correct --out`)
    if (code !== 'EEXIST') throw error
    throw new Error(`${path} already exists: choose another name for --out, so that no evidence is overwritten`)
  }
}
