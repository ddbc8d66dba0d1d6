/** Refs of merge requests outside of pushes: in backups, in the cache of clones; and marks of viewed files when somebody is deleted. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { outside, refsIn } from '../../../../test/support/backups.ts'
import { freshDatabase } from '../../../../test/support/database.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { backUp } from '../../../backup/backup.ts'
import { openProgress } from '../../../backup/progress.ts'
import { restoreFrom } from '../../../backup/restore.ts'
import { verifyGeneration } from '../../../backup/verify.ts'
import { markViewed, viewedFiles } from '../viewed-files/viewed-files.ts'

let forge: Forge
let developer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({ maintainer: developer, visibility: 'public', files: { big: randomBytes(300_000) } })
})

let counter = 0

async function commit(branch: string, more: object = {}): Promise<string> {
  const actions = [{ action: 'create', file_path: `file-${++counter}`, content: 'x' }]
  const body = { branch, commit_message: 'Change', actions, ...more }
  const answer = await forge.as(developer).post(`/projects/${project.id}/repository/commits`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

async function request(branch: string) {
  await commit(branch, { start_branch: 'main' })
  const body = { source_branch: branch, target_branch: 'main', title: branch }
  const made = await forge.as(developer).post(`/projects/${project.id}/merge_requests`, body)
  expect(made.status, made.text).toBe(201)
  return made.body as { id: number; iid: number; sha: string }
}

test(
  'a backup restores the refs of merge requests, and the commits of versions that no branch has any more',
  inFullRun('2 s of processor. src/backup restores every ref.'),
  async () => {
    const { iid, sha } = await request('backed-up')
    await commit('backed-up', { start_branch: 'main', force: true })
    await forge.drain()
    const before = await refsIn(forge.app.config.home, project.id)
    expect(before[`refs/merge-requests/${iid}/head`]).not.toBe(sha)

    const progress = openProgress(true, { write: () => true, isTTY: false })
    const options = { verify: false, keep: null, progress, signal: new AbortController().signal }
    const { folder } = await backUp(forge.app.config, join(await outside(), 'backups'), options)
    await verifyGeneration(folder, progress)
    expect(progress.faults).toEqual([])
    const home = await outside()
    const database = await freshDatabase(home)
    const env = { GITSTEAD_HOME: home, ...(database.url && { GITSTEAD_DATABASE_URL: database.url }) }
    await restoreFrom(env, folder, options)

    expect(await refsIn(home, project.id)).toEqual(before)
    const { dir } = project
    const restored = dir.replace(forge.app.config.home, home)
    expect(await git(restored, 'cat-file', '-t', sha)).toBe('commit')
  },
)

test(
  'a mirror clone after a push has the newest commit of each merge request, even if an older clone was cached',
  inFullRun('Half a second of processor. `merge-request-refs.test.ts` shows the refs of merge requests to clients.'),
  async () => {
    const { iid, sha } = await request('mirrored')
    await forge.drain()
    const remote = await forge.remote(project)
    const mirrored = async () => {
      const dir = join(await forge.folder(), 'mirror')
      await git(await forge.folder(), 'clone', '--quiet', '--mirror', remote, dir)
      return git(dir, 'rev-parse', `refs/merge-requests/${iid}/head`)
    }
    expect([await mirrored(), await mirrored()]).toEqual([sha, sha])
    const next = await commit('mirrored')
    await forge.drain()
    expect(await mirrored()).toBe(next)
  },
)

test('what a deleted user had marked as viewed goes with them: nobody else has seen it', async () => {
  const { id, iid } = await request('viewed')
  const user = await forge.user()
  const [file] = (await forge.as(developer).get(`/projects/${project.id}/merge_requests/${iid}/diffs`)).body
  await markViewed(forge.app, user, { id }, { path: file.new_path, oid: 'a'.repeat(40), viewed: true })
  expect((await viewedFiles(forge.app.db, user.id, id)).size).toBe(1)
  expect((await forge.as(forge.root).delete(`/users/${user.id}`)).status).toBe(204)
  await forge.drain()
  const left = await forge.app.db.selectFrom('viewed_files').selectAll().where('merge_request_id', '=', id).execute()
  expect(left).toEqual([])
})
