/** Moving an issue to another project: everything on it is there, and the old one leads to it. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let author: TestUser
let from: TestProject
let to: TestProject
const at = (project: TestProject, path: string | number = '') => `/projects/${project.id}/issues${path === '' ? '' : `/${path}`}`

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, author] = await Promise.all([forge.user(), forge.user(), forge.user()])
  from = await forge.project({ owner, reporter, visibility: 'public', files: null })
  to = await forge.project({ owner, reporter, visibility: 'public', files: null })
  for (const project of [from, to]) {
    await forge.as(owner).post(`/projects/${project.id}/labels`, { name: 'bug', color: 'red' })
    await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'Next' })
  }
})

async function filled() {
  const client = forge.as(reporter)
  const { body: other } = await client.post(at(from), { title: 'Other' })
  const { body: milestone } = await forge.as(owner).get(`/projects/${from.id}/milestones`)
  const { body: issue } = await forge
    .as(author)
    .post(at(from), { title: 'Moves', description: `See #${other.iid}, \`#${other.iid}\` and #4000` })
  const one = at(from, issue.iid)
  await client.put(one, { labels: 'bug,only here', milestone_id: milestone[0].id, due_date: '2031-01-01', assignee_ids: [author.id] })
  await client.post(`${one}/add_spent_time`, { duration: '2h' })
  await client.post(`${one}/award_emoji`, { name: 'thumbsup' })
  const { body: note } = await client.post(`${one}/notes`, { body: `As in #${other.iid}` })
  await client.post(`${one}/notes/${note.id}/award_emoji`, { name: 'tada' })
  const { body: discussion } = await client.post(`${one}/discussions`, { body: 'First' })
  await client.post(`${one}/discussions/${discussion.id}/notes`, { body: 'Second' })
  return { issue, other, one, discussion }
}

test('everything on an issue comes along, and the old one is closed and leads to it', async () => {
  const { issue, other, one, discussion } = await filled()
  const moved = await forge.as(reporter).post(`${one}/move`, { to_project_id: to.id })
  const before = (await forge.as(reporter).get(one)).body
  const there = at(to, moved.body.iid)
  expect([moved.status, moved.body]).toMatchObject([
    201,
    {
      project_id: to.id,
      title: 'Moves',
      description: `See ${from.path}#${other.iid}, \`#${other.iid}\` and #4000`,
      author: { id: author.id },
      assignee: { id: author.id },
      labels: ['bug'],
      milestone: { title: 'Next', project_id: to.id },
      due_date: '2031-01-01',
      created_at: issue.created_at,
      time_stats: { total_time_spent: 7_200 },
      upvotes: 1,
      user_notes_count: 3,
      state: 'opened',
      moved_to_id: null,
    },
  ])
  expect(before).toMatchObject({ state: 'closed', moved_to_id: moved.body.id, closed_by: { id: reporter.id } })
  const bodies = async (path: string) =>
    (await forge.as(reporter).get(`${path}/notes?sort=asc&per_page=100`)).body.map(({ body }: { body: string }) => body)
  expect(await bodies(there)).toEqual(
    expect.arrayContaining([`As in ${from.path}#${other.iid}`, 'First', 'Second', `moved from ${from.path}#${issue.iid}`]),
  )
  expect((await bodies(one)).at(-1)).toBe(`moved to ${to.path}#${moved.body.iid}`)
  const copied = (await forge.as(reporter).get(`${there}/discussions/${discussion.id}`)).body
  expect(copied.notes.map(({ body }: { body: string }) => body)).toEqual(['First', 'Second'])
  const note = (await forge.as(reporter).get(`${there}/notes?sort=asc`)).body.find(({ body }: { body: string }) => body.startsWith('As in'))
  expect((await forge.as(reporter).get(`${there}/notes/${note.id}/award_emoji`)).body).toMatchObject([{ name: 'tada' }])
  const events = (await forge.as(reporter).get(`${there}/resource_label_events`)).body
  expect(events.map(({ label, action }: { label: { name: string }; action: string }) => [label.name, action])).toEqual([
    ['bug', 'add'],
    ['only here', 'add'],
  ])
})

test('an issue moves once, to a project where the mover may plan, and never to its own', async () => {
  const { iid } = await forge.issue(from, reporter)
  const move = (user: TestUser, to_project_id: unknown) => forge.as(user).post(`${at(from, iid)}/move`, { to_project_id })
  const insufficient = { message: 'Cannot move issue due to insufficient permissions!' }
  const foreign = await forge.project({ owner, visibility: 'public', files: null })
  const hidden = await forge.project({ owner, files: null })
  const closed = await forge.project({ owner, reporter, files: null })
  await forge.as(owner).put(`/projects/${closed.id}`, { issues_access_level: 'disabled' })
  const archived = await forge.project({ owner, reporter, files: null })
  await forge.as(owner).post(`/projects/${archived.id}/archive`)
  for (const project of [foreign, closed, archived]) {
    const answer = await move(reporter, project.id)
    expect([answer.status, answer.body]).toEqual([400, insufficient])
  }
  const same = await move(reporter, from.id)
  expect([same.status, same.body]).toEqual([400, { message: 'Cannot move issue to project it originates from!' }])
  for (const missing of [0, hidden.id, 4_000_000])
    expect((await move(reporter, missing)).body).toEqual({ message: '404 Project Not Found' })
  expect((await move(reporter, 'x')).status).toBe(400)
  expect((await move(author, to.id)).body).toEqual(insufficient)
  expect((await forge.as(reporter).get(at(from, iid))).body).toMatchObject({ state: 'opened', moved_to_id: null })
  const both = await Promise.all([move(reporter, to.id), move(owner, to.id)])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  expect((await forge.as(reporter).post(`${at(from, 4000)}/move`, { to_project_id: to.id })).body).toEqual({
    message: '404 Issue Not Found',
  })
})

test('cloning creates an issue in the name of the user, in another or the same project, with comments on request', async () => {
  const { issue, other, one } = await filled()
  await forge.as(reporter).put(one, { state_event: 'close' })
  const clone = (user: TestUser, sent: object) => forge.as(user).post(`${one}/clone`, sent)
  const bodies = async (iid: number, project = to) =>
    (await forge.as(reporter).get(`${at(project, iid)}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body)
  const there = await clone(reporter, { to_project_id: to.id })
  expect([there.status, there.body]).toMatchObject([
    201,
    {
      project_id: to.id,
      title: 'Moves',
      description: `See ${from.path}#${other.iid}, \`#${other.iid}\` and #4000`,
      state: 'opened',
      author: { id: reporter.id },
      assignee: { id: author.id },
      labels: ['bug'],
      milestone: { title: 'Next', project_id: to.id },
      due_date: '2031-01-01',
      user_notes_count: 0,
      upvotes: 0,
      time_stats: { total_time_spent: 0 },
    },
  ])
  expect(await bodies(there.body.iid)).toEqual([`cloned from ${from.path}#${issue.iid}`])
  const here = await clone(reporter, { to_project_id: from.id, with_notes: true })
  expect(here.body).toMatchObject({
    project_id: from.id,
    description: issue.description,
    labels: ['bug', 'only here'],
    user_notes_count: 3,
  })
  expect(await bodies(here.body.iid, from)).toEqual(
    expect.arrayContaining([`As in #${other.iid}`, 'First', 'Second', `cloned from #${issue.iid}`]),
  )
  expect((await forge.as(reporter).get(one)).body).toMatchObject({ state: 'closed', moved_to_id: null })
  expect(await bodies(issue.iid, from)).toEqual(
    expect.arrayContaining([`cloned to ${to.path}#${there.body.iid}`, `cloned to #${here.body.iid}`]),
  )
  const hidden = await forge.project({ owner, files: null })
  const foreign = await forge.project({ owner, visibility: 'public', files: null })
  for (const [user, sent, status] of [
    [reporter, { to_project_id: hidden.id }, 404],
    [reporter, { to_project_id: foreign.id }, 400],
    [author, { to_project_id: to.id }, 400],
    [reporter, { to_project_id: to.id, with_notes: 'perhaps' }, 400],
    [reporter, {}, 400],
  ] as const)
    expect([sent, (await clone(user, sent)).status]).toEqual([sent, status])
})

test('a confidential issue stays so, a closed one stays closed, and /move does the same', async () => {
  const { iid } = await forge.issue(from, author, { confidential: true })
  await forge.as(reporter).put(at(from, iid), { state_event: 'close' })
  const note = await forge.as(reporter).post(`${at(from, iid)}/notes`, { body: `/move ${to.full_path}` })
  expect(note.status).toBe(202)
  const old = (await forge.as(reporter).get(at(from, iid))).body
  const copy = (await forge.as(owner).get(`${at(to)}?confidential=true`)).body.find(({ id }: { id: number }) => id === old.moved_to_id)
  expect(copy).toMatchObject({ confidential: true, state: 'closed', closed_by: { id: reporter.id } })
  expect((await forge.as(await forge.user()).get(at(to, copy.iid))).status).toBe(404)
})

test('a hundred notes more take no more statements than their batches', async () => {
  const few = await forge.issue(from, reporter)
  const many = await forge.issue(from, reporter)
  const row = (index: number) => ({
    project_id: from.id,
    author_id: reporter.id,
    issue_id: many.id,
    discussion_id: `d${index}`,
    body: `Note ${index}`,
    created_at: many.created_at,
    updated_at: many.created_at,
    about_issue_id: null,
    about_project_id: null,
    type: null,
    system_action: null,
    resolved_at: null,
    resolved_by_id: null,
    last_edited_by_id: null,
  })
  await forge.app.db
    .insertInto('notes')
    .values(Array.from({ length: 90 }, (_, index) => row(index)))
    .execute()
  const costOf = async (iid: number) =>
    (await forge.cost(() => forge.as(reporter).post(`${at(from, iid)}/move`, { to_project_id: to.id }))).statements
  const [one, ninety] = [await costOf(few.iid), await costOf(many.iid)]
  expect(ninety - one).toBeLessThanOrEqual(12)
})

test('labels and milestones that stay in a hidden project are not shown where the issue has moved', async () => {
  const hidden = await forge.project({ owner, reporter, files: null })
  await forge.as(owner).post(`/projects/${hidden.id}/labels`, { name: 'secret plan', color: 'red', description: 'secret words' })
  await forge.as(owner).post(`/projects/${hidden.id}/labels`, { name: 'bug', color: 'red' })
  const { body: milestone } = await forge
    .as(owner)
    .post(`/projects/${hidden.id}/milestones`, { title: 'Secret goal', description: 'secret words' })
  const { iid } = await forge.issue(hidden, owner)
  await forge.as(owner).put(at(hidden, iid), { labels: 'secret plan,bug', milestone_id: milestone.id })
  const { body: moved } = await forge.as(owner).post(`${at(hidden, iid)}/move`, { to_project_id: to.id })
  const there = at(to, moved.iid)
  const [labels, milestones] = [
    await forge.as(author).get(`${there}/resource_label_events`),
    await forge.as(author).get(`${there}/resource_milestone_events`),
  ]
  expect(labels.body).toMatchObject([
    { action: 'add', label: null },
    { action: 'add', label: null },
  ])
  expect(milestones.body).toMatchObject([{ action: 'add', milestone: null }])
  const one = await forge.as(author).get(`${there}/resource_milestone_events/${milestones.body[0].id}`)
  expect(JSON.stringify([labels.body, milestones.body, one.body])).not.toMatch(/secret/i)
  const stayed = await forge.as(owner).get(`${at(hidden, iid)}/resource_milestone_events`)
  expect(stayed.body).toMatchObject([{ milestone: { title: 'Secret goal' } }])
})
