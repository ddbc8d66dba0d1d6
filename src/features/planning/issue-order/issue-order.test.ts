/** The order of issues in lists of boards: what comes where, for whom, and how often others must give way. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { Issue } from '../../../db/tables.ts'
import { listPosition } from './issue-order.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

async function withIssues(count: number, visibility: 'private' | 'public' = 'private') {
  const project = await forge.project({ owner, visibility, files: null })
  const issues: Issue[] = []
  for (let number = 0; number < count; number++) issues.push(await forge.issue(project, owner))
  return { project, issues }
}

async function orderOf(project: TestProject): Promise<number[]> {
  const ordered = forge.app.db.selectFrom('issues').select('iid').where('project_id', '=', project.id)
  return (await ordered.orderBy(listPosition).orderBy('issues.id', 'desc').execute()).map(({ iid }) => iid)
}

const move = (project: TestProject, iid: number, body: object, user = owner) =>
  forge.as(user).put(`/projects/${project.id}/issues/${iid}/reorder`, body)

test('an issue comes behind one, before another, or between two; others stay where they were', async () => {
  const { project, issues } = await withIssues(4)
  const [one, two, three, four] = issues.map(({ id }) => id)
  expect(await orderOf(project)).toEqual([4, 3, 2, 1])
  const moved = await move(project, 1, { move_after_id: four, move_before_id: three })
  expect([moved.status, moved.body.iid, moved.body.updated_at]).toEqual([200, 1, issues[0]?.updated_at])
  expect(await orderOf(project)).toEqual([4, 1, 3, 2])
  await move(project, 4, { move_after_id: two })
  expect(await orderOf(project)).toEqual([1, 3, 2, 4])
  await move(project, 2, { move_before_id: one })
  expect(await orderOf(project)).toEqual([2, 1, 3, 4])
  await move(project, 3, { move_before_id: one })
  expect(await orderOf(project)).toEqual([2, 3, 1, 4])
  await forge.issue(project, owner)
  expect(await orderOf(project)).toEqual([2, 3, 1, 4, 5])
})

test('hundreds can be put into the same place', async () => {
  const { project, issues } = await withIssues(6)
  const [first, second] = [issues[5], issues[4]]
  let expected = [6, 5, 4, 3, 2, 1]
  for (let round = 0; round < 100; round++) {
    const iid = (round % 4) + 1
    const place = round % 2 === 0 ? { move_after_id: first?.id } : { move_after_id: first?.id, move_before_id: second?.id }
    const known = round % 2 === 0 || expected[1] === 5 || expected[1] === iid
    expect((await move(project, iid, known ? place : { move_after_id: first?.id })).status).toBe(200)
    expected = [6, iid, ...expected.slice(1).filter((other) => other !== iid)]
    expect(await orderOf(project)).toEqual(expected)
  }
})

test('those who may update an issue give it another place in the order', async () => {
  const { project, issues } = await withIssues(2, 'public')
  const stranger = await forge.user()
  const own = await forge.issue(project, stranger)
  const place = { move_after_id: issues[0]?.id }
  expect((await move(project, 2, place, stranger)).status).toBe(403)
  expect((await move(project, own.iid, place, stranger)).status).toBe(200)
  expect((await forge.anonymous.put(`/projects/${project.id}/issues/1/reorder`, place)).status).toBe(401)
  await forge.as(owner).post(`/projects/${project.id}/archive`)
  expect((await move(project, 2, place)).status).toBe(403)
})

test('an unknown, hidden or foreign neighbour, the issue itself, or none is refused, and nothing moves', async () => {
  const { project } = await withIssues(2, 'public')
  const other = await withIssues(1)
  const hidden = await forge.issue(project, owner, { confidential: true })
  const stranger = await forge.user()
  const own = await forge.issue(project, stranger)
  for (const id of [99_999, other.issues[0]?.id, hidden.id, own.id]) {
    const { status, body } = await move(project, own.iid, { move_after_id: id }, stranger)
    expect([status, body]).toEqual([422, { message: { error: 'Unprocessable Entity' } }])
  }
  expect((await move(project, own.iid, {}, stranger)).status).toBe(400)
  expect(await orderOf(project)).toEqual([4, 3, 2, 1])
})

test('moves at once leave every issue in one place', async () => {
  const { project, issues } = await withIssues(6)
  const first = issues[5]
  const answers = await Promise.all([1, 2, 3, 4].map((iid) => move(project, iid, { move_after_id: first?.id })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const order = await orderOf(project)
  expect([order[0], order[5], [...order].sort()]).toEqual([6, 5, [1, 2, 3, 4, 5, 6]])
})
