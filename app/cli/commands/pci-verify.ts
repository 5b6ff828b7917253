import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { evidenceFormat } from '../../../schema/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { evidenceChanges } from '../../../schema/rules/pci/evidence-changes.ts'
import { evidenceInFormat } from '../../../schema/rules/pci/evidence-formats.ts'
import { evidenceHash } from '../../../schema/rules/pci/evidence-hash.ts'
import { differingParts, isPastRetention, ofReports } from '../../../schema/rules/pci/report-differences.ts'
import { argument } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { NotStored } from '../command/require-tenant.ts'
import { api } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { keyNote, readReport, reportPath } from './pci-report-file.ts'

const file = argument('<FILE>', {
  about: 'The report',
  takes: 'the path of a .json report from "pci report" or the API',
  schema: z.string().min(1),
})

/** Parts that follow rules and texts of a release. */
const changedByFormat = /^(requirement .*|watchedPageIds|observed|limits)$/

export function addVerify(pci: Command, context: Context): void {
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
        ((await requestApi(context, owner, reportPath, { ...query, asOf })) as { readonly data: PciReport }).data
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
