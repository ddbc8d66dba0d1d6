/** A team plans: four people with different rights, a confidential issue, a board, quick actions, a push that closes, access that is lost. */
import { beforeAll, expect, test } from 'vitest'
import type { LocatedGroup } from '../../src/access/find.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { clone, commit } from './git/wire.ts'

let forge: Forge
let owner: TestUser
let developer: TestUser
let reporter: TestUser
let guest: TestUser
let group: LocatedGroup
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, reporter, guest] = (await Promise.all(
    ['ada', 'dev', 'rita', 'gil'].map((username) => forge.user({ username, name: username })),
  )) as [TestUser, TestUser, TestUser, TestUser]
  group = await forge.group({ owner })
  project = await forge.project({ group, developer, reporter, guest, visibility: 'private', files: { 'engine.txt': 'stalls\n' } })
})

const at = (path: string) => `/projects/${project.id}${path}`
type Body = Record<string, unknown>

async function did(user: TestUser, method: 'get' | 'post' | 'put' | 'delete', path: string, body?: Body) {
  const client = forge.as(user)
  const answer = await (method === 'get' ? client.get(path) : method === 'delete' ? client.delete(path) : client[method](path, body))
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

const todosOf = async (user: TestUser) =>
  ((await did(user, 'get', '/todos')) as Array<{ action_name: string; target: { title: string } }>)
    .map(({ action_name, target }) => `${action_name} ${target.title}`)
    .sort()

const eventsOf = async (user: TestUser, query = '') =>
  ((await did(user, 'get', at(`/events?sort=asc&per_page=100${query}`))) as Array<Record<string, string>>).map(
    ({ author_username, action_name, target_title }) => `${author_username} ${action_name} ${target_title}`,
  )

const titles = async (user: TestUser) =>
  ((await did(user, 'get', at('/issues?scope=all&sort=asc'))) as Array<{ title: string }>).map(({ title }) => title)

/** The issues in each list of the board, as their labels say. */
async function boardShows(boardId: number): Promise<Record<string, string[]>> {
  const lists = (await did(owner, 'get', at(`/boards/${boardId}/lists`))) as Array<{ label: { name: string } }>
  const shown: Record<string, string[]> = {}
  for (const { label } of lists) {
    const issues = (await did(owner, 'get', at(`/issues?scope=all&state=opened&labels=${label.name}`))) as Array<{ title: string }>
    shown[label.name] = issues.map(({ title }) => title)
  }
  return shown
}

test('a team plans, discusses and closes its work, and who leaves it sees nothing of it any more', { timeout: 120_000 }, async () => {
  // The team prepares labels, a milestone and a board.
  for (const name of ['Doing', 'Review']) await did(reporter, 'post', at('/labels'), { name, color: '#336699' })
  await did(developer, 'post', at('/milestones'), { title: 'v1' })
  const board = (await did(owner, 'post', at('/boards'), { name: 'Plan' })) as { id: number }
  for (const { id } of (await did(owner, 'get', at('/labels'))) as Array<{ id: number }>)
    await did(owner, 'post', at(`/boards/${board.id}/lists`), { label_id: id })

  // A guest reports what is broken, a reporter what nobody else may know.
  await did(guest, 'post', at('/issues'), { title: 'The engine stalls', description: `@${reporter.username} look at this` })
  await did(reporter, 'post', at('/issues'), { title: 'The door is open', confidential: true, assignee_ids: [developer.id] })
  expect([await titles(guest), await titles(developer)]).toEqual([['The engine stalls'], ['The engine stalls', 'The door is open']])
  expect(await todosOf(reporter)).toEqual(['directly_addressed The engine stalls'])
  expect(await todosOf(developer)).toEqual(['assigned The door is open'])

  // A mention shows nothing to users who can't see where it is.
  await did(developer, 'post', at('/issues/2/notes'), { body: `@${guest.username} must not know, see #1` })
  expect(await todosOf(guest)).toEqual([])
  const seenBy = async (user: TestUser) =>
    ((await did(user, 'get', at('/issues/1/notes'))) as Array<{ body: string }>).filter(({ body }) => body.includes('mentioned in')).length
  expect([await seenBy(guest), await seenBy(reporter)]).toEqual([0, 1])

  // Quick actions: a guest's are refused, a reporter's done, and none stays in the text.
  await did(guest, 'post', at('/issues/1/notes'), { body: 'Please hurry\n/label ~Doing' })
  expect(await boardShows(board.id)).toEqual({ Doing: [], Review: [] })
  const commands = `/label ~Doing\n/assign @${developer.username}\n/milestone %v1\n/estimate 3h\n/due 2030-01-02`
  const note = (await did(reporter, 'post', at('/issues/1/notes'), { body: `On it\n${commands}` })) as { body: string }
  expect(note.body.trim()).toBe('On it')
  expect(await did(guest, 'get', at('/issues/1'))).toMatchObject({
    labels: ['Doing'],
    assignees: [{ username: developer.username }],
    milestone: { title: 'v1' },
    due_date: '2030-01-02',
    time_stats: { time_estimate: 10_800 },
  })
  // Answering has completed the developer's todo.
  expect(await todosOf(developer)).toEqual(['assigned The engine stalls'])
  expect(await todosOf(reporter)).toEqual([])

  // The board follows the labels.
  expect(await boardShows(board.id)).toEqual({ Doing: ['The engine stalls'], Review: [] })
  await did(developer, 'put', at('/issues/1'), { add_labels: 'Review', remove_labels: 'Doing' })
  expect(await boardShows(board.id)).toEqual({ Doing: [], Review: ['The engine stalls'] })
  const changes = (await did(guest, 'get', at('/issues/1/resource_label_events'))) as Array<{ action: string; label: { name: string } }>
  expect(changes.map(({ action, label }) => `${action} ${label.name}`).sort()).toEqual(['add Doing', 'add Review', 'remove Doing'])

  // A push closes it, and says so.
  const dir = await clone(await forge.remote(project, owner))
  const tip = await commit(dir, { 'engine.txt': 'runs\n' }, 'Run again\n\nCloses #1')
  await git(dir, 'push', '--quiet', 'origin', 'main')
  await forge.drain()
  expect(await did(guest, 'get', at('/issues/1'))).toMatchObject({ state: 'closed', closed_by: { username: owner.username } })
  const closing = ((await did(reporter, 'get', at('/issues/1/notes'))) as Array<{ body: string; system: boolean }>).filter(
    ({ body, system }) => system && body.startsWith('closed'),
  )
  expect(closing.map(({ body }) => body)).toEqual([`closed via commit ${tip}`])
  expect(await eventsOf(guest, '&target_type=issue')).toEqual(['gil opened The engine stalls', 'ada closed The engine stalls'])
  expect(await eventsOf(reporter, '&target_type=issue')).toEqual([
    'gil opened The engine stalls',
    'rita opened The door is open',
    'ada closed The engine stalls',
  ])

  // A removed member loses access to everything: issues, events, even of their own acts, and todos.
  await did(developer, 'post', at('/issues/1/notes'), { body: `@${guest.username} thank you` })
  expect(await todosOf(guest)).toEqual(['directly_addressed The engine stalls'])
  expect(((await did(guest, 'get', '/events?target_type=issue')) as unknown[]).length).toBe(1)
  await did(owner, 'delete', at(`/members/${guest.id}`))
  expect([
    await todosOf(guest),
    await did(guest, 'get', '/events?target_type=issue'),
    await did(guest, 'get', '/issues?scope=all'),
  ]).toEqual([[], [], []])
  expect((await forge.as(guest).get(at('/issues/1'))).status).toBe(404)
  const others = (await did(reporter, 'get', `/users/${guest.id}/events?target_type=issue`)) as unknown[]
  expect(others.length).toBe(1)
})
