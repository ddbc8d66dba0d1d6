import { expect, test } from 'vitest'
import { createPatterns } from '../text/patterns.ts'
import { isTrue, parseExpression } from './expressions.ts'

const variables: Record<string, string> = { A: 'a', EMPTY: '', RELEASE: 'staging', BRANCH: 'feature/x', PATTERN: '/^feat/', NUMBER: '0' }
const evaluate = (text: string) => {
  const patterns = createPatterns()
  const expression = parseExpression(text, patterns)
  return expression && isTrue(expression, { lookup: (name) => variables[name], patterns })
}

test.each([
  ['$A', true],
  ['$EMPTY', false],
  ['$NUMBER', true],
  ['$UNKNOWN', false],
  ['$RELEASE == "staging"', true],
  ["$RELEASE == 'production'", false],
  ['"staging" == $RELEASE', true],
  ['$UNKNOWN == null', true],
  ['$EMPTY == null', false],
  ['$EMPTY == ""', true],
  ['$RELEASE != "staging"', false],
  ['$A == $RELEASE', false],
  ['$BRANCH =~ /^feature\\/.*/', true],
  ['$BRANCH =~ /FEATURE/i', true],
  ['$BRANCH !~ /^fix/', true],
  ['$UNKNOWN =~ /x/', false],
  ['$UNKNOWN !~ /x/', true],
  ['$BRANCH =~ $PATTERN', true],
  ['$BRANCH =~ $A', false],
  ['$A && $EMPTY', false],
  ['$A || $EMPTY', true],
  ['$UNKNOWN && $A || $A', true],
  ['$A || $UNKNOWN && $EMPTY', true],
  ['($A || $UNKNOWN) && $EMPTY', false],
  ['$A=="a"&&$RELEASE=="staging"', true],
  ['($A == "a" && ($BRANCH =~ /x$/ || $EMPTY))', true],
])('%s is %s', (text, truth) => {
  expect(evaluate(text)).toBe(truth)
})

test.each([
  '',
  '== null',
  '$A ==',
  '$A == "a',
  '$A "a"',
  '($A',
  '$A)',
  '$A & $B',
  '$A =~ /(?=x)/',
  'A == "a"',
  '$A && || $B',
  '$A '.repeat(200),
])('%s is no expression', (text) => {
  expect(parseExpression(text, createPatterns())).toBeNull()
})
