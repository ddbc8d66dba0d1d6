/** Editing, closing, reopening and deleting merge requests, their time, what they close, and requests from forks. */

import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'

let forge: Forge
let owner: TestUser
let developer: TestUser
let author: TestUser
let reporter: TestUser
let project: TestProject
let at: string
let counter = 0

async function commitTo(user: TestUser, projectId: number, branch: string, message = 'Second'): Promise<void> {
  const { status, body } = await forge.as(user).post(`/projects/${projectId}/repository/commits`, {
    branch,
    start_branch: 'main',
    commit_message: message,
    actions: [{ action: 'create', file_path: `file-${++counter}`, content: 'x\n' }],
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
}

async function create(fields: Record<string, unknown> = {}, message?: string) {
  const source_branch = `topic-${++counter}`
  await commitTo(developer, project.id, source_branch, message)
  const { status, body } = await forge.as(developer).post(at, { source_branch, target_branch: 'main', title: 'It', ...fields })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, author, reporter] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user()])
  project = await forge.project({
    owner,
    developer,
    reporter,
    visibility: 'public',
    commits: [{ message: 'First', files: { 'README.md': 'one\n' } }],
  })
  at = `/projects/${project.id}/merge_requests`
})

test('everything that may change does, nothing else', async () => {
  await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'next', ref: 'main' })
  const { iid, ...before } = await create({ description: 'Old', labels: 'one,two', assignee_id: owner.id })
  const put = (fields: Record<string, unknown>, user = developer) => forge.as(user).put(`${at}/${iid}`, fields)
  const changed = await put({
    title: 'Draft: other',
    description: 'New',
    target_branch: 'next',
    add_labels: 'three',
    remove_labels: ['one'],
    assignee_ids: [0],
    reviewer_ids: [owner.id],
    squash: true,
    remove_source_branch: true,
    discussion_locked: true,
  })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      title: 'Draft: other',
      draft: true,
      description: 'New',
      target_branch: 'next',
      labels: ['three', 'two'],
      assignee: null,
      assignees: [],
      reviewers: [{ id: owner.id }],
      squash: true,
      force_remove_source_branch: true,
      discussion_locked: true,
      source_branch: before.source_branch,
      state: 'opened',
    },
  ])
  expect((await put({ description: null, labels: '', reviewer_ids: [] })).body).toMatchObject({
    description: null,
    labels: [],
    reviewers: [],
  })
  expect((await put({})).status).toBe(400)
  for (const title of ['', null]) expect((await put({ title })).body).toEqual({ message: { title: ["can't be blank"] } })
  expect((await put({ target_branch: 'nowhere' })).body).toEqual({ message: { target_branch: ['does not exist'] } })
  expect((await put({ target_branch: before.source_branch })).status).toBe(422)
  expect((await put({ state_event: 'merge' })).status).toBe(400)
  expect((await put({ title: 'x' }, reporter)).status).toBe(403)
  expect((await put({ title: 'x' }, author)).status).toBe(403)
})

test('it is closed and reopened, but not into the place of another, and not once its branch is gone', async () => {
  const { iid, source_branch } = await create()
  const event = (state_event: string) => forge.as(developer).put(`${at}/${iid}`, { state_event })
  const closed = await event('close')
  expect(closed.body).toMatchObject({ state: 'closed', closed_by: { id: developer.id }, detailed_merge_status: 'not_open' })
  expect(closed.body.closed_at).not.toBeNull()
  expect(closed.body.diff_refs).not.toBeNull()
  const other = await forge.as(developer).post(at, { source_branch, target_branch: 'main', title: 'Other' })
  expect([other.status, (await event('reopen')).status]).toEqual([201, 409])
  await forge.as(developer).delete(`${at}/${other.body.iid}`)
  await forge.as(developer).put(`${at}/${other.body.iid}`, { state_event: 'close' })
  expect((await event('reopen')).body).toMatchObject({ state: 'opened', closed_at: null, closed_by: null })
  await event('close')
  await forge.as(developer).delete(`/projects/${project.id}/repository/branches/${source_branch}`)
  expect((await event('reopen')).body).toMatchObject({ state: 'closed' })
})

test('only owners delete one, and nobody does if it has changed since they looked', async () => {
  const { iid, updated_at } = await create()
  const remove = (user: TestUser, since?: string) =>
    forge.as(user, since ? { headers: { 'if-unmodified-since': since } } : {}).delete(`${at}/${iid}`)
  expect((await remove(developer)).status).toBe(403)
  expect((await remove(owner, new Date(Date.parse(updated_at) - 60_000).toUTCString())).status).toBe(412)
  expect((await remove(owner)).status).toBe(204)
  expect((await forge.as(owner).get(`${at}/${iid}`)).status).toBe(404)
})

test('quick actions of descriptions are run, and not shown', async () => {
  const { iid, ...created } = await create({ description: 'Look\n\n/label ~quick\n/spend 1h', labels: 'quick' })
  expect(created).toMatchObject({ description: 'Look', labels: ['quick'], time_stats: { total_time_spent: 3600 } })
  const changed = await forge.as(developer).put(`${at}/${iid}`, { description: 'Done\n/close' })
  expect(changed.body).toMatchObject({ description: 'Done', state: 'closed' })
})

test('time is estimated, logged and reset by those who may edit it', async () => {
  const path = `${at}/${(await create()).iid}`
  const client = forge.as(developer)
  expect((await client.post(`${path}/time_estimate`, { duration: '3h' })).body.human_time_estimate).toBe('3h')
  const added = await client.post(`${path}/add_spent_time`, { duration: '2h' })
  expect([added.status, added.body.total_time_spent]).toEqual([201, 7200])
  expect((await client.post(`${path}/add_spent_time`, { duration: '-1w' })).status).toBe(400)
  expect((await client.post(`${path}/time_estimate`, { duration: 'foo' })).body).toEqual({
    message: { time_estimate: ['has an invalid format'] },
  })
  expect((await forge.as(reporter).post(`${path}/time_estimate`, { duration: '1h' })).status).toBe(403)
  expect((await client.post(`${path}/reset_spent_time`)).body.total_time_spent).toBe(0)
  expect((await client.post(`${path}/reset_time_estimate`)).body.time_estimate).toBe(0)
  expect((await forge.as(reporter).get(`${path}/time_stats`)).body.time_estimate).toBe(0)
})

test('who takes part is listed, reviewers with their state, and everybody may subscribe', async () => {
  const path = `${at}/${(await create({ reviewer_ids: [owner.id] })).iid}`
  const client = forge.as(reporter)
  const ids = async (name: string) => (await client.get(`${path}/${name}`)).body.map(({ id }: { id: number }) => id)
  expect(new Set(await ids('participants'))).toEqual(new Set([developer.id, owner.id]))
  expect((await client.get(`${path}/reviewers`)).body).toMatchObject([{ user: { id: owner.id }, state: 'unreviewed' }])
  expect((await client.get(`${path}/pipelines`)).body).toEqual([])
  const subscribed = await client.post(`${path}/subscribe`)
  expect([subscribed.status, subscribed.body.subscribed]).toEqual([201, true])
  expect((await client.post(`${path}/subscribe`)).status).toBe(304)
  expect((await client.post(`${path}/unsubscribe`)).body.subscribed).toBe(false)
})

test(
  'issues know the merge requests that close and mention them, and the other way round',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const issue = async () => (await forge.as(developer).post(`/projects/${project.id}/issues`, { title: 'Bug' })).body
    const [closed, byCommit, mentioned] = [await issue(), await issue(), await issue()]
    const { iid } = await create({ description: `Closes #${closed.iid}, see #${mentioned.iid}` }, `Mend\n\nFixes #${byCommit.iid}`)
    await forge.drain()
    const closes = await forge.as(reporter).get(`${at}/${iid}/closes_issues`)
    expect(closes.body.map((one: { iid: number }) => one.iid)).toEqual([closed.iid, byCommit.iid])
    const of = async (one: { iid: number }, name: string) =>
      (await forge.as(reporter).get(`/projects/${project.id}/issues/${one.iid}/${name}`)).body.map((found: { iid: number }) => found.iid)
    const related = await forge.as(reporter).get(`${at}/${iid}/related_issues`)
    expect(related.body.map((one: { iid: number }) => one.iid)).toEqual([closed.iid, byCommit.iid, mentioned.iid])
    expect([await of(closed, 'closed_by'), await of(byCommit, 'closed_by'), await of(mentioned, 'closed_by')]).toEqual([[iid], [iid], []])
    expect([await of(closed, 'related_merge_requests'), await of(mentioned, 'related_merge_requests')]).toEqual([[iid], [iid]])
    expect((await forge.as(reporter).get(`/projects/${project.id}/issues/${closed.iid}`)).body.merge_requests_count).toBe(1)
    await forge.as(developer).put(`${at}/${iid}`, { description: 'Nothing' })
    await forge.drain()
    expect(await of(closed, 'closed_by')).toEqual([])
  },
)

test('the merge requests of a milestone are listed with it, by the priority of their labels', async () => {
  const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'One' })
  const { iid } = await create({ milestone_id: milestone.id })
  const listed = await forge.as(reporter).get(`/projects/${project.id}/milestones/${milestone.id}/merge_requests`)
  expect(listed.body).toMatchObject([{ iid, milestone: { id: milestone.id } }])
  const others = []
  for (const [name, priority] of [
    ['soon', 1],
    ['late', 9],
  ] as const) {
    await forge.as(owner).post(`/projects/${project.id}/labels`, { name, color: '#ff0000', priority })
    others.push((await create({ milestone_id: milestone.id, labels: name })).iid)
  }
  const { body } = await forge.as(reporter).get(`/projects/${project.id}/milestones/${milestone.id}/merge_requests`)
  expect(body.map((one: { iid: number }) => one.iid)).toEqual([...others, iid])
})

test('a fork proposes to its source: its commits are there, its author plans nothing, others may be let in', async () => {
  const { body: fork } = await forge.as(author).post(`/projects/${project.id}/fork`)
  await forge.drain()
  await commitTo(author, fork.id, 'proposal')
  const created = await forge.as(author).post(`/projects/${fork.id}/merge_requests`, {
    source_branch: 'proposal',
    target_branch: 'main',
    target_project_id: project.id,
    title: 'From outside',
    labels: 'sneaky',
    assignee_id: author.id,
    reviewer_ids: [author.id],
    allow_maintainer_to_push: true,
  })
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      project_id: project.id,
      source_project_id: fork.id,
      target_project_id: project.id,
      labels: [],
      assignee: null,
      reviewers: [],
      allow_collaboration: true,
      allow_maintainer_to_push: true,
      first_contribution: true,
      user: { can_merge: false },
    },
  ])
  const { iid, sha } = created.body
  expect(await git(project.dir, 'rev-parse', `refs/merge-requests/${iid}/head`)).toBe(sha)
  expect(await git(project.dir, 'cat-file', '-t', sha)).toBe('commit')
  const edited = await forge.as(author).put(`${at}/${iid}`, { title: 'Better', labels: 'sneaky', allow_collaboration: false })
  expect(edited.body).toMatchObject({ title: 'Better', labels: [], allow_collaboration: false })
})

test('a merge request needs a target that the source is a fork of, and that accepts merge requests', async () => {
  const stranger = await forge.project({ owner: developer, visibility: 'private' })
  await commitTo(developer, stranger.id, 'topic')
  const propose = (target_project_id: number, user = developer, from = stranger.id) =>
    forge
      .as(user)
      .post(`/projects/${from}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'x', target_project_id })
  const unrelated = await propose(project.id)
  expect([unrelated.status, unrelated.body]).toEqual([422, { message: ['Source project is not a fork of the target project'] }])
  const hidden = await forge.project({ owner, visibility: 'private' })
  expect((await propose(hidden.id)).status).toBe(404)
  expect((await propose(2_000_000_000)).status).toBe(404)
  const off = await forge.project({ owner: developer, visibility: 'private' })
  await forge.as(developer).put(`/projects/${off.id}`, { merge_requests_access_level: 'disabled' })
  expect((await propose(off.id)).status).toBe(422)
  expect((await propose(stranger.id, reporter)).status).toBe(404)
})

test('of two that are created at once between the same branches, one is', async () => {
  await commitTo(developer, project.id, 'contended')
  const fields = { source_branch: 'contended', target_branch: 'main', title: 'It' }
  const answers = await Promise.all(Array.from({ length: 6 }, () => forge.as(developer).post(at, fields)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
})

test('of two that are reopened at once between the same branches, one is', async () => {
  const closed = async (fields: object) => {
    const { iid } = (await forge.as(developer).post(at, fields)).body
    await forge.as(developer).put(`${at}/${iid}`, { state_event: 'close' })
    return iid as number
  }
  await commitTo(developer, project.id, 'closed-twice')
  const fields = { source_branch: 'closed-twice', target_branch: 'main', title: 'It' }
  const both = [await closed(fields), await closed(fields)]
  const answers = await Promise.all(both.map((iid) => forge.as(developer).put(`${at}/${iid}`, { state_event: 'reopen' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a branch named like an id, and unrelated histories, are what their names say', async () => {
  const id = await git(project.dir, 'rev-parse', 'main')
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  await git(project.dir, 'update-ref', 'refs/heads/island', await git(project.dir, 'commit-tree', tree, '-m', 'Alone'))
  const island = await forge.as(developer).post(at, { source_branch: 'island', target_branch: 'main', title: 'Alone' })
  expect([island.status, island.body.diff_refs.base_sha]).toEqual([201, null])
  const unknown = await forge.as(developer).post(at, { source_branch: id, target_branch: 'main', title: 'x' })
  expect([unknown.status, unknown.body]).toEqual([400, { message: { source_branch: ['does not exist'] } }])
})

test('a milestone that is deleted leaves its merge requests, which say so', async () => {
  const milestone = (await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'Gone soon' })).body
  const { iid } = await create({ milestone_id: milestone.id })
  expect((await forge.as(owner).delete(`/projects/${project.id}/milestones/${milestone.id}`)).status).toBe(204)
  expect((await forge.as(owner).get(`${at}/${iid}`)).body.milestone).toBeNull()
  const notes = (await forge.as(owner).get(`${at}/${iid}/notes`)).body.map(({ body }: { body: string }) => body)
  expect(notes).toContain('removed milestone')
})
