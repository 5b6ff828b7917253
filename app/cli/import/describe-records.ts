import { type DescribedField, describeFields } from '../../import/records/describe-schema.ts'
import type { RecordType } from '../../import/records/record-type.ts'

const width = 116

const list = new Intl.ListFormat('en-GB')

/** Help on a line of records, from their schema. */
export function describeRecords({ endpointPath, schema, derived = [], siteFromFlag, example }: RecordType): string[] {
  const fields = describeFields(schema)
  const indent = Math.max(...fields.map(({ name }) => name.length)) + 4
  return [
    'A line is a JSON object of',
    ...fields.flatMap((field) => {
      const said = describe(field, siteFromFlag === true && field.name === 'siteId')
      return wrapped(said, width - indent).map(
        (line, at) => `  ${(at === 0 ? field.name : '').padEnd(indent - 2)}${line}`,
      )
    }),
    ...(derived.length > 0 ? [`What an answer also has, ${list.format(derived)}, is passed over.`] : []),
    'A line with any other member is rejected.',
    '',
    'One that works:',
    `  ${JSON.stringify(example)}`,
    ...(endpointPath
      ? [
          'What the API answers is what a line takes ($API is its URL, $KEY a key of the tenant):',
          `  curl -s -H "Authorization: Bearer $KEY" "$API${endpointPath}" | jq -c '${endpointPath.endsWith('}') ? '.data' : '.data[]'}'`,
        ]
      : []),
    '',
  ]
}

/** Help on a line whose record is stored already. */
export function describeRepeats({ schema, keyFields = ['id'], immutable = {}, version }: RecordType): string[] {
  const same = `the same ${list.format(keyFields)}`
  const fields = Object.keys(schema.shape).filter((field) => !keyFields.includes(field))
  const firm = Object.keys(immutable).filter((field) => typeof immutable[field] === 'string')
  const settling = Object.entries(immutable).flatMap(([field, column]) =>
    typeof column === 'string'
      ? []
      : [
          `Its ${field} stands once it is not ${column.mutableWhile}: another is rejected, ${column.mutableWhile} passed over.`,
        ],
  )
  const isWhole = fields.every((field) => firm.some((name) => name.split('.')[0] === field))
  const said = [
    isWhole
      ? `What is stored stands for good: a line of ${same} must say the same.`
      : `A line takes the place of what has ${same}${version === undefined ? '' : ', where it is not older'}.`,
    ...(firm.length > 0 && !isWhole ? [`What ${list.format(firm)} said first stands: another is rejected.`] : []),
    ...settling,
    'The same file twice changes nothing, and an import that was stopped is run again.',
  ]
  return wrapped(said.join(' '), width)
}

function describe({ expected, description, optional }: DescribedField, byFlag: boolean): string {
  const left = byFlag ? ', by default that of --site' : optional ? ', which may be left out' : ''
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
