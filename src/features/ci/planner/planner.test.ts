/** Files of users in the sandbox: whatever they say, the server goes on, and their authors are told. */
import { expect, test } from 'vitest'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import type { IncludeLoader } from '../../../ci/plan.ts'
import { type LookUps, openPlanner, type PlannedFor } from './planner.ts'

const context: PlannedFor = {
  ...{ source: 'push', ref: 'main', ref_kind: 'branch', project_path: 'a/b', predefined: [] },
  stored: [
    { id: 1, key: 'WHERE', value: 'everywhere', raw: false, file: false, environment_scope: '*', nearness: 1 },
    { id: 2, key: 'WHERE', value: 'review', raw: false, file: false, environment_scope: 'review/*', nearness: 1 },
  ],
  given: [],
}
const lookUps: LookUps = {
  load: async () => ({ error: 'nothing is here' }),
  changedPaths: async () => null,
  files: async () => null,
}
const job = (source: string) => ({ source, context, ignores_rules: false, with_yaml: true })
/** For the tests that don't need one of their own: a process takes half a second to start from its sources. */
const planner = openPlanner()
const jobsOf = (found: Awaited<ReturnType<ReturnType<typeof openPlanner>['plan']>>) =>
  'planned' in found && found.planned.outcome === 'planned' ? found.planned.plan.jobs.map(({ name }) => name) : found

test('a file is planned with what it asks for: includes below includes, changes, files, variables of environments', async () => {
  const asked: unknown[] = []
  const load: IncludeLoader = async (entry, from, max_chars) => {
    const file = 'file' in entry ? entry.file : ''
    asked.push([file, from, max_chars])
    if (file === '/ci/*.yml') return { among: ['ci/a.yml', 'ci/b.txt', 'x'], origin: { of: 'all' } }
    const text = file === 'ci/a.yml' ? 'include: below.yml\na: {script: x}' : 'below: {script: x}'
    return { file: { location: file, text, origin: { of: file } } }
  }
  const text = `include: /ci/*.yml
changed: {script: x, rules: [{changes: [src/*]}]}
unchanged: {script: x, rules: [{changes: [doc/*]}]}
there: {script: x, rules: [{exists: ['*.md']}]}
review: {script: x, environment: review/1, rules: [{if: $WHERE == "review"}]}
elsewhere: {script: x, environment: other, rules: [{if: $WHERE == "review"}]}`
  const changedPaths = async () => ['src/a']
  const files = async () => ['README.md']

  const found = await planner.plan('ada', job(text), { load, changedPaths, files })

  expect(jobsOf(found)).toEqual(['below', 'a', 'changed', 'there', 'review'])
  expect(asked).toEqual([
    ['/ci/*.yml', null, 1_048_576],
    ['ci/a.yml', { of: 'all' }, 1_048_576],
    ['below.yml', { of: 'ci/a.yml' }, 1_048_576],
  ])
})

test(
  'a file that takes too long, and one that takes too much memory, are errors of the file, and the next one is read',
  inFullRun('Half a second of processor. `sandbox.test.ts` ends jobs that take too long.'),
  async () => {
    const hasty = openPlanner({ longest_ms: 1 })
    const poor = openPlanner({ max_mb: 12 })
    const large = Array.from({ length: 9_000 }, (_, at) => `j${at}: {script: [x, y, z]}`).join('\n')

    const late = await hasty.plan('ada', job('a: {script: x}'), lookUps)
    const full = await poor.plan('ada', job(large), lookUps)

    const given_up = { errors: ['The file takes too much time or memory to read'], warnings: [], includes: [] }
    expect([late, full]).toEqual([given_up, given_up])
    expect(jobsOf(await poor.plan('ada', job('a: {script: x}'), lookUps))).toEqual(['a'])
  },
)

test('what looking up throws is thrown, and time that it takes is not the file’s', async () => {
  const { plan } = planner
  const load = async () => {
    throw new Error('the database is away')
  }
  await expect(plan('ada', job('include: x.yml\na: {script: x}'), { ...lookUps, load })).rejects.toThrow('the database is away')
})

test('a few lines of defaults don’t make a pipeline of gigabytes', async () => {
  const text = `default: {before_script: ['${'x'.repeat(100_000)}']}\n${Array.from({ length: 20 }, (_, at) => `j${at}: {script: x, parallel: 50}`).join('\n')}`

  const found = await planner.plan('ada', job(text), lookUps)

  expect('planned' in found && found.planned).toEqual({ outcome: 'invalid', errors: ['The jobs of the pipeline are too big'] })
})

test('the coverage is found in a text, and a pattern that takes too long finds none', async () => {
  expect(await planner.coverage('project 1', 'so\n(93.5%) covered\n', '/\\d+\\.\\d+%/')).toBe(93.5)
  expect(await openPlanner({ longest_ms: 1 }).coverage('project 1', '7%', '\\d+%')).toBeNull()
})
