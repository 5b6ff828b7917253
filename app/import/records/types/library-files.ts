import { libraryIdentity } from '../../../../schema/responses/script.ts'
import { recordType } from '../record-type.ts'
import { scriptHashMember } from '../script-fields.ts'

/** `import library`: what a hash is of stands for good, so the same hash again must say the same. */
export const libraryFiles = recordType({
  name: 'library',
  things: 'files of public libraries',
  shape: libraryIdentity.extend({
    hash: scriptHashMember.meta({ description: 'Of the file’s bytes: a script that has it is this file.' }),
  }),
  refersTo: {},
  identifiedBy: ['hash'],
  ofEveryone: true,
  table: 'library_files',
  fixed: { name: 'name', version: 'release', path: 'path', catalog: 'catalog' },
  toRow: ({ hash, version, ...file }) => ({ id: hash, release: version, ...file }),
  example: {
    hash: 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=',
    name: 'jquery',
    version: '3.4.1',
    path: 'dist/jquery.min.js',
    catalog: 'npm',
  },
})
