/** Diffs that are large, odd or of forks: what versions tell of them, and that they stay within limits. */
import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { changeMergeRequestIn, closeMergeRequestIn, reopenMergeRequestIn } from '../merge-requests/merge-requests.ts'

interface Prepared {
  forge: Forge
  author: TestUser
  project: TestProject
}

async function prepared(): Promise<Prepared> {
  const forge = await testForge()
  const author = await forge.user()
  return { forge, author, project: await forge.project({ maintainer: author, commits: [{ files: { 'a.txt': 'one\n' } }] }) }
}

/** A branch `topic` with one commit, of a stream of `git fast-import`. */
async function withFiles({ project }: Prepared, changes: Buffer | string, from = 'from refs/heads/main^0\n'): Promise<void> {
  const head = `commit refs/heads/topic\ncommitter Ada <ada@example.com> 1700009999 +0000\ndata 6\nTopic\n${from}`
  await gitReading(project.dir, Buffer.concat([Buffer.from(head), Buffer.from(changes)]), 'fast-import', '--quiet')
}

async function read({ forge, author, project }: Prepared, iid: number, rest: string) {
  const { status, body, headers } = await forge.as(author).get(`/projects/${project.id}/merge_requests/${iid}/${rest}`)
  return { status, body, total: headers['x-total'] }
}

const inline = (path: string, text: string) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`

test(
  'of a request of 3,000 files each can be read on a page, and the version tells that it shows a part',
  inFullRun('Half a second of processor. `compare.test.ts` has the bound of files.'),
  async () => {
    const it = await prepared()
    await withFiles(it, Array.from({ length: 3_000 }, (_, index) => inline(`d/${String(index).padStart(5, '0')}`, `${index}\n`)).join(''))
    const { iid } = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })

    const { body: versions } = await read(it, iid, 'versions')
    expect([versions[0].state, versions[0].real_size]).toEqual(['overflow', '1000+'])
    const page = await read(it, iid, 'diffs?per_page=100&page=30')
    expect([page.total, page.body.length, page.body[99].diff]).toEqual(['3000', 100, '@@ -0,0 +1 @@\n+2999\n'])
    const { body: whole } = await read(it, iid, `versions/${versions[0].id}`)
    expect([whole.diffs.length, whole.diffs[999].diff]).toEqual([1_000, '@@ -0,0 +1 @@\n+999\n'])
  },
)

test(
  '20,000 files are counted, the first 3,000 kept, and the last can be read',
  inFullRun('3 s of processor. 3,000 files are counted below.'),
  async () => {
    const it = await prepared()
    await withFiles(it, Array.from({ length: 20_000 }, (_, index) => inline(`d/${String(index).padStart(5, '0')}`, `${index}\n`)).join(''))
    const { id, iid } = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })

    const page = await read(it, iid, 'diffs?per_page=10&page=2000')
    expect([page.status, page.total, page.body.length, page.body[9].new_path]).toEqual([200, '20000', 10, 'd/19999'])
    const version = await it.forge.app.db
      .selectFrom('merge_request_versions')
      .selectAll()
      .where('merge_request_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(version).toMatchObject({ state: 'overflow', real_size: '1000+', files: 20_000, additions: 20_000, deletions: 0, commits: 1 })
    const { count } = await it.forge.app.db
      .selectFrom('merge_request_version_files')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('version_id', '=', version.id)
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(3_000)
  },
)

test('of 100,000 changed lines the first 50,000 are shown, and the others collapsed', async () => {
  const it = await prepared()
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index}`).join('\n')
  await withFiles(it, Array.from({ length: 10 }, (_, index) => inline(`f${index}`, `${lines(10_000)}\n`)).join(''))
  const { iid } = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })

  const { body: versions } = await read(it, iid, 'versions')
  expect([versions[0].state, versions[0].real_size]).toEqual(['overflow', '10'])
  const { body: whole } = await read(it, iid, `versions/${versions[0].id}`)
  expect(whole.diffs.map(({ collapsed, diff }: { collapsed: boolean; diff: string }) => [collapsed, diff === ''])).toEqual([
    ...Array(4).fill([false, false]),
    ...Array(6).fill([true, true]),
  ])
  const { body: page } = await read(it, iid, 'diffs?per_page=1&page=10')
  expect([page[0].collapsed, page[0].diff.length > 10_000]).toEqual([false, true])
})

test('binary files, links, submodules and names that are no UTF-8 are files like others', async () => {
  const it = await prepared()
  const oid = await git(it.project.dir, 'rev-parse', 'main')
  await withFiles(
    it,
    Buffer.concat([
      Buffer.from('M 100644 inline bin\ndata 3\na\0b\n'),
      Buffer.from(`M 120000 inline link\ndata 5\na.txt\n`),
      Buffer.from(`M 160000 ${oid} module\n`),
      Buffer.from(inline('caf\xe9', 'x\n'), 'latin1'),
      Buffer.from('M 100755 inline run\ndata 3\n#!\n\n'),
    ]),
  )
  const { id, iid } = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })

  const { body: files } = await read(it, iid, 'diffs')
  const byPath = new Map(files.map((file: { new_path: string }) => [file.new_path, file]))
  expect([...byPath.keys()].sort()).toEqual(['bin', 'caf\ufffd', 'link', 'module', 'run'].sort())
  expect(byPath.get('bin')).toMatchObject({ diff: 'Binary files /dev/null and b/bin differ\n' })
  expect(byPath.get('link')).toMatchObject({ b_mode: '120000', new_file: true })
  expect(byPath.get('module')).toMatchObject({ b_mode: '160000', diff: `@@ -0,0 +1 @@\n+Subproject commit ${oid}\n` })
  const rows = await it.forge.app.db
    .selectFrom('merge_request_version_files as file')
    .innerJoin('merge_request_versions as version', 'version.id', 'file.version_id')
    .select(['file.new_path', 'file.new_mode', 'file.additions', 'file.status'])
    .where('version.merge_request_id', '=', id)
    .orderBy('file.position')
    .execute()
  expect(rows.map(({ new_path, new_mode, additions, status }) => [new_path, new_mode, additions, status])).toEqual([
    ['bin', '100644', null, 'added'],
    ['caf\ufffd', '100644', 1, 'added'],
    ['link', '120000', 1, 'added'],
    ['module', '160000', 1, 'added'],
    ['run', '100755', 1, 'added'],
  ])
})

test('a request without commits is empty, and one of an unrelated history has no base', async () => {
  const it = await prepared()
  await git(it.project.dir, 'branch', 'same', 'main')
  const same = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'same' })
  await withFiles(it, inline('alone', 'x\n'), 'deleteall\n')
  const apart = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })

  expect((await read(it, same.iid, 'versions')).body[0]).toMatchObject({ state: 'empty', real_size: '0' })
  for (const rest of ['commits', 'diffs']) expect((await read(it, same.iid, rest)).body).toEqual([])
  expect((await read(it, apart.iid, 'versions')).body[0]).toMatchObject({ state: 'collected', base_commit_sha: null, real_size: '1' })
  expect((await read(it, apart.iid, 'diffs')).body.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['alone'])
})

test(
  'a request of a fork has its commits in the target, at once and after each push, whatever becomes of the fork',
  inFullRun('1 s of processor. `fork-merge-requests.test.ts` proposes from forks.'),
  async () => {
    const it = await prepared()
    const fork = await it.forge.project({ maintainer: it.author, files: null })
    const dir = await clone(it.project.dir)
    await git(dir, 'checkout', '--quiet', '-b', 'topic')
    await commit(dir, { 'fork.txt': 'f\n' })
    await git(dir, 'push', '--quiet', fork.dir, 'main', 'topic')
    const { iid } = await it.forge.mergeRequest(it.project, it.author, { source_project_id: fork.id, source_branch: 'topic' })
    expect((await read(it, iid, 'diffs')).body.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['fork.txt'])

    const pushed = await commit(dir, { 'more.txt': 'm\n' })
    await git(dir, 'push', '--quiet', await it.forge.remote(fork, it.author), 'topic')
    await it.forge.drain()
    expect(await git(it.project.dir, 'rev-parse', `refs/merge-requests/${iid}/head`)).toBe(pushed)
    const reader = await clone(await it.forge.remote(it.project, it.author))
    await git(reader, 'fetch', '--quiet', 'origin', `refs/merge-requests/${iid}/head`)
    expect(await git(reader, 'rev-parse', 'FETCH_HEAD')).toBe(pushed)

    expect((await it.forge.as(it.forge.root).delete(`/projects/${fork.id}`)).status).toBe(202)
    await it.forge.drain()
    expect((await read(it, iid, 'commits')).body.length).toBe(2)
    expect((await read(it, iid, 'diffs')).total).toBe('2')
  },
)

test(
  'a push to the fork that is gone before anybody looked leaves the version before',
  inFullRun('Half a second of processor. A push before anybody has looked makes a version, below.'),
  async () => {
    const it = await prepared()
    const fork = await it.forge.project({ maintainer: it.author, files: null })
    const dir = await clone(it.project.dir)
    await git(dir, 'checkout', '--quiet', '-b', 'topic')
    await commit(dir, { 'fork.txt': 'f\n' })
    await git(dir, 'push', '--quiet', fork.dir, 'main', 'topic')
    const { id, iid } = await it.forge.mergeRequest(it.project, it.author, { source_project_id: fork.id, source_branch: 'topic' })
    await read(it, iid, 'versions')
    const row = { merge_request_id: id, user_id: it.author.id, created_at: new Date().toISOString() }
    await it.forge.app.db
      .insertInto('pending_versions')
      .values({ ...row, head_oid: 'a'.repeat(40) })
      .execute()

    expect((await read(it, iid, 'versions')).body.length).toBe(1)
    expect(await it.forge.app.db.selectFrom('pending_versions').selectAll().where('merge_request_id', '=', id).execute()).toEqual([])
  },
)

test('reopening a request creates a version of commits pushed meanwhile, and so does changing its target', async () => {
  const it = await prepared()
  await withFiles(it, inline('b.txt', 'b\n'))
  await git(it.project.dir, 'branch', 'release', 'main')
  const request = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })
  await read(it, request.iid, 'versions')
  const closed = await inTransaction(it.forge.app.db, (tx) => closeMergeRequestIn(tx, it.author.id, request))
  const dir = await clone(await it.forge.remote(it.project, it.author), '--branch', 'topic')
  const pushed = await commit(dir, { 'c.txt': 'c\n' })
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  await it.forge.drain()
  expect((await read(it, request.iid, 'versions')).body.length).toBe(1)

  await inTransaction(it.forge.app.db, (tx) => reopenMergeRequestIn(tx, it.author.id, closed))
  expect((await read(it, request.iid, 'versions')).body.map(({ head_commit_sha }: { head_commit_sha: string }) => head_commit_sha)[0]).toBe(
    pushed,
  )

  await git(dir, 'push', '--quiet', 'origin', 'topic~1:refs/heads/release')
  await inTransaction(it.forge.app.db, (tx) =>
    changeMergeRequestIn(tx, { user: it.author, project: it.project, level: 40 }, request.id, { target_branch: 'release' }),
  )
  await it.forge.drain()
  const { body: versions } = await read(it, request.iid, 'versions')
  expect(versions.map(({ real_size }: { real_size: string }) => real_size)).toEqual(['1', '2', '1'])
})

test('a push before anybody has looked makes the second version, and where git fails the one before is shown', async () => {
  const it = await prepared()
  await withFiles(it, inline('b.txt', 'b\n'))
  const { id, iid } = await it.forge.mergeRequest(it.project, it.author, { source_branch: 'topic' })
  const dir = await clone(await it.forge.remote(it.project, it.author), '--branch', 'topic')
  await commit(dir, { 'c.txt': 'c\n' })
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  expect((await read(it, iid, 'versions')).body.map(({ real_size }: { real_size: string }) => real_size)).toEqual(['2', '1'])

  await commit(dir, { 'd.txt': 'd\n' })
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  const { costly } = it.forge.app.git
  it.forge.app.git.costly = { run: () => Promise.reject(new Error('no git today')), waiting: 0 }
  const meanwhile = await read(it, iid, 'versions')
  it.forge.app.git.costly = costly
  expect([meanwhile.status, meanwhile.body.length]).toEqual([200, 2])
  expect((await read(it, iid, 'versions')).body.map(({ real_size }: { real_size: string }) => real_size)).toEqual(['3', '2', '1'])
  expect(await it.forge.app.db.selectFrom('pending_versions').selectAll().where('merge_request_id', '=', id).execute()).toEqual([])
})
