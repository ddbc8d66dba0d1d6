/** Award emoji: who may award which, and what they count for. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let reporter: TestUser
let stranger: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  ;[reporter, stranger] = [await forge.user(), await forge.user()]
  project = await forge.project({ reporter, visibility: 'public', files: null })
})

const issueAt = (iid: number) => `/projects/${project.id}/issues/${iid}`
const votesOf = async (iid: number) => {
  const { body } = await forge.as(reporter).get(issueAt(iid))
  return [body.upvotes, body.downvotes]
}

test('an award has its user, and is on an issue or on a note', async () => {
  const issue = await forge.issue(project, reporter)
  const note = await forge.note(project, issue, reporter)
  for (const [at, awardable_id, awardable_type] of [
    [issueAt(issue.iid), issue.id, 'Issue'],
    [`${issueAt(issue.iid)}/notes/${note.id}`, note.id, 'Note'],
  ] as const) {
    const given = await forge.as(stranger).post(`${at}/award_emoji`, { name: '+1' })
    expect([given.status, given.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'thumbsup',
        user: expect.objectContaining({ username: stranger.username }),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        awardable_id,
        awardable_type,
      },
    ])
    expect((await forge.as(reporter).get(`${at}/award_emoji`)).body).toEqual([given.body])
    expect((await forge.as(reporter).get(`${at}/award_emoji/${given.body.id}`)).body).toEqual(given.body)
  }
  expect(await votesOf(issue.iid)).toEqual([1, 0])
})

test('thumbs count as votes until they are removed, other emoji never', async () => {
  const issue = await forge.issue(project, reporter)
  const at = `${issueAt(issue.iid)}/award_emoji`
  for (const user of [reporter, stranger]) await forge.as(user).post(at, { name: 'thumbsup' })
  await forge.as(reporter).post(at, { name: 'tada' })
  const down = await forge.as(stranger).post(at, { name: '-1' })
  expect(await votesOf(issue.iid)).toEqual([2, 1])
  expect((await forge.as(stranger).delete(`${at}/${down.body.id}`)).status).toBe(204)
  expect(await votesOf(issue.iid)).toEqual([2, 0])
  expect((await forge.as(stranger).delete(`${at}/${down.body.id}`)).status).toBe(404)
})

test('a user awards one of each, also when they ask many times at once', async () => {
  const issue = await forge.issue(project, reporter)
  const at = `${issueAt(issue.iid)}/award_emoji`
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => forge.as(stranger).post(at, { name: index % 2 ? '+1' : 'thumbsup' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(404)])
  expect(answers.find(({ status }) => status === 404)?.body).toEqual({ message: '404 Award Emoji Name has already been taken Not Found' })
  expect(await votesOf(issue.iid)).toEqual([1, 0])
})

test('an emoji that does not exist is refused with 404, a missing name with 400, and nothing is awarded', async () => {
  const issue = await forge.issue(project, reporter)
  const at = `${issueAt(issue.iid)}/award_emoji`
  for (const name of ['nothing_like_it', '', '👍👍', '__proto__', 'a b'])
    expect((await forge.as(reporter).post(at, { name })).body).toEqual({
      message: '404 Award Emoji Name is not included in the list Not Found',
    })
  expect((await forge.as(reporter).post(at, {})).body).toEqual({ error: 'name is missing' })
  expect((await forge.as(reporter).post(at, { name: 'x'.repeat(256) })).status).toBe(400)
  expect((await forge.as(reporter).get(at)).body).toEqual([])
})

test('an award is removed by who gave it and by administrators: others get 403', async () => {
  const issue = await forge.issue(project, reporter)
  const at = `${issueAt(issue.iid)}/award_emoji`
  const [one, other] = [await forge.as(stranger).post(at, { name: 'heart' }), await forge.as(stranger).post(at, { name: 'tada' })]
  expect((await forge.as(reporter).delete(`${at}/${one.body.id}`)).status).toBe(403)
  expect((await forge.as(forge.root).delete(`${at}/${one.body.id}`)).status).toBe(204)
  expect((await forge.as(stranger).delete(`${at}/${other.body.id}`)).status).toBe(204)
})

test('an award is found below what it is on alone, and not on notes of the system', async () => {
  const [issue, other] = [await forge.issue(project, reporter), await forge.issue(project, reporter)]
  const { body } = await forge.as(reporter).post(`${issueAt(issue.iid)}/award_emoji`, { name: 'heart' })
  expect((await forge.as(reporter).get(`${issueAt(other.iid)}/award_emoji/${body.id}`)).status).toBe(404)
  expect((await forge.as(reporter).delete(`${issueAt(other.iid)}/award_emoji/${body.id}`)).status).toBe(404)
  const note = await forge.note(project, issue, reporter)
  await forge.app.db.updateTable('notes').set({ system: true }).where('id', '=', note.id).execute()
  const refused = await forge.as(reporter).post(`${issueAt(issue.iid)}/notes/${note.id}/award_emoji`, { name: 'heart' })
  expect([refused.status, refused.body]).toEqual([404, { message: '404 Award Emoji Not Found' }])
})

test('a list costs the same, however long it is; an archived project takes none', async () => {
  const own = await forge.project({ reporter, visibility: 'public', files: null })
  const issue = await forge.issue(own, reporter)
  const at = `/projects/${own.id}/issues/${issue.iid}/award_emoji`
  const list = () => forge.as(reporter).get(at)
  await forge.as(reporter).post(at, { name: 'heart' })
  const short = await forge.cost(list)
  for (const name of ['tada', 'smile', 'rocket', 'eyes']) await forge.as(stranger).post(at, { name })
  expect(await forge.cost(list)).toEqual(short)
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', own.id).execute()
  expect((await forge.as(reporter).post(at, { name: 'smile' })).status).toBe(403)
})
