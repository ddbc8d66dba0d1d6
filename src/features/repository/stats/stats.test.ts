import { expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type ShapedCommit, shape } from '../../../../test/support/fixtures/history.ts'
import { openForge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, isGate } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { enqueue } from '../../../queue/queue.ts'
import { recordPush } from '../pushes/record.ts'
import { countContributors, readTally } from './stats.counting.ts'
import { countStatsJob } from './stats.jobs.ts'
import { replaceStat } from './stats.queries.ts'
import { contributorsOf } from './stats.service.ts'

cpuBudget(7, 'Contributors are counted anew and followed through rewritten histories.')

const zero = '0'.repeat(40)
const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('')

const bob = 'Bob <bob@example.com>'
const cyd = 'cyd <Cyd@example.com>'

/** Three people on main, a merge among it, and a branch `side` that is not merged. */
const history: ShapedCommit[] = [
  { branch: 'main', files: { a: lines(10) } },
  { branch: 'topic', parents: ['main'], author: bob, files: { b: lines(5) } },
  { branch: 'main', files: { a: lines(8) } },
  { branch: 'main', parents: ['main', 'topic'], files: { b: lines(5) } },
  { branch: 'main', author: bob, files: { c: lines(3) } },
  { branch: 'main', author: cyd, files: { d: lines(1) } },
  { branch: 'main', author: bob, files: { c: null } },
  { branch: 'side', parents: ['topic'], author: cyd, files: { e: lines(9) } },
]

type Row = { name: string; email: string; commits: number; additions: number; deletions: number }

async function shapedProject(commits = history) {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null, visibility: 'public' })
  await shape(project.dir, commits)
  await recorded(project, 'main')
  const path = `/projects/${project.id}/repository/contributors`
  const get = async (query = '') => (await forge.as(owner).get(path + query)).body as Row[]
  return { forge, owner, project, path, get }
}

/** Tells the service that the branch is where it is, as a push does. */
async function recorded(project: TestProject, branch: string, before = zero): Promise<void> {
  const { app, root } = await testForge()
  const { project: now } = await findProject(app.db, String(project.id), root)
  const after = await git(project.dir, 'rev-parse', branch)
  await recordPush(app, { project: now, user: root }, [{ ref: `refs/heads/${branch}`, before, after }], null)
}

/** A push that moves main there, whether or not it is a fast-forward. */
async function moveMain(project: TestProject, revision: string): Promise<void> {
  const before = await git(project.dir, 'rev-parse', 'main')
  await git(project.dir, 'update-ref', 'refs/heads/main', await git(project.dir, 'rev-parse', revision))
  await recorded(project, 'main', before)
}

/** Counts with git, one commit at a time, by e-mail address. */
async function countedByGit(project: TestProject, branch = 'main'): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (const oid of (await git(project.dir, 'rev-list', '--no-merges', '--date-order', branch)).split('\n')) {
    const [email = '', name = ''] = (await git(project.dir, 'show', '-s', '--format=%ae%n%an', oid)).split('\n')
    const row = rows.get(email) ?? { name, email, commits: 0, additions: 0, deletions: 0 }
    rows.set(email, row)
    row.commits += 1
    const files = await git(project.dir, 'diff-tree', '--root', '-r', '--no-renames', '--no-commit-id', '--numstat', oid)
    for (const [, added, deleted] of files.matchAll(/^(\d+)\t(\d+)\t/gm)) {
      row.additions += Number(added)
      row.deletions += Number(deleted)
    }
  }
  return byEmail([...rows.values()])
}

function byEmail<T extends { email: string }>(rows: T[]): T[] {
  return rows.sort((a, b) => (a.email < b.email ? -1 : 1))
}

/** Reads the rows from the database, bypassing the cache. */
async function stored(project: TestProject): Promise<{ tip: string; rows: Row[] }> {
  const { app } = await testForge()
  const { row, tally } = await readTally(app, project.id)
  const rows = [...tally.contributors.values()].map(({ newest: _, months: __, ...contributor }) => contributor)
  return { tip: row?.tip ?? '', rows: byEmail(rows) }
}

test('contributors are those of the default branch, with the commits and lines git counts', async () => {
  const { project, path, get, forge } = await shapedProject()
  expect(await get('?order_by=email')).toEqual([
    { name: 'Ada', email: 'ada@example.com', commits: 2, additions: 10, deletions: 2 },
    { name: 'Bob', email: 'bob@example.com', commits: 3, additions: 8, deletions: 3 },
    { name: 'cyd', email: 'Cyd@example.com', commits: 1, additions: 1, deletions: 0 },
  ])
  expect(byEmail(await get())).toEqual(await countedByGit(project))
  expect((await forge.anonymous.get(path)).body).toEqual(await get())
})

test.each([
  ['', ['cyd', 'Ada', 'Bob']],
  ['?sort=desc', ['Bob', 'Ada', 'cyd']],
  ['?order_by=name', ['Ada', 'Bob', 'cyd']],
  ['?order_by=name&sort=desc', ['cyd', 'Bob', 'Ada']],
  ['?order_by=email&sort=desc', ['cyd', 'Bob', 'Ada']],
  ['?per_page=2', ['cyd', 'Ada']],
  ['?per_page=2&page=2', ['Bob']],
  ['?per_page=2&page=3', []],
])('the list %j is in its order', async (query, names) => {
  shared ??= shapedProject()
  const { get } = await shared
  expect((await get(query)).map(({ name }) => name)).toEqual(names)
})
let shared: ReturnType<typeof shapedProject> | undefined

test('contributors with equal counts are ordered by email, so that pages have no gaps', async () => {
  const authors = ['d', 'b', 'c', 'a', 'e']
  const { get } = await shapedProject(authors.map((author) => ({ branch: 'main', author: `Same <${author}@example.com>` })))
  for (const query of ['?order_by=commits', '?order_by=name', '?order_by=commits&sort=desc']) {
    const pages = await Promise.all([1, 2, 3].map((page) => get(`${query}&per_page=2&page=${page}`)))
    expect(pages.flat().map(({ email }) => email[0])).toEqual(['a', 'b', 'c', 'd', 'e'])
  }
})

test('an unknown order is refused with 400', async () => {
  const { forge, owner, path } = await shapedProject([{ branch: 'main' }])
  for (const query of ['order_by=additions', 'order_by=', 'sort=down', 'per_page=x']) {
    expect([query, (await forge.as(owner).get(`${path}?${query}`)).status]).toEqual([query, 400])
  }
})

test('a private project shows its contributors to reporters, and its languages to guests', async () => {
  const forge = await testForge()
  const [guest, reporter, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ guest, reporter, files: { 'a.rb': '1' } })
  const statuses = async (path: string) => {
    const clients = [forge.anonymous, forge.as(stranger), forge.as(guest), forge.as(reporter)]
    return Promise.all(clients.map(async (client) => (await client.get(`/projects/${project.id}/${path}`)).status))
  }
  expect(await statuses('repository/contributors')).toEqual([404, 404, 403, 200])
  expect(await statuses('languages')).toEqual([404, 404, 200, 200])
})

test('an empty repository has neither contributors nor languages', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const contributors = await forge.as(forge.root).get(`/projects/${project.id}/repository/contributors`)
  expect([contributors.status, contributors.body, contributors.headers['x-total']]).toEqual([200, [], '0'])
  expect((await forge.as(forge.root).get(`/projects/${project.id}/languages`)).body).toEqual({})
})

// Here it is git that is counted, and the row is read and replaced as elsewhere.
test.skipIf(engine === 'postgres').each(isGate ? ['topic'] : ['main~1', 'main~4', 'topic', 'side'])(
  'after main was forced to %s and back, all is as a new count has it',
  inFullRun('Half a second of processor. `contributors.test.ts` counts from any tip to any other.'),
  async (to) => {
    for (const by of ['requests', 'the queue']) {
      const { project, get, forge } = await shapedProject()
      await forge.drain()
      const main = await git(project.dir, 'rev-parse', 'main')
      for (const tip of [to, main]) {
        await moveMain(project, tip)
        if (by === 'the queue') await forge.drain()
        expect([by, byEmail(await get())]).toEqual([by, await countedByGit(project)])
        await forge.drain()
        expect([by, await stored(project)]).toEqual([
          by,
          { tip: await git(project.dir, 'rev-parse', 'main'), rows: await countedByGit(project) },
        ])
      }
    }
  },
)

test('another default branch has other contributors', async () => {
  const { project, get, forge, owner } = await shapedProject()
  await get()
  expect((await forge.as(owner).put(`/projects/${project.id}`, { default_branch: 'side' })).status).toBe(200)
  expect(byEmail(await get())).toEqual(await countedByGit(project, 'side'))
})

test('a tag named as the default branch is not the default branch', async () => {
  const { project, get } = await shapedProject()
  await git(project.dir, 'update-ref', 'refs/tags/main', 'refs/heads/side')
  expect(byEmail(await get())).toEqual(await countedByGit(project, 'refs/heads/main'))
})

test('the queue counts after a push to the default branch, and after no other', async () => {
  const { project, forge } = await shapedProject()
  await forge.drain()
  const main = await git(project.dir, 'rev-parse', 'refs/heads/main')
  expect((await stored(project)).tip).toBe(main)
  await shape(project.dir, [{ branch: 'main', parents: ['main'], author: bob }])
  const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
  await recordPush(forge.app, { project: now, user: forge.root }, [{ ref: 'refs/tags/main', before: zero, after: main }], null)
  await recorded(project, 'side')
  await forge.drain()
  expect((await stored(project)).tip).toBe(main)
  await recorded(project, 'main', main)
  await forge.drain()
  expect((await stored(project)).tip).toBe(await git(project.dir, 'rev-parse', 'main'))
})

test(
  'requests and jobs that count at once count every commit once',
  inFullRun('Half a second of processor. A newer stored result is not replaced, below.'),
  async () => {
    const { project, forge } = await shapedProject()
    const { app } = forge
    // A job of the first push could store its count after the ref has moved, and no other job would follow.
    await forge.drain()
    for (const revision of ['side', 'main', 'topic', 'side']) {
      const before = await readTally(app, project.id)
      const tip = await git(project.dir, 'rev-parse', revision)
      await git(project.dir, 'update-ref', 'refs/heads/main', tip)
      const { project: now } = await findProject(app.db, String(project.id), forge.root)
      await Promise.all([
        contributorsOf(app, now),
        countStatsJob.handle(app, { project_id: project.id }),
        countStatsJob.handle(app, { project_id: project.id }),
        // Two that read the row long ago, of which one breaks off, and leaves the rest to the queue.
        countContributors(app, project.id, structuredClone(before), tip, { max_ms: 10_000 }),
        countContributors(app, project.id, structuredClone(before), tip, { max_ms: 0 }).then(async (counted) => {
          if (!counted) await enqueue(app.db, countStatsJob, { project_id: project.id })
        }),
      ])
      await forge.drain()
      expect(await stored(project)).toEqual({ tip, rows: await countedByGit(project) })
    }
  },
)

test('a newer stored result is not replaced', async () => {
  const { project, forge } = await shapedProject()
  await forge.drain()
  const before = await stored(project)
  for (const stale of [null, { tip: '1'.repeat(40), facts: '[]' }]) {
    await replaceStat(forge.app.db, project.id, 'contributors', stale, { tip: '2'.repeat(40), facts: '[]' })
    expect(await stored(project)).toEqual(before)
  }
})

test.skipIf(engine === 'postgres')(
  'a count that ended in the middle goes on from there, and a job that runs twice counts once',
  async () => {
    const { project, forge } = await shapedProject()
    await forge.drain()
    const { app } = forge
    const tips = await Promise.all(['side', 'main~3', 'main'].map((revision) => git(project.dir, 'rev-parse', revision)))
    for (const tip of tips) {
      for (let step = 0; step < 3; step++) {
        const { row, tally } = await readTally(app, project.id)
        expect(await countContributors(app, project.id, { row, tally }, tip, { max_ms: 0 })).toBeNull()
        // This much was stored by one that ended here; the next goes on from it.
        expect((await stored(project)).tip).not.toBe(row?.tip)
      }
      await git(project.dir, 'update-ref', 'refs/heads/main', tip)
      await countStatsJob.handle(app, { project_id: project.id })
      await countStatsJob.handle(app, { project_id: project.id })
      expect(await stored(project)).toEqual({ tip, rows: await countedByGit(project) })
    }
  },
)

test('a request that is far behind waits for the queue, and fails with a reason when that takes too long', async () => {
  const { project, forge, path, owner } = await shapedProject([{ branch: 'main', files: { a: lines(2) } }])
  await forge.drain()
  const many = Array.from({ length: 600 }, (_, index) => ({ branch: 'main', files: { [`f${index % 10}`]: `${index}\n` } }))
  await shape(project.dir, [{ branch: 'main', parents: ['main'] }, ...many])
  const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
  await expect(contributorsOf(forge.app, now, 0)).rejects.toMatchObject({
    status: 503,
    body: { message: '503 This is still being counted; try again in a few seconds' },
  })
  await forge.drain()
  const { status, body } = await forge.as(owner).get(path)
  expect([status, body]).toEqual([200, [{ name: 'Ada', email: 'ada@example.com', commits: 602, additions: 602, deletions: 590 }]])
})

test('when counted commits are gone from the repository, everything is counted again', async () => {
  const { project, forge, get } = await shapedProject()
  await forge.drain()
  await forge.app.db
    .updateTable('repository_facts')
    .set({ tip: '1'.repeat(40) })
    .where('project_id', '=', project.id)
    .execute()
  await moveMain(project, 'side')
  await forge.drain()
  expect((await stored(project)).rows).toEqual(await countedByGit(project))
  expect(byEmail(await get())).toEqual(await countedByGit(project))
})

test('a project that is gone is not counted', async () => {
  const { project, forge, owner } = await shapedProject()
  const { row, tally } = await readTally(forge.app, project.id)
  const tip = await git(project.dir, 'rev-parse', 'side')
  await forge.as(owner).delete(`/projects/${project.id}`)
  await countStatsJob.handle(forge.app, { project_id: project.id })
  await replaceStat(forge.app.db, project.id, 'contributors', null, { tip, facts: '[]' })
  expect([row === null || tally.heads.length > 0, await readTally(forge.app, project.id)]).toEqual([
    true,
    { row: null, tally: { heads: [], contributors: new Map() } },
  ])
})

test('languages are given in percent of the bytes on the default branch, largest first', async () => {
  const { project, forge, owner } = await shapedProject([
    {
      branch: 'main',
      files: {
        'lib/a.rb': 'x'.repeat(200),
        Rakefile: 'x'.repeat(100),
        'app.js': 'x'.repeat(100),
        'a.css': 'x'.repeat(50),
        'empty.py': '',
        'README.md': 'x'.repeat(1_000),
        'node_modules/a/index.js': 'x'.repeat(1_000),
        'docs/a.html': 'x'.repeat(1_000),
      },
    },
    { branch: 'side', parents: ['main'], files: { 'a.go': 'x'.repeat(1_000) } },
  ])
  const languages = async () => (await forge.as(owner).get(`/projects/${project.id}/languages`)).text
  expect(await languages()).toBe('{"Ruby":66.67,"JavaScript":22.22,"CSS":11.11}')
  expect((await forge.anonymous.get(`/projects/${project.id}/languages`)).text).toBe(await languages())
  await moveMain(project, 'side')
  expect(await languages()).toBe('{"Go":68.97,"Ruby":20.69,"JavaScript":6.9,"CSS":3.45}')
  await moveMain(project, 'main~1')
  await forge.drain()
  expect(await languages()).toBe('{"Ruby":66.67,"JavaScript":22.22,"CSS":11.11}')
})

test('a repository of prose and data only has no languages', async () => {
  const { project, forge, owner } = await shapedProject([{ branch: 'main', files: { 'README.md': '# x\n', 'a.json': '{}' } }])
  const { status, body } = await forge.as(owner).get(`/projects/${project.id}/languages`)
  expect([status, body]).toEqual([200, {}])
})

test.skipIf(engine === 'postgres')(
  'languages of a tree of 100,000 files are counted in the request',
  inFullRun('3 s of processor. Smaller trees are counted in languages.test.ts.'),
  async () => {
    const forge = await openForge()
    const files = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`d${index % 300}/f${index}.${index % 4 ? 'c' : 'py'}`, 'x']),
    )
    const project = await forge.project({ files })
    const { status, body } = await forge.as(forge.root).get(`/projects/${project.id}/languages`)
    expect([status, body]).toEqual([200, { C: 75, Python: 25 }])
  },
)
