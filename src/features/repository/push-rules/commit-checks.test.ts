/** Push rules judge a commit and a path, and no message and no path takes long. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import type { PushRule } from '../../../db/tables.ts'
import type { NewCommit } from '../../../git/history/new-commits.ts'
import { checksOf } from './commit-checks.ts'

const none = {
  commit_message_regex: '',
  commit_message_negative_regex: '',
  branch_name_regex: '',
  author_email_regex: '',
  file_name_regex: '',
}
const checked = { pusher: null, isByService: false }
const by = { name: 'Ada', email: 'ada@example.com' }
const checksBy = (rule: Partial<PushRule>) => checksOf({ ...none, ...rule } as PushRule)
const faultOf = (rule: Partial<PushRule>, message: string) =>
  checksBy(rule).faultOf({ message, isCut: false, author: by, committer: by } as NewCommit, checked)

test('a commit is signed off by a line with a name and an address', () => {
  const isSignedOff = (message: string) => faultOf({ reject_non_dco_commits: true }, message) === null
  for (const line of [
    'Signed-off-by: Ada <ada@example.com>',
    'Signed-off-by: A <b <c@d> e>',
    'Signed-off-by: <a<b@c>',
    'Signed-off-by:x<@@@>',
  ])
    expect([line, isSignedOff(`Title\n\n${line}\n`)]).toEqual([line, true])
  for (const line of [
    'Signed-off-by: Ada',
    ' Signed-off-by: A <b@c>',
    'Signed-off-by:<a@b>',
    'Signed-off-by: A <@b>',
    'Signed-off-by: A <b@>',
  ])
    expect([line, isSignedOff(`Title\n\n${line}\n`)]).toEqual([line, false])
  expect(isSignedOff('Signed-off-by: A\n<b@c>')).toBe(false)
})

test('the longer an expression, the shorter are the texts that it is matched with, and each is matched soon', () => {
  const costly = '(a|[ab].{100}|.[ab]{100}){2}c'
  const text = `c ${'ab é'.repeat(8_000)}`
  const used_ms = measureComputing()
  expect(faultOf({ reject_non_dco_commits: true }, `Signed-off-by:${'<a@'.repeat(10_000)}`)).toContain('Signed-off-by')
  expect(faultOf({ commit_message_regex: costly }, text)).toMatch(/^its message has more than \d{4} characters/)
  expect(faultOf({ commit_message_negative_regex: costly }, text)).toMatch(/^its message has more than \d{4} characters/)
  expect(checksBy({ file_name_regex: costly }).pathFault(text)).toMatch(/^its path has more than \d{4} characters/)
  expect(checksBy({ branch_name_regex: costly }).branchFault(text)).toMatch(/has more than \d{4} characters/)
  expect(checksBy({ file_name_regex: costly }).pathFault(text.slice(0, 4_000))).toBeNull()
  expect(used_ms()).toBeLessThan(1_000)
  expect(faultOf({ commit_message_regex: '^JIRA-\\d+' }, `JIRA-1 ${'x'.repeat(32_000)}`)).toBeNull()
})
