/** Mentions in issues and notes create todos, participants, and notes on the other side. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { Issue } from '../../../db/tables.ts'
import { participantsOf } from '../participation/participation.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

async function cast() {
  const [owner, ada, bea] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter: ada, developer: bea, files: null })
  return { owner, ada, bea, project }
}

async function todosOf(user: TestUser): Promise<string[]> {
  const { body } = await forge.as(user).get('/todos')
  return body.map((todo: { action_name: string }) => todo.action_name)
}

async function systemNotes(user: TestUser, project: TestProject, issue: Issue): Promise<string[]> {
  const { body } = await forge.as(user).get(`/projects/${project.id}/issues/${issue.iid}/notes?sort=asc`)
  return body.filter((note: { system: boolean }) => note.system).map((note: { body: string }) => note.body)
}

const write = (user: TestUser, project: TestProject, issue: Issue, body: string, fields = {}) =>
  forge.note(project, issue, user, { body, ...fields })

test('who is mentioned gets a todo, and one of another kind where the text begins with them', async () => {
  const { owner, ada, bea, project } = await cast()
  await forge.issue(project, owner, { description: `@${ada.username} look, and tell @${bea.username}\n\n\`@${owner.username}\`` })
  expect([await todosOf(ada), await todosOf(bea), await todosOf(owner)]).toEqual([['directly_addressed'], ['mentioned'], []])
})

test('a changed text gives todos to those alone whom it did not mention before', async () => {
  const { owner, ada, bea, project } = await cast()
  const issue = await forge.issue(project, owner, { description: `Hi @${ada.username}` })
  await forge.as(ada).post(`/todos/mark_as_done`)
  await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { description: `Hi @${ada.username} and @${bea.username}` })
  expect([await todosOf(ada), await todosOf(bea)]).toEqual([[], ['mentioned']])
})

test('a group is mentioned by those who can see it, everybody by members alone', async () => {
  const { owner, ada, bea, project } = await cast()
  const eve = await forge.user()
  const open = await forge.project({ owner, reporter: ada, visibility: 'public', files: null })
  const club = await forge.group({ owner, developer: ada, visibility: 'private' })
  const issue = await forge.issue(open, owner)
  await write(eve, open, issue, `@${club.full_path} and @all`)
  expect(await todosOf(ada)).toEqual([])
  await write(owner, open, issue, `Ask @${club.full_path}`)
  expect(await todosOf(ada)).toEqual(['mentioned'])
  await forge.issue(project, owner, { description: '@all: news' })
  expect(await todosOf(bea)).toEqual(['directly_addressed'])
})

test('a user who can’t see the issue gets no todo', async () => {
  const { owner, bea, project } = await cast()
  const [eve, guest] = [await forge.user(), await forge.user()]
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  const text = `To @${bea.username}, @${eve.username} and @${guest.username}`
  const issue = await forge.issue(project, owner, { description: text, confidential: true })
  expect([await todosOf(bea), await todosOf(eve), await todosOf(guest)]).toEqual([['mentioned'], [], []])
  await write(owner, project, issue, text, { internal: true })
  expect([await todosOf(eve), await todosOf(guest)]).toEqual([[], []])
})

test('a mentioned user takes part in the issue', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner)
  await write(owner, project, issue, `Thanks, @${ada.username}!`)
  const people = await participantsOf(forge.app.db, { kind: 'issue', id: issue.id }, { internal: false })
  expect(people.map(({ id }) => id)).toContain(ada.id)
})

test('an issue says once where it is mentioned', async () => {
  const { owner, ada, project } = await cast()
  const sibling = await forge.project({ owner, visibility: 'public', files: null })
  const group = await forge.group({ owner })
  const far = await forge.project({ owner, group, files: null })
  const [target, here, beside, away] = [
    await forge.issue(project, owner),
    await forge.issue(project, ada),
    await forge.issue(sibling, owner),
    await forge.issue(far, owner),
  ]
  await write(ada, project, here, `See #${target.iid} and #${here.iid}`)
  await write(ada, project, here, `Again #${target.iid}`)
  await write(owner, sibling, beside, `${project.path}#${target.iid}`)
  await write(owner, far, away, `http://gitstead.test/${project.full_path}/issues/${target.iid}`)
  expect(await systemNotes(owner, project, target)).toEqual([
    `mentioned in issue #${here.iid}`,
    `mentioned in issue ${sibling.path}#${beside.iid}`,
    `mentioned in issue ${far.full_path}#${away.iid}`,
  ])
  expect(await systemNotes(owner, project, here)).toEqual([])
})

test('a mention in what a reader can’t see is hidden from them, and one by who can’t see the issue leaves no trace', async () => {
  const { owner, ada, project } = await cast()
  const eve = await forge.user()
  const open = await forge.project({ owner, visibility: 'public', files: null })
  const [target, secret, hidden] = [
    await forge.issue(open, owner),
    await forge.issue(open, owner, { confidential: true }),
    await forge.issue(project, ada),
  ]
  await write(owner, open, secret, `#${target.iid}`)
  await write(ada, project, hidden, `${open.full_path}#${target.iid}`)
  expect((await systemNotes(owner, open, target)).length).toBe(2)
  expect([await systemNotes(ada, open, target), await systemNotes(eve, open, target)]).toEqual([
    [`mentioned in issue ${project.path}#${hidden.iid}`],
    [],
  ])
  await write(eve, open, target, `${project.full_path}#${hidden.iid} #${secret.iid}`)
  expect([await systemNotes(owner, project, hidden), await systemNotes(owner, open, secret)]).toEqual([[], []])
})

test('internal notes leave no trace on the other side', async () => {
  const { owner, ada, project } = await cast()
  const [target, here] = [await forge.issue(project, owner), await forge.issue(project, owner)]
  await write(ada, project, here, `#${target.iid}`, { internal: true })
  expect(await systemNotes(owner, project, target)).toEqual([])
})

test('a text with too many mentions is refused, and nothing changes', async () => {
  const { owner, project } = await cast()
  const [target, issue] = [await forge.issue(project, owner), await forge.issue(project, owner)]
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => `#${from + index}`).join(' ')
  const texts = [
    numbers(target.iid, 501),
    `#${target.iid} `.repeat(10_000),
    Array.from({ length: 10_000 }, (_, index) => `@u${index}`).join(' '),
  ]
  const refused = { code: 'invalid', body: { message: { note: ['mentions too many people and issues (maximum is 500)'] } } }
  for (const text of texts) await expect(write(owner, project, issue, text)).rejects.toMatchObject(refused)
  const { body } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/notes`)
  expect([await systemNotes(owner, project, target), body]).toEqual([[], []])
  const created = await forge.as(owner).post(`/projects/${project.id}/issues`, { title: 'Many', description: numbers(1, 501) })
  expect([created.status, Object.keys(created.body.message)]).toEqual([400, ['description']])
  await write(owner, project, issue, numbers(target.iid, 500))
  await write(owner, project, issue, `\`\`\`\n${numbers(1, 2_000)}\n\`\`\``)
})

test('any number of mentions costs the same statements', async () => {
  const { owner, ada, bea, project } = await cast()
  const issue = await forge.issue(project, owner)
  const targets: Issue[] = []
  for (let index = 0; index < 20; index += 1) targets.push(await forge.issue(project, owner))
  const texts = [
    `#${targets[0]?.iid} @${ada.username}`,
    `${targets.map(({ iid }) => `#${iid}`).join(' ')} @${ada.username} @${bea.username}`,
  ]
  const costs = []
  for (const text of texts) costs.push((await forge.cost(() => write(owner, project, issue, text))).statements)
  expect(costs[1]).toBe(costs[0])
})
