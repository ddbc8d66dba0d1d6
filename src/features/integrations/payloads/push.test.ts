/** The payload of a push: however many commits it has, the newest twenty are told, and how many there are. */
import { expect, test } from 'vitest'
import { type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { makeBody } from './payloads.ts'

/** Commits on `main`, one after the other. */
async function grow({ dir }: TestProject, count: number): Promise<void> {
  const commit = (index: number) =>
    `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata <<E\nCommit ${index}\nE\n${index === 1 ? 'from refs/heads/main^0\n' : ''}\n`
  await gitReading(dir, Array.from({ length: count }, (_, index) => commit(index + 1)).join(''), 'fast-import', '--quiet')
}

async function tellsTheNewest(count: number): Promise<void> {
  const forge = await testForge()
  const project = await forge.project()
  const before = await git(project.dir, 'rev-parse', 'main')
  await grow(project, count)
  const after = await git(project.dir, 'rev-parse', 'main')
  const facts = { kind: 'push', project_id: project.id, user_id: forge.root.id, change: { ref: 'refs/heads/main', before, after } }
  const body = (await makeBody(forge.app, JSON.stringify(facts))) ?? ''
  const { commits, total_commits_count } = JSON.parse(body)
  expect([total_commits_count, commits.length, commits.at(-1).id, commits[0].title]).toEqual([count, 20, after, `Commit ${count - 19}`])
  expect(body.length).toBeLessThan(20_000)
}

test('of a push of thirty commits the newest twenty are told, the oldest of them first', () => tellsTheNewest(30))

test('of a push of 100,000 commits, too', { ...inFullRun('100,000 commits; the test before it has thirty.'), timeout: 120_000 }, () =>
  tellsTheNewest(100_000),
)
