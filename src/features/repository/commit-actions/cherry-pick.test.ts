/** Cherry-picks and reverts through the API; that their trees are right is shown in git/. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { writeCommit } from '../../../git/write/fast-import.ts'

let forge: Forge
let dev: TestUser
let project: TestProject

const sorry = (word: string) =>
  `Sorry, we cannot ${word} this commit automatically. This commit may already have been ${word}ed, or a more recent commit may have updated some of its content.`
const lines = (first: string, last: string) => `${first}\n${'same\n'.repeat(10)}${last}\n`
const post = (kind: string, sha: string, body: unknown, user = dev, at = project) =>
  forge.as(user).post(`/projects/${at.id}/repository/commits/${encodeURIComponent(sha)}/${kind}`, body)
const tip = (branch: string) => git(project.dir, 'rev-parse', branch)
const contentOf = (revision: string) => git(project.dir, 'show', revision)
const branchAt = (name: string, revision: string) => git(project.dir, 'branch', '--force', name, revision)

async function stateOf({ id, dir }: TestProject) {
  const events = await forge.app.db.selectFrom('events').select('id').where('project_id', '=', id).where('action', '=', 'pushed').execute()
  const intents = await forge.app.db.selectFrom('push_intents').select('id').where('project_id', '=', id).execute()
  return [await git(dir, 'for-each-ref'), events.length, intents.length]
}

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user({ name: 'Dev Eloper' })
  project = await forge.project({
    developer: dev,
    commits: [
      { message: 'Root', files: { text: lines('a', 'z'), other: 'x\n' } },
      { message: 'Top', branch: 'top', files: { text: lines('TOP', 'z') } },
      { message: 'Begin', files: { text: lines('A', 'z') } },
      { message: 'End\n\nIts body.\n', files: { text: lines('A', 'Z') } },
    ],
  })
  const repo = forge.app.git.open(project.id)
  const ada = { name: 'Ada', email: 'ada@example.com' }
  const parents = [await tip('main'), await tip('top')]
  const merge = await writeCommit(repo, {
    parents,
    author: ada,
    committer: ada,
    message: 'Merge branch',
    changes: [{ kind: 'write', path: 'merged', mode: '100644', content: () => Buffer.from('by the merge\n') }],
  })
  await git(project.dir, 'branch', 'merge', merge)
  await git(project.dir, 'tag', '-m', 'Tagged', 'end', 'main')
})

test('a cherry-pick keeps author and date, names its source, and has the caller as committer', async () => {
  await branchAt('pick', 'main~2')
  const [before, end] = [await tip('pick'), await tip('main')]
  const { status, body } = await post('cherry_pick', 'main', { branch: 'pick' })
  const commit = await tip('pick')
  expect([status, body.id, body.parent_ids]).toEqual([201, commit, [before]])
  expect(await contentOf('pick:text')).toBe(lines('a', 'Z').trim())
  expect(body).toMatchObject({
    title: 'End',
    message: `End\n\nIts body.\n\n(cherry picked from commit ${end})`,
    author_name: 'Ada',
    author_email: 'ada@example.com',
    authored_date: new Date(await git(project.dir, 'show', '--no-patch', '--format=%aI', end)).toISOString(),
    committer_name: dev.name,
    committer_email: dev.email,
  })
  expect(Date.parse(body.committed_date)).toBeGreaterThan(Date.now() - 60_000)
  const event = await forge.app.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('ref', '=', 'refs/heads/pick')
    .execute()
  expect(event).toMatchObject([{ author_id: dev.id, before_oid: before, after_oid: commit }])
})

test('a revert is authored by the caller, names what it reverts, and leaves later changes', async () => {
  await branchAt('undo', 'main')
  const begin = await tip('main~1')
  const { status, body } = await post('revert', begin, { branch: 'undo' })
  expect([status, body.message, body.author_name, body.committer_name]).toEqual([
    201,
    `Revert "Begin"\n\nThis reverts commit ${begin}`,
    dev.name,
    dev.name,
  ])
  expect(await contentOf('undo:text')).toBe(lines('a', 'Z').trim())
  expect(await git(project.dir, 'fsck', '--no-dangling', 'undo')).toBe('')
})

test('a commit is named by a branch, an annotated tag, a short id or a step from one', async () => {
  const end = await tip('main')
  for (const name of ['main', 'end', end.slice(0, 10), 'merge~1']) {
    await branchAt('named', 'main~1')
    const { status, body } = await post('cherry_pick', name, { branch: 'named' })
    expect([name, status, body.message]).toEqual([name, 201, `End\n\nIts body.\n\n(cherry picked from commit ${end})`])
  }
})

test('a merge is picked as its changes against the first parent', async () => {
  const merge = await tip('merge')
  await branchAt('mainline', 'main~2')
  const picked = await post('cherry_pick', merge, { branch: 'mainline' })
  expect([picked.status, await git(project.dir, 'diff-tree', '-r', '--name-status', 'mainline~1', 'mainline')]).toEqual([201, 'A\tmerged'])
  const reverted = await post('revert', merge, { branch: 'mainline' })
  expect([reverted.status, reverted.body.message]).toEqual([201, `Revert "Merge branch"\n\nThis reverts commit ${merge}`])
  expect(await git(project.dir, 'rev-parse', 'mainline^{tree}')).toBe(await git(project.dir, 'rev-parse', 'main~2^{tree}'))
})

test('what a merge request merged is reverted and picked as that merge request, for those who see it', async () => {
  await branchAt('target', 'main~2')
  const request = await forge.mergeRequest(project, dev, { source_branch: 'main', target_branch: 'target' })
  const { body: merged } = await forge.as(forge.root).put(`/projects/${project.id}/merge_requests/${request.iid}/merge`)
  expect(merged).toMatchObject({ state: 'merged' })
  const sha = merged.merge_commit_sha
  await branchAt('onto', 'main~2')
  const picked = await post('cherry_pick', sha, { branch: 'onto' })
  const title = await git(project.dir, 'show', '--no-patch', '--format=%s', sha)
  expect(picked.body.title).toBe(title)
  const listed = await git(project.dir, 'log', '--reverse', '--abbrev=8', '--format=%h %s', 'main~2..main')
  expect(picked.body.message.endsWith(`\n\n(cherry picked from commit ${sha})\n\n${listed}`)).toBe(true)
  const reverted = await post('revert', sha, { branch: 'target' })
  expect(reverted.body.message).toBe(`Revert "${title}"\n\nThis reverts merge request !${request.iid}`)
  await forge.as(forge.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'disabled' })
  await branchAt('hidden', sha)
  expect((await post('revert', sha, { branch: 'hidden' })).body.message).toContain(`This reverts commit ${sha}`)
  await forge.as(forge.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'enabled' })
})

test('a root commit can be reverted, and picked where its files don’t exist', async () => {
  const root = await tip('main~2')
  await branchAt('nothing', root)
  expect((await post('revert', root, { branch: 'nothing' })).status).toBe(201)
  expect(await git(project.dir, 'ls-tree', '-r', 'nothing')).toBe('')
  expect((await post('cherry_pick', root, { branch: 'nothing' })).status).toBe(201)
  expect(await contentOf('nothing:other')).toBe('x')
})

test.each([
  ['cherry_pick', 'cherry-pick', 'top', 'a conflict'],
  ['cherry_pick', 'cherry-pick', 'main', 'what is there already'],
  ['revert', 'revert', 'top', 'what is not there'],
  ['revert', 'revert', 'main~2', 'what was changed since'],
])('a %s (%s) of %s that comes to %s is refused, and nothing changes', async (kind, word, sha) => {
  await branchAt('stays', 'main')
  const before = await stateOf(project)
  const { status, body } = await post(kind, sha, { branch: 'stays' })
  expect([status, body]).toEqual([400, { message: sorry(word) }])
  expect(await stateOf(project)).toEqual(before)
})

test.each(['cherry_pick', 'revert'])('of a %s the commit and the branch must be there', async (kind) => {
  await branchAt('stays', 'main')
  const before = await stateOf(project)
  const answerTo = async (sha: string, body: unknown) => {
    const answer = await post(kind, sha, body)
    return [answer.status, answer.body]
  }
  for (const sha of ['none', '-x', '--all', 'f'.repeat(40), 'main..top', 'main:text', '%00', 'x'.repeat(5_000)]) {
    expect([sha, await answerTo(sha, { branch: 'stays' })]).toEqual([sha, [404, { message: '404 Commit Not Found' }]])
  }
  for (const branch of ['none', 'refs/heads/stays', 'HEAD', await tip('stays'), 'x'.repeat(250)]) {
    expect([branch, await answerTo('main', { branch })]).toEqual([branch, [404, { message: '404 Branch Not Found' }]])
  }
  for (const branch of ['', '-x', 'a..b', 'a b', 'x'.repeat(1_000_000)]) {
    expect(await answerTo('main', { branch })).toEqual([400, { message: 'The branch refname is invalid' }])
  }
  expect(await answerTo('main', {})).toEqual([400, { error: 'branch is missing' }])
  expect(await answerTo('main', { branch: ['stays'] })).toEqual([400, { error: 'branch is invalid' }])
  expect(await answerTo('main', { branch: 'a\0b' })).toEqual([400, { error: 'branch is invalid' }])
  expect(await stateOf(project)).toEqual(before)
})

test.each(['cherry_pick', 'revert'])('a %s is refused to who may not push to the branch', async (kind) => {
  const [guest, reporter, maintainer] = await Promise.all([forge.user(), forge.user(), forge.user()])
  const own = await forge.project({ guest, reporter, developer: dev, maintainer, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  await git(own.dir, 'branch', 'open', 'main~1')
  const before = await stateOf(own)
  const answerTo = async (user: TestUser, branch: string) => {
    const answer = await post(kind, 'main', { branch }, user, own)
    return [answer.status, answer.body]
  }
  for (const user of [guest, reporter]) expect(await answerTo(user, 'open')).toEqual([403, { message: '403 Forbidden' }])
  const refused = [403, { message: '403 Forbidden - You are not allowed to push into this branch' }]
  expect(await answerTo(dev, 'main')).toEqual(refused)
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', own.id).execute()
  expect(await answerTo(maintainer, 'open')).toEqual(refused)
  expect(await stateOf(own)).toEqual(before)
})

test('an empty repository has no commit to cherry-pick', async () => {
  const own = await forge.project({ maintainer: dev, files: null })
  const { status, body } = await post('cherry_pick', 'main', { branch: 'main' }, dev, own)
  expect([status, body]).toEqual([404, { message: '404 Commit Not Found' }])
})
