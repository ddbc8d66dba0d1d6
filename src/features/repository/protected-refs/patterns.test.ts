import { expect, test } from 'vitest'
import { rulesOf } from './patterns.ts'

test('of many rules those are found that fit, each once', () => {
  const rules = rulesOf(['main', 'm*', '*', 'x*', 'a*b'].map((name) => ({ name })))
  const names = (name: string) => rules.matching(name).map((rule) => rule.name)
  expect(names('main')).toEqual(['main', 'm*', '*'])
  expect(names('m*')).toEqual(['m*', '*'])
  expect(names('other')).toEqual(['*'])
})
