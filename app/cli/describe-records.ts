import { type DescribedMember, describeMembers } from '../import/records/describe-shape.ts'
import type { RecordType } from '../import/records/record-type.ts'

const width = 116

const list = new Intl.ListFormat('en-GB')

export function describeRecords({ answeredBy, shape, derived = [], siteByFlag, example }: RecordType): string[] {
  const members = describeMembers(shape)
  const indent = Math.max(...members.map(({ name }) => name.length)) + 4
  return [
    'A line is a JSON object of',
    ...members.flatMap((member) => {
      const said = describe(member, siteByFlag === true && member.name === 'siteId')
      return wrapped(said, width - indent).map(
        (line, at) => `  ${(at === 0 ? member.name : '').padEnd(indent - 2)}${line}`,
      )
    }),
    ...(derived.length > 0 ? [`What an answer also has, ${list.format(derived)}, is passed over.`] : []),
    'A line with any other member is rejected.',
    '',
    'One that works:',
    `  ${JSON.stringify(example)}`,
    ...(answeredBy
      ? [
          'What the API answers is what a line takes ($API is its URL, $KEY a key of the tenant):',
          `  curl -s -H "Authorization: Bearer $KEY" "$API${answeredBy}" | jq -c '${answeredBy.endsWith('}') ? '.data' : '.data[]'}'`,
        ]
      : []),
    '',
  ]
}

export function describeRepeats({ shape, identifiedBy = ['id'], fixed = {}, version }: RecordType): string[] {
  const same = `the same ${list.format(identifiedBy)}`
  const members = Object.keys(shape.shape).filter((member) => !identifiedBy.includes(member))
  const firm = Object.keys(fixed).filter((member) => typeof fixed[member] === 'string')
  const settling = Object.entries(fixed).flatMap(([member, column]) =>
    typeof column === 'string'
      ? []
      : [`Its ${member} stands once it is not ${column.until}: another is rejected, ${column.until} passed over.`],
  )
  const isWhole = members.every((member) => firm.some((name) => name.split('.')[0] === member))
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

function describe({ takes, says, optional }: DescribedMember, byFlag: boolean): string {
  const left = byFlag ? ', by default that of --site' : optional ? ', which may be left out' : ''
  return `${takes}${left}${says === '' ? '' : `. ${says}`}`
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
