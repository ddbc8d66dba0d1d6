/** Links between issues: what they show, and to whom. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { Issue } from '../../../db/tables.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const at = ({ id }: TestProject, { iid }: Issue) => `/projects/${id}/issues/${iid}/links`
const to = ({ project_id, iid }: Issue, link_type?: string) => ({ target_project_id: project_id, target_issue_iid: iid, link_type })

async function cast() {
  const [owner, reporter, guest] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter, guest, files: null })
  const issues = [await forge.issue(project, owner), await forge.issue(project, owner), await forge.issue(project, owner)] as const
  return { owner, reporter, guest, project, issues }
}

test('a link shows at both ends, a blocking one from the side of each', async () => {
  const { reporter, project, issues } = await cast()
  const client = forge.as(reporter)
  const made = await client.post(at(project, issues[0]), to(issues[1], 'is_blocked_by'))
  const plain = await client.post(at(project, issues[0]), { ...to(issues[2]), target_project_id: project.full_path })
  const listed = async (issue: Issue) => {
    const { body } = await client.get(at(project, issue))
    return body.map((one: Record<string, unknown>) => [one.iid, one.link_type, one.issue_link_id])
  }

  expect([made.status, made.body.source_issue.iid, made.body.target_issue.iid, made.body.link_type]).toEqual([201, 2, 1, 'blocks'])
  expect([plain.status, plain.body.source_issue.iid, plain.body.target_issue.iid, plain.body.link_type]).toEqual([201, 1, 3, 'relates_to'])
  expect(await listed(issues[0])).toEqual([
    [2, 'is_blocked_by', made.body.id],
    [3, 'relates_to', plain.body.id],
  ])
  expect(await listed(issues[1])).toEqual([[1, 'blocks', made.body.id]])
  expect((await client.get(`${at(project, issues[2])}/${plain.body.id}`)).body).toEqual(plain.body)

  const removed = await client.delete(`${at(project, issues[1])}/${made.body.id}`)
  expect([removed.status, removed.body.id, await listed(issues[1])]).toEqual([200, made.body.id, []])
})

test('two issues have one link, even when both are linked with each other at once', async () => {
  const { reporter, project, issues } = await cast()
  const client = forge.as(reporter)
  const answers = await Promise.all([
    client.post(at(project, issues[0]), to(issues[1])),
    client.post(at(project, issues[1]), to(issues[0])),
    client.post(at(project, issues[0]), to(issues[1], 'blocks')),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toEqual({ message: 'Issue(s) already assigned' })
  const itself = await client.post(at(project, issues[2]), to(issues[2]))
  expect([itself.status, itself.body]).toEqual([422, { message: '#3 cannot be added: cannot be related to itself' }])
})

test('both issues tell of their link and of its end, each to those who can see the other', async () => {
  const { owner, reporter, project, issues } = await cast()
  const elsewhere = await forge.project({ owner, files: null })
  const hidden = await forge.issue(elsewhere, owner)
  for (const body of [to(issues[1], 'blocks'), to(issues[2]), to(hidden)]) await forge.as(owner).post(at(project, issues[0]), body)
  const [first] = (await forge.as(owner).get(at(project, issues[0]))).body
  await forge.as(owner).delete(`${at(project, issues[0])}/${first.issue_link_id}`)
  const told = async (user: TestUser, where: TestProject, { iid }: Issue) => {
    const { body } = await forge.as(user).get(`/projects/${where.id}/issues/${iid}/notes?sort=asc`)
    return body.map(({ body, system }: { body: string; system: boolean }) => (system ? body : null))
  }
  const common = ['marked this issue as blocking #2', 'marked this issue as related to #3']
  expect(await told(owner, project, issues[0])).toEqual([
    ...common,
    `marked this issue as related to ${elsewhere.name}#1`,
    'removed the relation with #2',
  ])
  expect(await told(reporter, project, issues[0])).toEqual([...common, 'removed the relation with #2'])
  expect(await told(owner, project, issues[1])).toEqual(['marked this issue as blocked by #1', 'removed the relation with #1'])
  expect(await told(owner, elsewhere, hidden)).toEqual([`marked this issue as related to ${project.name}#1`])
})

test('a user who can see one of two linked issues is shown nothing of the other', async () => {
  const { owner, reporter, guest, project, issues } = await cast()
  const elsewhere = await forge.project({ owner, files: null })
  const hidden = await forge.issue(elsewhere, owner)
  const confidential = await forge.issue(project, owner, { confidential: true })
  const link = (await forge.as(owner).post(at(project, issues[0]), to(hidden))).body
  const secret = (await forge.as(owner).post(at(project, issues[0]), to(confidential))).body
  const seen = async (user: TestUser) => {
    const { body } = await forge.as(user).get(at(project, issues[0]))
    const statuses = []
    for (const { id } of [link, secret]) statuses.push((await forge.as(user).get(`${at(project, issues[0])}/${id}`)).status)
    return [body.map(({ issue_link_id }: { issue_link_id: number }) => issue_link_id), ...statuses]
  }
  expect(await seen(owner)).toEqual([[link.id, secret.id], 200, 200])
  expect(await seen(reporter)).toEqual([[secret.id], 404, 200])
  expect(await seen(guest)).toEqual([[], 404, 404])
  const refused = await forge.as(reporter).delete(`${at(project, issues[0])}/${link.id}`)
  expect([refused.status, (await seen(owner))[0]]).toEqual([404, [link.id, secret.id]])
})

test('linking takes the role reporter in both projects, and neither may be archived', async () => {
  const { owner, reporter, guest, project, issues } = await cast()
  const other = await forge.project({ owner, guest: reporter, files: null })
  const there = await forge.issue(other, owner)
  const own = await forge.issue(project, guest)
  const statuses = async (user: TestUser, from: [TestProject, Issue], body: object) => (await forge.as(user).post(at(...from), body)).status
  expect(await statuses(guest, [project, own], to(issues[0]))).toBe(403)
  expect(await statuses(reporter, [project, issues[0]], to(there))).toBe(403)
  expect(await statuses(reporter, [project, issues[0]], { target_project_id: 9_999_999, target_issue_iid: 1 })).toBe(404)
  expect(await statuses(reporter, [project, issues[0]], { target_project_id: project.id, target_issue_iid: 99 })).toBe(404)
  expect(await statuses(reporter, [project, issues[0]], to(issues[1], 'duplicates'))).toBe(400)
  await forge.as(owner).post(`/projects/${other.id}/archive`)
  expect(await statuses(owner, [project, issues[0]], to(there))).toBe(403)
  expect(await statuses(owner, [other, there], to(issues[0]))).toBe(403)
  expect((await forge.as(owner).get(at(project, issues[0]))).body).toEqual([])
})

test('a list of linked issues costs the same, however long it is', async () => {
  const { owner, project, issues } = await cast()
  const cost = () => forge.cost(() => forge.as(owner).get(`${at(project, issues[0])}?per_page=100`))
  await forge.as(owner).post(at(project, issues[0]), to(issues[1]))
  const short = await cost()
  for (let index = 0; index < 5; index += 1) await forge.as(owner).post(at(project, issues[0]), to(await forge.issue(project, owner)))
  expect(await cost()).toEqual(short)
})
