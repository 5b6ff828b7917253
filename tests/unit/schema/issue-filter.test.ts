import { expect, test } from 'vitest'
import { issueTypesParam } from '../../../schema/issue-filter.ts'

test('a set of issue types is the same in any order and with repeats', () => {
  const types = ['csp-violation', 'coep']
  for (const text of ['coep,csp-violation', 'csp-violation,coep', 'coep,csp-violation,coep']) {
    expect(new Set(issueTypesParam.parse(text))).toEqual(new Set(types))
    expect(issueTypesParam.parse(text)).toEqual(issueTypesParam.parse(types.join()))
  }
})
