import { z } from 'zod'
import { libraryId } from '../../../../queries/scripts/libraries.ts'
import { toClickHouseTime } from '../../../../queries/sql/sql.ts'
import { line, moment } from '../../../../schema/record-fields.ts'
import { libraryIdentity } from '../../../../schema/responses/script.ts'
import { severities } from '../../../../schema/scripts.ts'
import { recordType } from '../record-type.ts'

const version = z.string().min(1).max(128).nullable().default(null)

const range = z.strictObject({
  introduced: version.meta({ description: 'The first vulnerable version; null for every version from the start.' }),
  fixed: version.meta({ description: 'The first fixed version.' }),
  lastAffected: version.meta({ description: 'The last vulnerable version, if no fix is known.' }),
})

const advisory = z.strictObject({
  id: line(64).meta({ description: 'Id in the public database.' }),
  aliases: z.array(line(64)).max(100).default([]),
  ranges: z.array(range).max(1_000).meta({ description: 'The vulnerable versions.' }),
  severity: z.enum(severities).exclude(['unknown']).nullable().default(null).meta({
    description: 'The rating in the database; null if there is none.',
  }),
  cvssScore: z.number().min(0).max(10).nullable().default(null).meta({ description: 'CVSS v3 base score, 0 to 10.' }),
  url: z.string().min(1).max(2_048),
  modifiedAt: moment,
})

const { name, catalog } = libraryIdentity.shape

/** `import advisories`: one line a library, with all its advisories at the time of the check. */
export const libraryAdvisories = recordType({
  name: 'advisories',
  label: 'advisory checks of public libraries',
  schema: z.strictObject({
    catalog,
    package: name.meta({ description: 'The library.' }),
    checkedAt: moment.meta({
      description: 'Time of the database query; the line with the later time replaces the other.',
    }),
    advisories: z
      .array(advisory)
      .max(10_000)
      .meta({ description: 'Advisories about any version; empty if no advisory is known.' }),
  }),
  foreignKeys: {},
  keyFields: ['catalog', 'package'],
  isGlobal: true,
  table: 'library_advisories',
  version: 'checked_at',
  toRow: ({ catalog, package: library, checkedAt, advisories }) => ({
    id: libraryId(catalog, library),
    catalog,
    name: library,
    checked_at: toClickHouseTime(checkedAt),
    advisories: JSON.stringify(advisories),
  }),
  example: {
    catalog: 'npm',
    package: 'jquery',
    checkedAt: '2026-01-31T12:00:00.000Z',
    advisories: [
      {
        id: 'GHSA-gxr4-xjj5-5px2',
        aliases: ['CVE-2020-11022'],
        ranges: [{ introduced: '1.2.0', fixed: '3.5.0' }],
        cvssScore: 6.9,
        url: 'https://github.com/advisories/GHSA-gxr4-xjj5-5px2',
        modifiedAt: '2026-01-02T03:04:05.000Z',
      },
    ],
  },
})
