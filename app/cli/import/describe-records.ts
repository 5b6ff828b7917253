import { type DescribedField, describeFields } from '../../import/records/describe-schema.ts'
import type { RecordType } from '../../import/records/record-type.ts'

const width = 116

const list = new Intl.ListFormat('en-GB')

/** Help on a line of records, from their schema. */
export function describeRecords({ endpointPath, schema, derived = [], siteFromFlag, example }: RecordType): string[] {
  const fields = describeFields(schema)
  const indent = Math.max(...fields.map(({ name }) => name.length)) + 4
  return [
    'A line is a JSON object with these fields:',
    ...fields.flatMap((field) => {
      const said = describe(field, siteFromFlag === true && field.name === 'siteId')
      return wrapped(said, width - indent).map(
        (line, at) => `  ${(at === 0 ? field.name : '').padEnd(indent - 2)}${line}`,
      )
    }),
    ...(derived.length > 0 ? [`Computed fields are ignored: ${list.format(derived)}.`] : []),
    'A line with any other field is rejected.',
    '',
    'Example:',
    `  ${JSON.stringify(example)}`,
    ...(endpointPath
      ? [
          'You can import API responses as they are ($API is the URL of the API, $KEY a key of the tenant):',
          `  curl -s -H "Authorization: Bearer $KEY" "$API${endpointPath}" | jq -c '${endpointPath.endsWith('}') ? '.data' : '.data[]'}'`,
        ]
      : []),
    '',
  ]
}

/** Help about lines whose record is already stored. */
export function describeRepeats({ schema, keyFields = ['id'], immutable = {}, version }: RecordType): string[] {
  const same = `the same ${list.format(keyFields)}`
  const fields = Object.keys(schema.shape).filter((field) => !keyFields.includes(field))
  const firm = Object.keys(immutable).filter((field) => typeof immutable[field] === 'string')
  const settling = Object.entries(immutable).flatMap(([field, column]) =>
    typeof column === 'string'
      ? []
      : [`The ${field} is final once it leaves ${column.mutableWhile}; later changes are rejected.`],
  )
  const isWhole = fields.every((field) => firm.some((name) => name.split('.')[0] === field))
  const said = [
    isWhole
      ? `Records are immutable: a repeated ${list.format(keyFields)} must have identical values.`
      : `A line replaces the record with ${same}${version === undefined ? '' : ', unless the line is older'}.`,
    ...(firm.length > 0 && !isWhole ? [`A line that changes ${list.format(firm)} is rejected.`] : []),
    ...settling,
    'Importing a file again changes nothing. Run an interrupted import again to complete it.',
  ]
  return wrapped(said.join(' '), width)
}

function describe({ expected, description, optional }: DescribedField, byFlag: boolean): string {
  const left = byFlag ? ' (default: --site)' : optional ? ' (optional)' : ''
  return `${expected}${left}${description === '' ? '' : `. ${description}`}`
}

function wrapped(text: string, maxWidth: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= maxWidth) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
