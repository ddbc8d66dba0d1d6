/** The push rules by themselves: their cost, and the same verdict for git and the API. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { type Protocol, refusalOf } from './allowed-changes.ts'
import type { Pusher } from './pusher.ts'

const zero = '0'.repeat(40)

let forge: Forge
let project: TestProject
let first: string
let last: string

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({ commits: ['1', '2'].map((a) => ({ files: { a } })) })
  ;[first = '', last = ''] = (await git(project.dir, 'rev-parse', 'main~1', 'main')).split('\n')
  const rules = ['release/*', ...Array.from({ length: 500 }, (_, index) => `plain-${index}`)]
  await forge.app.db
    .insertInto('protected_branches')
    .values(
      rules.map((name) => ({ project_id: project.id, name, push_level: 40, merge_level: 40, updated_at: '2020-01-01T00:00:00.000Z' })),
    )
    .execute()
  // Nothing is left for the queue, whose processes would count too.
  await forge.drain()
})

const byGit = (): Protocol => ({ name: 'git', quarantine: '' })
const pusher = (level: number): Pusher => ({ user: forge.root, project, level })
const judge = (changes: RefChange[], level: number = accessLevels.maintainer, protocol = byGit()) =>
  refusalOf(forge.app, pusher(level), changes, protocol)

const many = (count: number, change: (index: number) => RefChange) => Array.from({ length: count }, (_, index) => change(index))

test('twenty thousand new refs cost a few statements and no process', async () => {
  const changes = many(20_000, (index) => ({ ref: `refs/heads/release/${index}`, before: zero, after: last }))
  const used_ms = measureComputing()
  const cost = await forge.cost(async () => expect(await judge(changes)).toBeNull())
  expect(cost.processes).toBe(0)
  expect(cost.statements).toBeLessThanOrEqual(6)
  expect(used_ms()).toBeLessThan(3_000)
})

test('twenty thousand branches with the same old and new commit cost one process', async () => {
  const changes = many(20_000, (index) => ({ ref: `refs/heads/release/${index}`, before: first, after: last }))
  const forward = await forge.cost(async () => expect(await judge(changes)).toBeNull())
  expect(forward.processes).toBe(1)
  const back = changes.map(({ ref }) => ({ ref, before: last, after: first }))
  const forced = await forge.cost(async () => expect(await judge(back)).toMatch(/force push/))
  expect(forced.processes).toBe(1)
})

test('at most two hundred protected branches with different targets are moved in one push', async () => {
  const changes = many(201, (index) => ({
    ref: `refs/heads/release/${index}`,
    before: `${'f'.repeat(36)}${index.toString(16).padStart(4, '0')}`,
    after: last,
  }))
  const cost = await forge.cost(async () =>
    expect(await judge(changes)).toBe('No more than 200 protected branches can be moved by one push.'),
  )
  expect(cost.processes).toBe(0)
  const open = changes.map((change) => ({ ...change, ref: change.ref.replace('release', 'open') }))
  expect(await judge(open)).toBeNull()
})

test('a push that is not allowed costs no git process', async () => {
  const changes = many(100, (index) => ({ ref: `refs/heads/release/${index}`, before: last, after: first }))
  const cost = await forge.cost(async () => expect(await judge(changes, accessLevels.developer)).toMatch(/^You are not allowed to push/))
  expect(cost.processes).toBe(0)
})

test('an object that is no commit is no fast-forward', async () => {
  const [blob = '', tree = ''] = (await git(project.dir, 'rev-parse', 'main:a', 'main^{tree}')).split('\n')
  for (const [before, after] of [
    [last, blob],
    [last, tree],
    [blob, last],
    ['f'.repeat(40), last],
    [last, 'f'.repeat(40)],
  ] as const) {
    expect(await judge([{ ref: 'refs/heads/main', before, after }])).toMatch(/force push/)
  }
})

test.each([
  ['a new branch', { ref: 'refs/heads/new', before: zero, after: 'last' }],
  ['a protected branch', { ref: 'refs/heads/main', before: 'first', after: 'last' }],
  ['a new branch that fits a pattern', { ref: 'refs/heads/release/1', before: zero, after: 'last' }],
  ['the deletion of the default branch', { ref: 'refs/heads/main', before: 'last', after: zero }],
  ['the deletion of a branch', { ref: 'refs/heads/other', before: 'last', after: zero }],
  ['a new tag', { ref: 'refs/tags/v1', before: zero, after: 'last' }],
  ['a moved tag', { ref: 'refs/tags/v1', before: 'first', after: 'last' }],
  ['a deleted tag', { ref: 'refs/tags/v1', before: 'last', after: zero }],
  ['a ref of the service', { ref: 'refs/keep-around/x', before: zero, after: 'last' }],
  ['a branch that reads as an id', { ref: `refs/heads/${'a'.repeat(40)}`, before: zero, after: 'last' }],
])('git and the API hear the same of %s', async (_, { ref, before, after }) => {
  const real = (oid: string) => (oid === 'first' ? first : oid === 'last' ? last : oid)
  const change = { ref, before: real(before), after: real(after) }
  for (const level of [accessLevels.reporter, accessLevels.developer, accessLevels.maintainer, accessLevels.owner]) {
    expect([level, await judge([change], level, { name: 'api', is_forced: false })]).toEqual([level, await judge([change], level)])
  }
})
