/** Pushes of tens of thousands of refs: whole, within bounds, and out of the way of everybody else. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { type Forge, openForge, type TestProject } from '../../../../test/support/forge.ts'
import { git, gitReading, tryGit } from '../../../../test/support/git.ts'
import { inFullRun, isGate } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { inTransaction } from '../../../db/database.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { environmentsOfBranches } from '../../ci/environments/deployments.queries.ts'
import { listPipelines } from '../../ci/pipelines/lists.queries.ts'
import { lockedOnes, openFrom, targetsAmong } from '../../commands/merging/merging.queries.ts'
import { openOnBranches } from '../../review/mergeability/mergeability.queries.ts'
import { openOnes } from '../../review/versions/versions.queries.ts'
import { describePushesJob } from './pushes.jobs.ts'
import { uncountedEvents } from './pushes.queries.ts'
import { recordPush } from './record.ts'

const zero = '0'.repeat(40)
const many = 30_000
/** Git makes a file for each ref that is pushed; the whole number takes it a minute on a busy machine. */
const pushed = Number(process.env.GITSTEAD_TEST_REFS ?? (isGate ? 500 : 2_000))
/** Generous: with fifteen processes waiting for two processors it was 1.2 s. */
const longestStall_ms = 10_000

/** Commits 0 to 299, one after the other, on `main` of a bare repository; their ids, oldest first. */
async function chain(dir: string): Promise<string[]> {
  const commit = (index: number) =>
    `commit refs/heads/main\ncommitter A <a@b.c> ${1_700_000_000 + index} +0000\ndata 10\nCommit ${100 + index}\n`
  await gitReading(dir, Array.from({ length: 300 }, (_, index) => commit(index)).join('\n'), 'fast-import', '--quiet')
  return (await git(dir, 'rev-list', '--reverse', 'main')).split('\n')
}

/** As many tags as branches, each on one of the commits. */
function refsOn(oids: string[], count: number): RefChange[] {
  return Array.from({ length: count }, (_, index) => ({
    ref: `refs/${index % 2 ? 'tags' : 'heads'}/n${String(index).padStart(6, '0')}`,
    before: zero,
    after: oids[index % oids.length] as string,
  }))
}

/** Packed at once: one file. */
async function writeRefs(dir: string, changes: RefChange[], main: string): Promise<void> {
  const lines = [...changes, { ref: 'refs/heads/main', after: main }].map(({ ref, after }) => `${after} ${ref}\n`)
  await writeFile(
    join(dir, 'packed-refs'),
    `# pack-refs with: sorted\n${lines.sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1)).join('')}`,
  )
}

async function record(forge: Forge, project: TestProject, changes: RefChange[]): Promise<void> {
  const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
  await recordPush(forge.app, { project: now, user: forge.root }, changes, null)
}

/** A project whose default branch was pushed, and then many refs that are recorded. */
async function projectWithRefs(forge: Forge): Promise<{ project: TestProject; oids: string[] }> {
  const project = await forge.project({ files: null })
  const oids = await chain(project.dir)
  const first = oids[0] as string
  await git(project.dir, 'update-ref', 'refs/heads/main', first)
  await record(forge, project, [{ ref: 'refs/heads/main', before: zero, after: first }])
  await forge.drain()
  const changes = refsOn(oids, many)
  await writeRefs(project.dir, changes, first)
  await record(forge, project, changes)
  return { project, oids }
}

test(
  '30,000 refs are recorded in batches by few processes, and other requests don’t wait long',
  inFullRun('3 s of processor. The test of many refs pushes fewer.'),
  async () => {
    const forge = await openForge()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()

    const { project } = await projectWithRefs(forge)
    const { processes, statements } = await forge.cost(() => describeAll(forge, project))

    delay.disable()
    expect(await uncountedEvents(forge.app.db, project.id, 10)).toEqual([])
    const counts = await forge.app.db
      .selectFrom('events')
      .select(['ref', 'commit_count', 'commit_title'])
      .where('ref', 'in', ['refs/heads/n000000', 'refs/tags/n000001', 'refs/heads/n000100', 'refs/heads/n000400'])
      .orderBy('ref')
      .execute()
    expect(counts).toEqual([
      // At the tip of the default branch: all of its history.
      { ref: 'refs/heads/n000000', commit_count: 1, commit_title: 'Commit 100' },
      { ref: 'refs/heads/n000100', commit_count: 100, commit_title: 'Commit 200' },
      { ref: 'refs/heads/n000400', commit_count: 100, commit_title: 'Commit 200' },
      { ref: 'refs/tags/n000001', commit_count: 0, commit_title: 'Commit 101' },
    ])
    expect(processes).toBeLessThan(200)
    expect(statements).toBeLessThan(400)
    expect(delay.max / 1e6).toBeLessThan(longestStall_ms)
  },
)

/** The job, as often as it asks for itself. */
async function describeAll(forge: Forge, project: TestProject): Promise<void> {
  while ((await uncountedEvents(forge.app.db, project.id, 1)).length > 0)
    await describePushesJob.handle(forge.app, { project_id: project.id }, new AbortController().signal)
}

test(
  'a stopping process leaves the remaining batches to the queue',
  inFullRun('1 s of processor. Many refs are pushed and recorded in batches below.'),
  async () => {
    const forge = await openForge()
    const { project } = await projectWithRefs(forge)
    const stopping = new AbortController()

    const run = describePushesJob.handle(forge.app, { project_id: project.id }, stopping.signal)
    stopping.abort()

    await expect(run).rejects.toThrow()
    expect(await uncountedEvents(forge.app.db, project.id, 1)).toHaveLength(1)
  },
)

test('a push may move or delete more branches than a statement can name', async () => {
  const forge = await openForge()
  const { db } = forge.app
  const project = await forge.project()
  const last = 'n049999'
  await git(project.dir, 'branch', last, 'main')
  const { id } = await forge.mergeRequest(project, forge.root, { source_branch: last })
  const names = Array.from({ length: 50_000 }, (_, index) => `n${String(index).padStart(6, '0')}`)

  expect(await inTransaction(db, (tx) => lockedOnes(tx, project.id, names))).toEqual([])
  expect((await openFrom(db, project.id, names)).map((found) => found.id)).toEqual([id])
  expect(await targetsAmong(db, project.id, [...names, 'main'])).toEqual(['main'])
  expect((await openOnes(db, 'source', project.id, names)).map((found) => found.id)).toEqual([id])
  expect((await openOnBranches(db, project.id, names, 10)).map((found) => found.id)).toEqual([id])
  expect(await environmentsOfBranches(db, project.id, names)).toEqual([])
  const { rows } = await listPipelines(db, project.id, { scope: 'branches', order_by: 'id', sort: 'desc' }, names, { limit: 20, offset: 0 })
  expect(rows).toEqual([])
})

test('many refs are pushed at once, and more than the setting allows are refused with a sentence', async () => {
  const forge = await openForge({ limits: { max_refs_per_push: pushed } })
  const project = await forge.project({ files: null })
  const clone = await forge.folder()
  await git(clone, 'init', '--quiet', '--bare', '--initial-branch=main')
  const oids = await chain(clone)
  await writeRefs(clone, refsOn(oids, pushed), oids.at(-1) as string)
  const remote = await forge.remote(project, forge.root)
  const all = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*']

  const refused = await tryGit(clone, 'push', remote, ...all)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(
    `remote: Gitstead: A push may change at most ${pushed} refs, and this one would change ${pushed + 1}. Push them in parts.`,
  )
  expect(await git(project.dir, 'for-each-ref')).toBe('')

  await git(clone, 'push', '--quiet', remote, 'refs/heads/main')
  const { statements, processes } = await forge.cost(() => git(clone, 'push', '--quiet', remote, ...all))
  // Git itself takes a millisecond of each ref, for the file it makes; of the rest there is nothing for each.
  expect(statements).toBeLessThan(40)
  expect(processes).toBe(2)
  await forge.drain()
  expect((await git(project.dir, 'for-each-ref', '--format=%(refname)')).split('\n')).toHaveLength(pushed + 1)
  expect(await uncountedEvents(forge.app.db, project.id, 1)).toEqual([])
})
