import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { git, seed } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { run } from '../../../git/repository/repository.ts'
import { recordPush } from './record.ts'

const zero = '0'.repeat(40)

/** A project without a push, in whose repository these branches are already. */
async function pushed(...branches: string[]) {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  await seed(
    project.dir,
    branches.map((branch) => ({ branch, files: { 'README.md': branch } })),
  )
  const record = async (changes: Array<{ ref: string; before?: string; after?: string }>) => {
    const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
    await recordPush(
      forge.app,
      { project: now, user: forge.root },
      changes.map((change) => ({ before: zero, after: 'a'.repeat(40), ...change })),
      null,
    )
    return (await forge.as(forge.root).get(`/projects/${project.id}?statistics=true`)).body
  }
  return { forge, project, record }
}

test('the default branch stays, whatever is pushed later', async () => {
  const { project, record } = await pushed('work', 'main')
  expect((await record([{ ref: 'refs/heads/work' }])).default_branch).toBe('work')
  expect((await record([{ ref: 'refs/heads/main' }])).default_branch).toBe('work')
  expect(await git(project.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/work')
})

test('a deletion, a tag and a ref of another kind choose no default branch', async () => {
  const { record } = await pushed('main')
  const changes = [{ ref: 'refs/heads/main', after: zero }, { ref: 'refs/tags/main' }, { ref: 'refs/notes/main' }]
  expect((await record(changes)).default_branch).toBeNull()
})

test('a push updates its project’s activity, and the queue updates its statistics', async () => {
  const { forge, project, record } = await pushed('main', 'main', 'main')
  await forge.app.db.updateTable('projects').set({ last_activity_at: '2020-01-01T00:00:00.000Z' }).where('id', '=', project.id).execute()
  const before = await record([{ ref: 'refs/heads/main' }])
  expect(Date.parse(before.last_activity_at)).toBeGreaterThan(Date.now() - 60_000)

  await forge.drain()
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}?statistics=true`)
  expect(body.statistics.commit_count).toBe(3)
  expect(body.statistics.repository_size).toBeGreaterThan(0)
})

test('the commits of a push are counted as they were at its time, however late the queue comes to it', async () => {
  const { forge, project, record } = await pushed('main', 'main', 'main')
  const [first = '', second = '', third = ''] = (await git(project.dir, 'rev-list', '--reverse', 'main')).split('\n')
  await record([{ ref: 'refs/heads/main', after: first }])
  await record([{ ref: 'refs/heads/topic', after: second }])
  await record([{ ref: 'refs/heads/main', before: first, after: third }])
  await forge.drain()

  const events = await forge.app.db
    .selectFrom('events')
    .select(['ref', 'commit_count'])
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .orderBy('id')
    .execute()
  expect(events).toEqual([
    { ref: 'refs/heads/main', commit_count: 1 },
    { ref: 'refs/heads/topic', commit_count: 1 },
    { ref: 'refs/heads/main', commit_count: 2 },
  ])
})

test(
  'a folder too large to read doesn’t block pushes to its project',
  inFullRun('1 s of processor. Two million entries in a folder; nothing else is about its size.'),
  async () => {
    const { forge, project } = await pushed('main')
    const entry = Buffer.concat([Buffer.from('100644 0000000\0'), Buffer.alloc(20, 1)])
    const entries = Buffer.alloc(2_000_000 * entry.length)
    for (let index = 0; index < 2_000_000; index += 1) {
      entry.write(String(index).padStart(7, '0'), 7, 'latin1')
      entry.copy(entries, index * entry.length)
    }
    const repo = forge.app.git.open(project.id)
    const args = ['-c', 'core.compression=1', 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally']
    const tree = (await run(repo, args, { input: entries })).toString().trim()
    const tip = await git(project.dir, 'commit-tree', '-m', 'Wide', tree)
    await git(project.dir, 'update-ref', 'refs/heads/main', tip)
    const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
    await recordPush(forge.app, { project: now, user: forge.root }, [{ ref: 'refs/heads/main', before: zero, after: tip }], null)
    expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body).toMatchObject({ default_branch: 'main', readme_url: null })
  },
)
