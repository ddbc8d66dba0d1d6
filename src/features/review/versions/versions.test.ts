import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { connectSubscribers, inSameTransaction, joined } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { subscribers } from '../../subscribers.ts'
import { removeMergeRequestIn } from '../merge-requests/merge-requests.ts'

cpuBudget(6, 'Each version is a push by git.')

interface Prepared {
  forge: Forge
  author: TestUser
  project: TestProject
  request: MergeRequest
}

/** A project whose branch `topic` has two commits that `main` doesn't, and a merge request of it. */
async function prepared(): Promise<Prepared> {
  const forge = await testForge()
  const author = await forge.user()
  const project = await forge.project({
    maintainer: author,
    commits: [{ files: { 'a.txt': 'one\ntwo\n', 'gone.txt': 'x\n' } }],
  })
  const dir = await clone(project.dir)
  await git(dir, 'checkout', '--quiet', '-b', 'topic')
  await commit(dir, { 'a.txt': 'one\n2\nthree\n' }, 'Second')
  await git(dir, 'rm', '--quiet', 'gone.txt')
  await commit(dir, { 'b.txt': 'b\n' }, 'Third')
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  const request = await forge.mergeRequest(project, author, { source_branch: 'topic' })
  return { forge, author, project, request }
}

const pathOf = ({ project, request }: Prepared, rest: string) => `/projects/${project.id}/merge_requests/${request.iid}/${rest}`
const oidOf = ({ project }: Prepared, name: string) => git(project.dir, 'rev-parse', name)

async function get(it: Prepared, rest: string) {
  const { status, body } = await it.forge.as(it.author).get(pathOf(it, rest))
  expect([rest, status]).toEqual([rest, 200])
  return body
}

async function push(
  it: Prepared,
  files: Record<string, string>,
  { from = 'topic', to = from, force = false }: { from?: string; to?: string; force?: boolean } = {},
) {
  const dir = await clone(await it.forge.remote(it.project, it.author), '--branch', from)
  const oid = await commit(dir, files)
  await git(dir, 'push', '--quiet', ...(force ? ['--force'] : []), 'origin', `HEAD:refs/heads/${to}`)
  return oid
}

test('the first version has the commits, the files and the ends of both branches, and refs that keep them', async () => {
  const it = await prepared()
  const [base, head] = [await oidOf(it, 'main'), await oidOf(it, 'topic')]

  const versions = await get(it, 'versions')
  expect(versions).toEqual([
    {
      id: expect.any(Number),
      merge_request_id: it.request.id,
      base_commit_sha: base,
      start_commit_sha: base,
      head_commit_sha: head,
      state: 'collected',
      real_size: '3',
      patch_id_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      created_at: expect.any(String),
    },
  ])
  const detail = await get(it, `versions/${versions[0].id}`)
  expect(detail.commits.map(({ title }: { title: string }) => title)).toEqual(['Third', 'Second'])
  expect(detail.diffs.map((file: Record<string, unknown>) => [file.new_path, file.new_file, file.deleted_file, file.diff])).toEqual([
    ['a.txt', false, false, '@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n'],
    ['b.txt', true, false, '@@ -0,0 +1 @@\n+b\n'],
    ['gone.txt', false, true, '@@ -1 +0,0 @@\n-x\n'],
  ])
  expect((await git(it.project.dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').slice(1)).toEqual([
    `refs/heads/topic ${head}`,
    ...[base, head].sort().map((oid) => `refs/keep-around/${oid} ${oid}`),
    `refs/merge-requests/${it.request.iid}/head ${head}`,
  ])
})

test('commits, files with pages, and the plain diff are those of the newest version', async () => {
  const it = await prepared()
  const { body: commits, headers } = await it.forge.as(it.author).get(pathOf(it, 'commits?per_page=1'))
  expect([commits.map(({ title }: { title: string }) => title), headers['x-total']]).toEqual([['Third'], '2'])
  const { body: files, headers: ofFiles } = await it.forge.as(it.author).get(pathOf(it, 'diffs?per_page=2&page=2&unidiff=true'))
  expect([files.length, files[0].diff, ofFiles['x-total']]).toEqual([1, '--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', '3'])
  const raw = await it.forge.as(it.author).get(pathOf(it, 'raw_diffs'))
  expect(raw.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(raw.text).toBe(`${await git(it.project.dir, 'diff-tree', '-p', '-M', 'main', 'topic')}\n`)
})

test('a push makes a version before anybody reads, and one that the queue makes is the same', async () => {
  const it = await prepared()
  await get(it, 'versions')
  const read = await push(it, { 'c.txt': 'c\n' })
  expect((await get(it, 'versions')).map(({ head_commit_sha }: { head_commit_sha: string }) => head_commit_sha)[0]).toBe(read)

  const queued = await push(it, { 'd.txt': 'd\n' })
  await it.forge.drain()
  const row = await it.forge.app.db.selectFrom('merge_requests').select('head_oid').where('id', '=', it.request.id).executeTakeFirst()
  expect(row?.head_oid).toBe(queued)
  expect(await git(it.project.dir, 'rev-parse', `refs/merge-requests/${it.request.iid}/head`)).toBe(queued)
  const versions = await get(it, 'versions')
  expect(versions.map(({ real_size }: { real_size: string }) => real_size)).toEqual(['5', '4', '3'])
  expect(await it.forge.app.db.selectFrom('pending_versions').selectAll().where('merge_request_id', '=', it.request.id).execute()).toEqual(
    [],
  )
})

test(
  'many who read at once after a push find one version of it',
  inFullRun('Half a second of processor. A version that the queue makes is the same as that of a reader, above.'),
  async () => {
    const it = await prepared()
    await get(it, 'versions')
    await push(it, { 'c.txt': 'c\n' })
    const [lists] = await Promise.all([Promise.all(Array.from({ length: 8 }, () => get(it, 'versions'))), it.forge.drain()])
    expect(lists.map((list) => list.length)).toEqual(Array(8).fill(2))
  },
)

test('a push tells which commits came, from where, and whether some went', async () => {
  const it = await prepared()
  await get(it, 'versions')
  const events: Array<EventOf<'merge_request_pushed'>> = []
  const recorder = {
    merge_request_pushed: [inSameTransaction(async (_, event: EventOf<'merge_request_pushed'>) => void events.push(event))],
  }
  const stop = connectSubscribers(joined(subscribers, recorder))
  const before = await oidOf(it, 'topic')
  const onward = await push(it, { 'c.txt': 'c\n' })
  await get(it, 'versions')
  // The target goes on, and the source merges it.
  const dir = await clone(await it.forge.remote(it.project, it.author))
  const ofTarget = await commit(dir, { 'main.txt': 'm\n' }, 'On main')
  await git(dir, 'push', '--quiet', 'origin', 'main')
  await git(dir, 'checkout', '--quiet', 'topic')
  await git(dir, 'merge', '--quiet', '--no-ff', '-m', 'Merge main', 'main')
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  const merged = await git(dir, 'rev-parse', 'HEAD')
  await get(it, 'versions')
  await git(dir, 'reset', '--quiet', '--hard', before)
  const rewritten = await commit(dir, { 'z.txt': 'z\n' })
  await git(dir, 'push', '--quiet', '--force', 'origin', 'topic')
  const versions = await get(it, 'versions')
  stop()

  expect(versions.length).toBe(4)
  expect(events.map(({ before_oid, added_oids, existing_oids, is_forced }) => [before_oid, added_oids, existing_oids, is_forced])).toEqual([
    [before, [onward], [], false],
    [onward, [merged], [ofTarget], false],
    [merged, [rewritten], [], true],
  ])
  expect(events.map(({ actor_id }) => actor_id)).toEqual(Array(3).fill(it.author.id))
})

test(
  'versions of a rewritten and then deleted branch can be read after every housekeeping',
  inFullRun(
    'Half a second of processor. The refs that keep commits are there in the first test; `housekeeping.test.ts` keeps what refs lead to.',
  ),
  async () => {
    const it = await prepared()
    const [first] = await get(it, 'versions')
    await push(it, { 'z.txt': 'z\n' }, { from: 'main', to: 'topic', force: true })
    await get(it, 'versions')
    await git(it.project.dir, 'update-ref', '-d', 'refs/heads/topic')
    await git(it.project.dir, 'repack', '-a', '-d', '--quiet')
    await git(it.project.dir, 'prune', '--expire=now')
    it.forge.app.git.objects.release(it.project.dir)

    const [newest] = await get(it, 'versions')
    for (const [{ id }, files] of [
      [first, 3],
      [newest, 1],
    ] as const) {
      expect((await get(it, `versions/${id}`)).diffs.length).toBe(files)
    }
    expect((await get(it, `versions/${first.id}`)).diffs[1].diff).toBe('@@ -0,0 +1 @@\n+b\n')
  },
)

test(
  'a target that takes a part of the commits, or is rewritten, makes a version; one that merely goes on makes none',
  inFullRun('2 s of processor. Pushes that make a version are above.'),
  async () => {
    const it = await prepared()
    const second = await oidOf(it, 'topic~1')
    await get(it, 'versions')
    await push(it, { 'main.txt': 'm\n' }, { from: 'main' })
    await it.forge.drain()
    expect((await get(it, 'versions')).length).toBe(1)

    const dir = await clone(await it.forge.remote(it.project, it.author))
    await git(dir, 'merge', '--quiet', '-m', 'A part', second)
    await git(dir, 'push', '--quiet', 'origin', 'main')
    await it.forge.drain()
    const [part] = await get(it, 'versions')
    expect([part.base_commit_sha, part.real_size]).toEqual([second, '2'])
    expect(await git(it.project.dir, 'rev-parse', 'main')).toBe(part.start_commit_sha)
  },
)

test(
  'a target that contains the request leaves its last version as it is',
  inFullRun('Half a second of processor. A target that takes a part of the commits makes a version, above.'),
  async () => {
    const it = await prepared()
    await get(it, 'versions')
    const dir = await clone(await it.forge.remote(it.project, it.author))
    await git(dir, 'merge', '--quiet', '--no-ff', '-m', 'By hand', 'origin/topic')
    await git(dir, 'push', '--quiet', 'origin', 'main')
    await it.forge.drain()
    expect((await get(it, 'versions')).map(({ real_size }: { real_size: string }) => real_size)).toEqual(['3'])
  },
)

test('a deleted merge request takes its refs along, and commits that are kept stay', async () => {
  const it = await prepared()
  await get(it, 'versions')
  await inTransaction(it.forge.app.db, (tx) => removeMergeRequestIn(tx, it.author.id, it.request.id))
  await it.forge.drain()
  const refs = await git(it.project.dir, 'for-each-ref', '--format=%(refname)')
  expect([refs.includes('merge-requests'), refs.includes(`refs/keep-around/${await oidOf(it, 'topic')}`)]).toEqual([false, true])
})

test(
  'refs that a crash left out are written by the queue',
  inFullRun('Half a second of processor. A version that the queue makes has the refs of the first, above.'),
  async () => {
    const it = await prepared()
    await get(it, 'versions')
    await git(it.project.dir, 'update-ref', '-d', `refs/merge-requests/${it.request.iid}/head`)
    await it.forge.app.db
      .updateTable('jobs')
      .set({ run_at: new Date(0).toISOString() })
      .where('name', '=', 'merge_requests.write_refs')
      .execute()
    await it.forge.drain()
    expect(await oidOf(it, `refs/merge-requests/${it.request.iid}/head`)).toBe(await oidOf(it, 'topic'))
  },
)

test('who can’t see the merge request, and a version of another one, get 404', async () => {
  const it = await prepared()
  const other = await prepared()
  const [version] = await get(other, 'versions')
  const stranger = await it.forge.user()
  for (const rest of ['versions', 'diffs', 'raw_diffs', 'commits']) {
    expect((await it.forge.as(stranger).get(pathOf(it, rest))).status).toBe(404)
  }
  for (const id of [version.id, 0, 'x', '9'.repeat(17)]) {
    expect([400, 404]).toContain((await it.forge.as(it.author).get(pathOf(it, `versions/${id}`))).status)
  }
  expect((await it.forge.as(it.author).get(pathOf(it, `versions/${version.id}`))).status).toBe(404)
})
