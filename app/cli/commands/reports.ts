import { type Command, Option } from '@commander-js/extra-typings'
import { z } from 'zod'
import { sql } from '../../../queries/sql/sql.ts'
import { listDeletions } from '../../../queries/tenants/deletions.ts'
import { dateTime } from '../../../schema/params.ts'
import { type StoredReportQuery, storedReportParams } from '../../../schema/report-filter.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import { substring } from '../../../schema/value-params.ts'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { share, withProgress } from '../../program/show-progress.ts'
import { countReports, deleteReports } from '../../tenants/delete-reports.ts'
import { selectReports } from '../../tenants/select-reports.ts'
import { selectUnconfirmed } from '../../tenants/select-unconfirmed.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireSites, requireTenant } from '../command/require-tenant.ts'
import { byOption, siteOption, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const site = siteOption('Only reports of this site')

const type = option('--type <TYPE>', {
  about: 'Only reports of this type (default: every type that has the dimensions of the filters)',
  takes: storedTypeNames.join(', '),
  schema: z.enum(storedTypeNames),
})

const bound = <const Flags extends string>(flags: Flags, about: string) =>
  option(flags, { about, takes: 'a time such as 2026-01-31T12:00:00Z', schema: dateTime('') })

const from = bound('--from <TIME>', 'Only reports received from this time on')

const to = bound('--to <TIME>', 'Only reports received before this time (default: now)')

const partOfDocumentUrl = option('--document-url-contains <TEXT>', {
  about: 'Only reports whose documentUrl, with its query, contains this text',
  takes: '2 to 64 characters of printable ASCII without the backslash',
  schema: substring('', ''),
})

const unconfirmed = new Option(
  '--unconfirmed',
  'Only reports of issues and versions of scripts first seen since --from that no policy, scan or decision has',
)

const dryRun = new Option('--dry-run', 'Only print how many reports match, by type')

const purge = new Option(
  '--purge',
  'Rewrite all parts with deleted rows before the command ends, so that their bytes are gone, of earlier deletions too',
)

const descriptionOf = (schema: z.ZodType): string | undefined =>
  (schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema).description

/** Flags of the API's filters, such as `--page-contains` of `page.contains`. */
const filters = Object.entries(storedReportParams)
  .filter(([parameter]) => parameter !== 'reportType' && !parameter.startsWith('siteId'))
  .map(([parameter, schema]) => {
    const words = parameter.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace('.', '-')
    const isRepeatable = /\.(any|not)$/.test(parameter)
    const variant = `${parameter} of the API${isRepeatable ? '; repeat the flag for more' : ''}`
    const created = new Option(`--${words} <VALUE>`, parameter.includes('.') ? variant : descriptionOf(schema))
    created.argParser((text: string, previous: string | string[] | undefined) => {
      if (isRepeatable) return [...(previous ?? []), text]
      if (previous !== undefined) throw new Error(`--${words} is given more than once`)
      return text
    })
    return { parameter, attribute: created.attributeName(), option: created }
  })

const schema = z.strictObject(storedReportParams)

/** Throws for a value that the API rejects. */
function parseFilters(given: Readonly<Record<string, unknown>>): StoredReportQuery {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data as StoredReportQuery
  const [issue] = parsed.error.issues
  const [parameter = '', index] = issue?.path.map(String) ?? []
  const value = [given[parameter]].flat()[Number(index ?? 0)]
  throw new Error(`${parameter} ${issue?.message}, not ${quoteInput(String(value))}`)
}

export function addReports(program: Command, context: Context): void {
  const reports = subcommand(program, 'reports', { about: "A tenant's stored reports" })

  const deletion = subcommand(reports, 'delete', {
    about: 'Delete reports by a filter and print how many, by type',
    notes: [
      'This cannot be undone without a backup. Filters are those of the API: --page-contains /reset/ is page.contains=/reset/. A report',
      'must match all of them.',
      'Every response is then as if the reports had never been stored: lists, counts, issues, groups, and first and last sightings of',
      'issues and scripts. Collectors keep accepting posts; imports of the tenant wait. Reports in the log of a collector are waited for.',
      'After a flood of forged reports, run "sites rotate-token" and then this command with --site, --from and --unconfirmed: reports of',
      'earlier issues and scripts, of known hosts, of versions in a complete scan or seen before a decision, and of types without issues',
      'remain. Reports of the issue (other) and sightings without a script are deleted (Rule 82).',
      'Deleted rows are hidden at once. Their bytes leave the disk with the next merge of their parts, at the latest when the reports',
      'expire; --purge removes them now. Backups and exports still have them. Importing the same file again does not store them again.',
      'Safe to interrupt: run it again to complete the deletion. "reports deletions" lists deletions, with the names of filters only.',
    ],
    examples: [
      'reports delete --tenant ID --document-url-contains token=9f3a --dry-run',
      'reports delete --tenant ID --site ID --type csp-violation --blocked-host evil.example --from 2026-01-31T00:00:00Z',
      'reports delete --tenant ID --site ID --from 2026-01-31T12:00:00Z --unconfirmed',
      'reports delete --tenant ID --page-contains /reset/ --by ada@example.com --purge',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(type)
    .addOption(from)
    .addOption(to)
    .addOption(partOfDocumentUrl)
    .addOption(unconfirmed)
    .addOption(byOption('Who deletes'))
    .addOption(dryRun)
    .addOption(purge)
  for (const { option } of filters) deletion.addOption(option)
  deletion.action(
    async ({
      tenant,
      site,
      type,
      from,
      to = new Date(),
      documentUrlContains,
      unconfirmed,
      by,
      dryRun,
      purge,
      ...others
    }) => {
      const given = others as Readonly<Record<string, unknown>>
      const named = { siteId: site, reportType: type, ...valuesOf(given) }
      const query = parseFilters(Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)))
      const used = { ...query, from, 'documentUrl.contains': documentUrlContains, unconfirmed }
      const names = Object.entries(used).flatMap(([name, value]) => (value === undefined ? [] : [name]))
      if (names.length === 0) throw new Error('Use at least one filter, such as --site, --type or --from')
      const selected = selectReports(tenant, { from, to, query, partOfDocumentUrl: documentUrlContains })
      if (unconfirmed && !(site && from))
        throw new Error('--unconfirmed requires --site and --from, the start of the flood')
      const database = await context.database()
      await requireTenant(database.reader, tenant)
      await requireSites(database.reader, tenant, site)
      const where =
        unconfirmed && site && from
          ? sql`${selected} AND ${await selectUnconfirmed(database.reader.read, { tenantId: tenant, siteId: site }, from)}`
          : selected
      const counts = await countReports(database.shards(), where)
      if (dryRun) return context.finish({ dryRun: true, reports: counts })
      context.log(
        `Deleting ${
          Object.entries(counts)
            .map(([type, count]) => `${count} ${type}`)
            .join(', ') || 'no'
        } reports`,
      )
      const requested = { tenantId: tenant, where, to, filters: [...names, 'to'], by: by ?? '', purges: purge === true }
      const { settings, log } = context
      const deleted = await withProgress(context.stderr, 1, (update) =>
        deleteReports(database, requested, {
          settings,
          log,
          onProgress: (done, total, step) => update(share(done, total), step),
        }),
      )
      if (!purge) {
        context.log(
          'The bytes leave the disk with the next merge of their parts, at the latest when the reports expire; --purge removes them now',
        )
      }
      context.finish({ dryRun: false, reports: deleted })
    },
  )

  subcommand(reports, 'deletions', {
    about:
      'Print the deletions of reports and of sightings of scripts, the latest first: when, by whom, the names of their filters and the number of reports by type',
    notes: [
      '"finishedAt" is null while a deletion runs, or if it was interrupted: the next "reports delete" completes it.',
    ],
    examples: ['reports deletions --tenant ID'],
  })
    .addOption(tenant)
    .action(async ({ tenant }) => {
      const { reader } = await context.database()
      await requireTenant(reader, tenant)
      context.finish({ deletions: await reader.read(listDeletions(tenant)) })
    })
}

const valuesOf = (given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(filters.map(({ parameter, attribute }) => [parameter, given[attribute]]))
