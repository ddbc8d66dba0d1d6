/** Discussions on commits: as on issues and merge requests, and the same as the comments of the older form. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { placeOnCommitsJob } from './commit-notes.jobs.ts'
import { unplacedOnCommit } from './notes.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let stranger: TestUser
let project: TestProject
let tip: string
let parent: string
const at = (sha = tip, id = project.id) => `/projects/${id}/repository/commits/${encodeURIComponent(sha)}`
const position = (change: object = {}) => ({
  ...{ base_sha: parent, start_sha: parent, head_sha: tip, position_type: 'text', new_path: 'a.txt', new_line: 2 },
  ...change,
})
const open = (body: object, user = reporter) => forge.as(user).post(`${at()}/discussions`, { body: 'Words', ...body })

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  project = await forge.project({
    owner,
    reporter,
    commits: [{ files: { 'a.txt': 'one\ntwo\nthree\n', b: 'b\n' } }, { files: { 'a.txt': 'one\n2\nthree\n' } }],
  })
  tip = await git(project.dir, 'rev-parse', 'main')
  parent = await git(project.dir, 'rev-parse', 'main~1')
})

test('a discussion is opened, answered, read, changed and deleted, and nobody resolves it', async () => {
  const opened = await open({ body: 'Why this?' })
  const [first] = opened.body.notes
  expect([opened.status, opened.body.individual_note, first]).toMatchObject([
    201,
    false,
    { type: 'DiscussionNote', body: 'Why this?', noteable_type: 'Commit', noteable_id: null, noteable_iid: null, commit_id: tip },
  ])
  expect([first.resolvable, first.resolved]).toEqual([false, undefined])
  const here = `${at()}/discussions/${opened.body.id}`
  const reply = await forge.as(owner).post(`${here}/notes`, { body: 'Because' })
  const change = (user: TestUser, body: object) => forge.as(user).put(`${here}/notes/${first.id}`, body)
  const changed = await change(reporter, { body: 'Why that?' })
  expect([reply.status, changed.status, changed.body.body]).toEqual([201, 200, 'Why that?'])
  expect((await change(reporter, { resolved: true })).body).toEqual({ message: 'Note is not resolvable' })
  const read = await forge.as(owner).get(here)
  expect(read.body.notes.map(({ body }: { body: string }) => body)).toEqual(['Why that?', 'Because'])
  expect((await forge.as(owner).get(`/projects/${project.id}/commits/${tip}/discussions/${opened.body.id}`)).body).toEqual(read.body)
  expect((await forge.as(reporter).delete(`${here}/notes/${reply.body.id}`)).status).toBe(403)
  for (const id of [reply.body.id, first.id]) expect((await forge.as(owner).delete(`${here}/notes/${id}`)).status).toBe(204)
  expect((await forge.as(owner).get(here)).body).toEqual({ message: '404 Discussion Not Found' })
})

test('a discussion on a line is a comment on it, and a comment on a line is a discussion', async () => {
  const opened = await open({ body: 'On the line', position: position() })
  expect(opened.body.notes[0]).toMatchObject({ type: 'DiffNote', position: { old_path: 'a.txt', old_line: null, new_line: 2 } })
  expect(opened.body.notes[0].suggestions).toBeUndefined()
  await forge.as(owner).post(`${at()}/comments`, { note: 'Was two', path: 'a.txt', line: 2, line_type: 'old' })
  const { body: comments } = await forge.as(owner).get(`${at()}/comments`)
  expect(comments).toMatchObject([
    { note: 'On the line', path: 'a.txt', line: 2, line_type: 'new' },
    { note: 'Was two', path: 'a.txt', line: 2, line_type: 'old' },
  ])
  const { body: discussions } = await forge.as(owner).get(`${at()}/discussions`)
  expect(discussions.at(-1).notes[0]).toMatchObject({ body: 'Was two', type: 'DiffNote', position: { old_line: 2, new_line: null } })
})

test.each<[string, object]>([
  ['a line that is not there', { new_line: 9 }],
  ['an unchanged line as an added one', { new_line: 1 }],
  ['a file that the commit leaves alone', { new_path: 'b' }],
  ['another commit', { head_sha: 'c'.repeat(40) }],
  ['another parent', { base_sha: 'c'.repeat(40), start_sha: 'c'.repeat(40) }],
])('a position on %s is refused, and nothing is kept', async (_, change) => {
  const count = () => forge.app.db.selectFrom('notes').select('id').where('project_id', '=', project.id).execute()
  const before = await count()
  // Nor is the commit tagged.
  expect((await open({ body: 'No\n/tag v9', position: position(change) }, owner)).status).toBe(400)
  expect(await count()).toEqual(before)
  expect((await forge.as(owner).get(`/projects/${project.id}/repository/tags`)).body).toEqual([])
})

test('who cannot read the code sees and writes nothing, and what is in another project or on another commit is not found', async () => {
  const { body } = await open({})
  const note = `${at()}/discussions/${body.id}`
  for (const path of [`${at()}/discussions`, note]) {
    expect((await forge.as(stranger).get(path)).status).toBe(404)
    expect((await forge.anonymous.get(path)).status).toBe(401)
  }
  expect((await forge.as(stranger).post(`${note}/notes`, { body: 'Hi' })).status).toBe(404)
  const other = await forge.project({ reporter })
  const elsewhere = await git(other.dir, 'rev-parse', 'main')
  for (const path of [at(parent), at(elsewhere, other.id)])
    expect((await forge.as(reporter).get(`${path}/discussions/${body.id}`)).body).toEqual({ message: '404 Discussion Not Found' })
  const blind = await forge.project({ visibility: 'public' })
  const sha = await git(blind.dir, 'rev-parse', 'main')
  await forge.app.db.updateTable('projects').set({ repository_access_level: 'private' }).where('id', '=', blind.id).execute()
  expect((await forge.as(stranger).post(`${at(sha, blind.id)}/discussions`, { body: 'Hi' })).status).toBe(403)
})

test('mentions cause todos on the commit for those who see it, a reply completes one, and an issue that is mentioned says so', async () => {
  const issue = await forge.issue(project, owner)
  const [hers, none] = [await open({ body: `@${owner.username} @${stranger.username} see #${issue.iid}` }), stranger]
  const { body: todos } = await forge.as(owner).get('/todos?type=Commit')
  expect(todos).toMatchObject([
    {
      action_name: 'directly_addressed',
      target_type: 'Commit',
      target: { id: tip, title: expect.any(String) },
      target_url: `http://gitstead.test/${project.full_path}/commit/${tip}#note_${hers.body.notes[0].id}`,
      state: 'pending',
    },
  ])
  expect((await forge.as(none).get('/todos')).body).toEqual([])
  const { body: notes } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/notes`)
  expect(notes).toMatchObject([{ system: true, body: `mentioned in commit ${tip}` }])
  await forge.as(owner).post(`${at()}/discussions/${hers.body.id}/notes`, { body: 'Seen' })
  expect((await forge.as(owner).get('/todos?type=Commit')).body).toEqual([])
  const { body: events } = await forge.as(owner).get(`/projects/${project.id}/events?target_type=note&per_page=1`)
  expect(events[0]).toMatchObject({ action_name: 'commented on', note: { body: 'Seen', noteable_type: 'Commit', commit_id: tip } })
})

test('emoji are awarded to notes on commits', async () => {
  const { body } = await open({})
  const path = `${at()}/notes/${body.notes[0].id}/award_emoji`
  const given = await forge.as(owner).post(path, { name: 'tada' })
  expect([given.status, given.body.awardable_type]).toEqual([201, 'Note'])
  expect((await forge.as(reporter).get(path)).body).toHaveLength(1)
})

test('a list costs the same, however many discussions there are', async () => {
  const own = await forge.project({ reporter })
  const sha = await git(own.dir, 'rev-parse', 'main')
  const add = () => forge.as(reporter).post(`${at(sha, own.id)}/discussions`, { body: 'One more' })
  const list = () => forge.cost(() => forge.as(reporter).get(`${at(sha, own.id)}/discussions`))
  await add()
  await list()
  const short = await list()
  for (let index = 0; index < 5; index += 1) await add()
  expect(await list()).toEqual(short)
})

test('a comment that an earlier version kept by its line alone gets its place, or is on the whole commit', async () => {
  const own = await forge.project({ owner, commits: [{ files: { a: '1\n2\n' } }, { files: { a: '1\ntwo\n' } }] })
  const commit_oid = await git(own.dir, 'rev-parse', 'main')
  const created_at = new Date().toISOString()
  const rows = [2, 7].map((line, index) => {
    const position = unplacedOnCommit({ commit_oid, path: 'a', line, line_type: 'new' })
    const of = { project_id: own.id, commit_oid, author_id: owner.id, body: `Line ${line}`, created_at, updated_at: created_at }
    return { ...of, type: 'DiffNote' as const, discussion_id: String(index).repeat(40), position, original_position: position }
  })
  await forge.app.db.insertInto('notes').values(rows).execute()
  for (let time = 0; time < 2; time += 1) await placeOnCommitsJob.handle(forge.app, { project_id: own.id })
  const { body } = await forge.as(owner).get(`${at(commit_oid, own.id)}/comments`)
  expect(body).toMatchObject([
    { note: 'Line 2', path: 'a', line: 2, line_type: 'new' },
    { note: 'Line 7', path: null, line: null, line_type: null },
  ])
  const { body: discussions } = await forge.as(owner).get(`${at(commit_oid, own.id)}/discussions`)
  expect(discussions[0].notes[0].position).toMatchObject({
    base_sha: await git(own.dir, 'rev-parse', 'main~1'),
    old_line: null,
    new_line: 2,
  })
})
