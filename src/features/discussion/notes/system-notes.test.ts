/** The wording of system notes. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import {
  assigneesText,
  commitReference,
  descriptionTexts,
  dueDateText,
  estimateText,
  milestoneText,
  noteableReference,
  timeSpentText,
  titleText,
} from './system-notes.ts'

test.each([
  [[], ['ann'], 'unassigned @ann'],
  [['ann', 'bob'], [], 'assigned to @ann and @bob'],
  [['ann', 'bob', 'eve'], ['dan', 'kim'], 'assigned to @ann, @bob, and @eve and unassigned @dan and @kim'],
])('assignees %s instead of %s', (added, removed, body) => {
  expect(assigneesText(added, removed)).toEqual({ action: 'assignee', body })
})

test.each([
  ['Old title', 'New title', '**{-Old-} title**', '**{+New+} title**'],
  ['A title', 'A longer title', '**A title**', '**A {+longer +}title**'],
  ['A longer title', 'A title', '**A {-longer -}title**', '**A title**'],
  ['aaa', 'aa', '**aa{-a-}**', '**aa**'],
  ['😀 one', '😃 one', '**{-😀-} one**', '**{+😃+} one**'],
])('a title that was %s and is %s marks what differs', (before, after, from, to) => {
  expect(titleText(before, after).body).toBe(`changed title from ${from} to ${to}`)
})

test('a ticked task is told by its text, any other change as one of the description', () => {
  const before = '- [ ] Write\n1. [x] Read\n* [ ] Sleep'
  const bodies = (after: string | null) => descriptionTexts(before, after).map(({ body }) => body)
  expect(bodies('- [x] Write\n1. [ ] Read\n* [ ] Sleep')).toEqual([
    'marked the task **Write** as completed',
    'marked the task **Read** as incomplete',
  ])
  for (const after of ['- [x] Write more\n1. [x] Read\n* [ ] Sleep', null, 'No tasks'])
    expect(bodies(after)).toEqual(['changed the description'])
})

test('a description of a megabyte is compared in no time', () => {
  const long = `${'\n'.repeat(500_000)}${' '.repeat(200_000)}- [ ${'x'.repeat(200_000)}`
  const used_ms = measureComputing()
  expect(descriptionTexts(long, `${long}.`)).toHaveLength(1)
  expect(used_ms()).toBeLessThan(2_000)
})

test('dates, durations and milestones are told as clients know them', () => {
  expect([dueDateText('2018-09-05'), dueDateText(null)].map(({ body }) => body)).toEqual([
    'changed due date to September 5, 2018',
    'removed due date',
  ])
  expect([estimateText(7_200), estimateText(0)].map(({ body }) => body)).toEqual(['changed time estimate to 2h', 'removed time estimate'])
  expect([timeSpentText(9_000, '2018-09-20'), timeSpentText(-3_600, null), timeSpentText(null, null)].map(({ body }) => body)).toEqual([
    'added 2h 30m of time spent at 2018-09-20',
    'subtracted 1h of time spent',
    'removed time spent',
  ])
  const milestone = { iid: 3, title: 'Next one', namespace_id: null }
  expect([milestone, { ...milestone, namespace_id: 1 }, null].map((one) => milestoneText(one).body)).toEqual([
    'changed milestone to %3',
    'changed milestone to %"Next one"',
    'removed milestone',
  ])
})

test('a reference is as short as its place allows', () => {
  const issue = { iid: 5, project_path: 'group/one' }
  expect(['group/one', 'group/two', 'other/one', 'group/sub/one'].map((from) => noteableReference('issue', issue, from))).toEqual([
    '#5',
    'one#5',
    'group/one#5',
    'group/one#5',
  ])
  const oid = '1a2b3c4d5e'.repeat(4)
  expect(['group/one', 'other/one'].map((from) => commitReference(oid, 'group/one', from))).toEqual([
    `commit ${oid}`,
    `commit group/one@${oid}`,
  ])
})
