/** Resource events: what is recorded of the labels, milestones and states of an issue, and who reads it. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import { changeIssueIn, type IssueChange } from '../../planning/issues/issues.ts'

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({ owner, visibility: 'public', files: null })
})

const change = (id: number, fields: IssueChange) =>
  inTransaction(forge.app.db, (tx) => changeIssueIn(tx, { user: owner, project, level: 50 }, id, fields))

async function label(name: string): Promise<number> {
  return (await forge.as(owner).post(`/projects/${project.id}/labels`, { name, color: 'red' })).body.id
}

test('each label that is added or removed is an event, also those of a new issue', async () => {
  const [one, two] = [await label('one'), await label('two')]
  const issue = await forge.issue(project, owner, { label_ids: [one] })
  await change(issue.id, { label_ids: [two] })
  await change(issue.id, { label_ids: [two], title: 'Same labels' })
  const url = `/projects/${project.id}/issues/${issue.iid}/resource_label_events`
  const { body, headers } = await forge.as(owner).get(url)
  expect(headers['x-total']).toBe('3')
  expect(body[0]).toEqual({
    id: expect.any(Number),
    user: expect.objectContaining({ id: owner.id, username: owner.username }),
    created_at: issue.created_at,
    resource_type: 'Issue',
    resource_id: issue.id,
    label: { id: one, name: 'one', color: '#FF0000', description: null },
    action: 'add',
  })
  expect(body.map(({ label, action }: { label: { name: string }; action: string }) => `${action} ${label.name}`)).toEqual([
    'add one',
    'add two',
    'remove one',
  ])
  expect((await forge.as(owner).get(`${url}/${body[1].id}`)).body).toEqual(body[1])
  const other = await forge.issue(project, owner)
  const elsewhere = await forge.as(owner).get(`/projects/${project.id}/issues/${other.iid}/resource_label_events/${body[1].id}`)
  expect(elsewhere.status).toBe(404)
  await forge.as(owner).delete(`/projects/${project.id}/labels/${one}`)
  expect((await forge.as(owner).get(`${url}/${body[0].id}`)).body).toMatchObject({ label: null, action: 'add' })
})

test('each milestone that is set or removed is an event', async () => {
  const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: '1.0' })
  const issue = await forge.issue(project, owner)
  for (const milestone_id of [milestone.id, milestone.id, null]) await change(issue.id, { milestone_id })
  const url = `/projects/${project.id}/issues/${issue.iid}/resource_milestone_events`
  const { body } = await forge.as(owner).get(url)
  const event = { user: expect.objectContaining({ id: owner.id }), resource_type: 'Issue', resource_id: issue.id, milestone }
  expect(body).toEqual([
    { id: expect.any(Number), created_at: expect.any(String), ...event, action: 'add' },
    { id: expect.any(Number), created_at: expect.any(String), ...event, action: 'remove' },
  ])
  expect((await forge.as(owner).get(`${url}/${body[0].id}`)).body).toEqual(body[0])
})

test('closing and reopening are events; a new issue has none', async () => {
  const issue = await forge.issue(project, owner)
  const url = `/projects/${project.id}/issues/${issue.iid}/resource_state_events`
  expect((await forge.as(owner).get(url)).body).toEqual([])
  for (const state of ['closed', 'closed', 'opened'] as const) await change(issue.id, { state })
  const { body } = await forge.as(owner).get(url)
  expect(body.map(({ state }: { state: string }) => state)).toEqual(['closed', 'reopened'])
  expect((await forge.as(owner).get(`${url}/${body[0].id}`)).body).toEqual(body[0])
})

test.each(['label', 'milestone', 'state'])('the %s events of a confidential issue are for those who can see it', async (kind) => {
  const issue = await forge.issue(project, owner, { confidential: true })
  await change(issue.id, { state: 'closed' })
  const url = `/projects/${project.id}/issues/${issue.iid}/resource_${kind}_events`
  const stranger = await forge.user()
  expect((await forge.as(stranger).get(url)).status).toBe(404)
  expect((await forge.as(stranger).get(`${url}/1`)).status).toBe(404)
  expect((await forge.anonymous.get(url)).status).toBe(401)
  expect((await forge.as(owner).get(url)).status).toBe(200)
  expect((await forge.as(owner).get(`${url}/99999`)).status).toBe(404)
})

test.each(['label', 'milestone', 'state'])('a list of %s events costs the same, however long it is', async (kind) => {
  const [one, two] = [await label(`a ${kind}`), await label(`b ${kind}`)]
  const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: `For ${kind}` })
  const issue = await forge.issue(project, owner, { label_ids: [one, two], milestone_id: milestone.id })
  for (const state of ['closed', 'opened'] as const) await change(issue.id, { state, milestone_id: null })
  const costOf = (per_page: number) =>
    forge.cost(() => forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/resource_${kind}_events?per_page=${per_page}`))
  expect(await costOf(1)).toEqual(await costOf(2))
})
