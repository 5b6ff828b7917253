import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { parseDateTime } from '../../../schema/params.ts'
import { evidenceFormat } from '../../../schema/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { evidenceChanges } from '../../../schema/rules/pci/evidence-changes.ts'
import { evidenceInFormat } from '../../../schema/rules/pci/evidence-formats.ts'
import { evidenceHash } from '../../../schema/rules/pci/evidence-hash.ts'
import { differingParts, isPastRetention, ofReports } from '../../../schema/rules/pci/report-differences.ts'
import { argument, option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi, requestText } from '../command/request-api.ts'
import { NotStored } from '../command/require-tenant.ts'
import { api, site, tenantUnlessApi } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const path = '/v1/compliance/pci-dss/report'

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

const file = argument('<FILE>', {
  about: 'The report',
  takes: 'the path of a .json report from "pci report" or the API',
  schema: z.string().min(1),
})

const keyNote = 'With --api no database is needed. A key of the tenant or the site in API_KEY is enough.'

/** A file can contain anything; other evidence has another hash. */
const reportFile = z.object({
  data: z.looseObject({
    evidenceHash: z.string(),
    evidence: z.looseObject({
      format: z.int(),
      asOf: z.iso.datetime(),
      tenant: z.looseObject({ id: z.guid() }),
      site: z.looseObject({ id: z.guid() }),
    }),
  }),
})

/** Parts that follow rules and texts of a release. */
const changedByFormat = /^(requirement .*|watchedPageIds|observed|limits)$/

type ReportData = z.infer<typeof reportFile>['data']

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
      const response = await requestApi(context, options, path, { siteId: site, asOf })
      const { evidence, evidenceHash } = reportFile.parse(response).data
      const ofSame = { siteId: site, asOf: evidence.asOf, format, table }
      const text =
        format === 'json' ? `${JSON.stringify(response, null, 2)}\n` : await requestText(context, options, path, ofSame)
      await writeNew(resolve(context.folder, out), text)
      context.finish({ file: out, asOf: evidence.asOf, evidenceHash })
    })
}

function addVerify(pci: Command, context: Context): void {
  subcommand(pci, 'verify', {
    about: 'Verify the hash of a report and list changes since then',
    notes: [
      'Exits 1 if the file does not match the database: the hash of its evidence or a field outside the hash differs.',
      'Browser reports that arrive later change "observed", "limits" and requirement 6.4.3. In that case "evidence" is true and',
      '"differing" lists only these. If retention has removed reports since then, it still exits 0, with a note.',
      'Of a report of 0.2.0 only the evidence and "generatedAt" are compared: verdicts follow the rules of a release.',
      'Exits 2 if the file is not a report or has duplicate keys.',
      '"changed" counts the differences between its time and now.',
      keyNote,
    ],
    examples: ['pci verify november.json', 'pci verify --api https://reports.example.com november.json'],
  })
    .addArgument(file)
    .addOption(api)
    .action(async (file, { api }) => {
      const report = await readReport(resolve(context.folder, file), file)
      const { evidence, evidenceHash: stated } = report
      const found = { file, asOf: evidence.asOf, evidenceHash: stated }
      if (evidenceHash(evidence) !== stated) {
        context.log(`The evidence in ${file} was changed: its hash is not evidenceHash`)
        return context.finish({ ...found, verified: false }, 1)
      }
      const owner = { tenant: api === undefined ? evidence.tenant.id : null, api }
      const query = { siteId: evidence.site.id }
      const read = async (asOf?: string) =>
        ((await requestApi(context, owner, path, { ...query, asOf })) as { readonly data: PciReport }).data
      const stored = await read(evidence.asOf).catch(unlessNotStored)
      if (!stored) {
        context.log(
          `The evidence in ${file} has the hash in the file, but cannot be compared: this database does not have its site, because it was deleted or is in another database`,
        )
        return context.finish({ ...found, verified: false }, 1)
      }
      const storedHash = evidenceHash(evidenceInFormat(stored.evidence, evidence.format))
      if (storedHash !== stated) {
        context.log(
          `The database has another hash for ${evidence.asOf}, ${storedHash}: ${file} was not generated from this database`,
        )
        return context.finish({ ...found, verified: false }, 1)
      }
      const changed = evidenceChanges(stored.evidence, (await read()).evidence)
      const isOlder = evidence.format < evidenceFormat
      const differing = differingParts(report, { ...stored, evidenceHash: storedHash }).filter(
        (part) => !isOlder || !changedByFormat.test(part),
      )
      if (isOlder) context.log(`${file} is of an earlier release: only its evidence and "generatedAt" are compared`)
      if (differing.length > 0) {
        const isOfReports = differing.every((part) => ofReports.includes(part))
        if (isOfReports && isPastRetention(report, stored)) {
          context.log(
            `The evidence in ${file} matches the database. Its ${differing.join(', ')} cannot be compared: retention has removed browser reports since then`,
          )
          return context.finish({ ...found, verified: true, differing, changed })
        }
        context.log(
          isOfReports
            ? `The evidence in ${file} matches the database. Its ${differing.join(', ')} cannot be verified: browser reports arrived or were deleted since then, or the file was changed`
            : `${differing.join(', ')} in ${file} does not match the database for ${evidence.asOf}: the file was changed`,
        )
        return context.finish({ ...found, verified: false, evidence: true, differing, changed }, 1)
      }
      return context.finish({ ...found, verified: true, changed })
    })
}

/** For `catch`. */
function unlessNotStored(error: unknown): undefined {
  if (!(error instanceof NotStored)) throw error
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

async function readReport(path: string, file: string) {
  const text = await readFile(path, 'utf8')
  const notReport = `${file} is not a JSON report: use the .json from "pci report" or the API`
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    throw new Error(notReport)
  }
  if (!reportFile.safeParse(report).success) throw new Error(notReport)
  // If a member name is repeated, a reader may see the first value and a program the last.
  if (text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') !== JSON.stringify(report)) {
    throw new Error(`${file} has duplicate keys or was reformatted`)
  }
  // The parsed file itself: a schema would drop names such as __proto__.
  const { data, ...others } = report as { readonly data: ReportData }
  if (Object.keys(others).length > 0)
    throw new Error(`${file} has fields that a report does not have: ${Object.keys(others).join(', ')}`)
  return data
}
