import { expect, test } from 'vitest'
import { readPushOptions } from './push-options.ts'

const none = { skips: false, wantsNone: false, variables: [], inputs: {} }

test('options of a push skip its pipeline, and give variables and inputs', () => {
  expect(readPushOptions(['ci.skip'])).toEqual({ ...none, skips: true })
  expect(readPushOptions(['ci.no_pipeline'])).toEqual({ ...none, wantsNone: true })
  const { variables, inputs } = readPushOptions([
    'ci.variable=A=1',
    'ci.variable=B=x=y',
    'ci.variable=A=2',
    'ci.variable=E=',
    'ci.input=n=[1]',
  ])
  expect(variables.map(({ key, value }) => [key, value])).toEqual([
    ['A', '2'],
    ['B', 'x=y'],
    ['E', ''],
  ])
  expect(inputs).toEqual({ n: '[1]' })
})

test('options of others, and what is no variable, say nothing', () => {
  const options = [
    'merge_request.create',
    'ci.skip=false',
    'ci.variable',
    'ci.variable=',
    'ci.variable=A',
    'ci.variable==x',
    'ci.input=n',
    '',
  ]
  const wrong = ['ci.variable=A B=x', `ci.variable=${'A'.repeat(256)}=x`, `ci.variable=LONG=${'x'.repeat(10_001)}`, 'CI.SKIP']
  expect(readPushOptions([...options, ...wrong])).toEqual(none)
})

test('a name that objects have is an input like any other', () => {
  expect(Object.entries(readPushOptions(['ci.input=__proto__=x', 'ci.input=constructor=y']).inputs)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
})
