/** Closing words: which issues a message closes. */
import { expect, test } from 'vitest'
import { closingReferences } from './closing.ts'

const site = 'http://gitstead.test'
const closed = (message: string) => closingReferences(message, site).map(({ path, name }) => `${path ?? ''}#${name}`)

test.each([
  ['Closes #4, #5 and group/other#6', ['#4', '#5', 'group/other#6']],
  ['Fix #1', ['#1']],
  ['fixes: #1', ['#1']],
  ['Fixed issues #1, #2, and #3.', ['#1', '#2', '#3']],
  ['Resolves issue #1 and issue #2', ['#1', '#2']],
  ['implementing other#7 #8', ['other#7', '#8']],
  [`Closing ${site}/a/b/issues/9, #1`, ['a/b#9', '#1']],
  ['A title\n\nCloses #1\nfixes #2', ['#1', '#2']],
  ['(closes #1)', ['#1']],
  ['Closes #1  and  #2 ,  and #3,and #4', ['#1', '#2', '#3']],
  ['Closes #1, sees #2', ['#1']],
  ['Related to #1, fixes nothing', []],
  ['Discloses #1', []],
  ['Closes\n#1', []],
  ['Closes !1 and @ada', []],
  ['CLOSES #1', []],
  ['', []],
])('%j', (message, issues) => expect(closed(message)).toEqual(issues))

test('a long message is read in linear time', () => {
  const began = process.cpuUsage()
  for (const part of ['Closes ', 'Closes #1, ', 'fix issues ', '#1 and ']) closed(part.repeat(100_000))
  for (const gap of [' ', ', ', ' and ']) for (const end of ['x', ' and', ',']) closed(`Closes #1${gap}${' '.repeat(60_000)}${end}`)
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1_000).toBeLessThan(4_000)
})
