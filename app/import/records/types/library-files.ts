import { libraryIdentity } from '../../../../schema/responses/script.ts'
import { recordType } from '../record-type.ts'
import { scriptHashField } from '../script-fields.ts'

/** `import library`: all fields are immutable. */
export const libraryFiles = recordType({
  name: 'library',
  label: 'files of public libraries',
  schema: libraryIdentity.extend({
    hash: scriptHashField.meta({ description: 'Hash of the file’s bytes: a script with this hash is this file.' }),
  }),
  foreignKeys: {},
  keyFields: ['hash'],
  isGlobal: true,
  table: 'library_files',
  immutable: { name: 'name', version: 'release', path: 'path', catalog: 'catalog' },
  toRow: ({ hash, version, ...file }) => ({ id: hash, release: version, ...file }),
  example: {
    hash: 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=',
    name: 'jquery',
    version: '3.4.1',
    path: 'dist/jquery.min.js',
    catalog: 'npm',
  },
})
