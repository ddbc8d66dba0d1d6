/** The columns of boards: which issues are where, and what follows when one is moved. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { findGroup, type LocatedGroup } from '../../../access/find.ts'
import { atOneMoment } from '../../../db/snapshot-id.ts'
import type { Board, Issue, User } from '../../../db/tables.ts'
import type { Place } from '../../../http/declare/places.ts'
import { type ColumnName, columnOfBoard, columnsOfBoard, createBoard, createList, type Move, moveIssue } from './boards.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let group: LocatedGroup

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter] = await Promise.all([forge.user(), forge.user()])
  group = await forge.group({ owner, reporter, visibility: 'public' })
})

interface Setting {
  place: Place
  project: TestProject
  board: Board
  /** Ids of the labels, and of their lists. */
  labels: [number, number]
  lists: [number, number]
}

async function setUp(kind: 'project' | 'group'): Promise<Setting> {
  const own = await forge.group({ parent: group, visibility: 'public' })
  const project = await forge.project({ group: own, visibility: 'public', files: null })
  const place: Place =
    kind === 'project'
      ? { kind, row: project, level: 50 }
      : { kind, row: (await findGroup(forge.app.db, String(own.id), forge.root)).group, level: 50 }
  const board = await createBoard(forge.app, place, { name: 'Work' })
  const made = []
  for (const name of ['To do', 'Doing']) {
    const { id } = (await forge.as(owner).post(`/groups/${own.id}/labels`, { name, color: 'red' })).body
    made.push({ label: id as number, list: (await createList(forge.app, place, board, id)).id })
  }
  const [one, two] = made as [{ label: number; list: number }, { label: number; list: number }]
  return { place, project, board, labels: [one.label, two.label], lists: [one.list, two.list] }
}

async function idsIn({ place, board }: Setting, viewer: User = owner): Promise<Record<string, number[]>> {
  const columns = await columnsOfBoard(forge.app, viewer, place, board, {}, 20)
  expect(columns.map(({ rows }) => rows.length)).toEqual(columns.map(({ total }) => total))
  return Object.fromEntries(columns.map(({ list, name, rows }) => [list?.label.title ?? name, rows.map(({ id }) => id)]))
}

const move = ({ place, board }: Setting, issue: Issue, moved: Move, user: User = reporter) =>
  moveIssue(forge.app, user, place, board, issue.id, moved)

test.each(['project', 'group'] as const)(
  'on a board of a %s an issue is in the column of its label, or among the open or closed',
  async (kind) => {
    const setting = await setUp(kind)
    const { project, labels } = setting
    const plain = await forge.issue(project, owner)
    const both = await forge.issue(project, owner, { label_ids: labels })
    const closed = await forge.issue(project, owner, { label_ids: labels })
    await forge.as(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' })
    expect(await idsIn(setting)).toEqual({ open: [plain.id], 'To do': [both.id], Doing: [both.id], closed: [closed.id] })
  },
)

test('columns leave out confidential issues that their viewer can’t see', async () => {
  const setting = await setUp('group')
  const issue = await forge.issue(setting.project, owner, { confidential: true })
  expect((await idsIn(setting)).open).toEqual([issue.id])
  const stranger = await forge.user()
  expect((await idsIn(setting, stranger)).open).toEqual([])
  await expect(move(setting, issue, { from: 'open', to: setting.lists[0] }, stranger)).rejects.toMatchObject({ code: 'not_found' })
})

test('an issue that moves between columns changes its labels and its state', async () => {
  const setting = await setUp('project')
  const { project, lists, labels } = setting
  const other = (await forge.as(owner).post(`/projects/${project.id}/labels`, { name: 'Other', color: 'red' })).body.id
  const issue = await forge.issue(project, owner, { label_ids: [other] })
  const shown = async () => {
    const { body } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}`)
    return [body.state, body.labels]
  }
  const steps: Array<[ColumnName, ColumnName, unknown]> = [
    ['open', lists[0], ['opened', ['Other', 'To do']]],
    [lists[0], lists[1], ['opened', ['Doing', 'Other']]],
    [lists[1], 'closed', ['closed', ['Other']]],
    ['closed', lists[0], ['opened', ['Other', 'To do']]],
    [lists[0], 'open', ['opened', ['Other']]],
    ['open', 'closed', ['closed', ['Other']]],
    ['closed', 'open', ['opened', ['Other']]],
  ]
  for (const [from, to, expected] of steps) {
    await move(setting, issue, { from, to })
    expect(await shown()).toEqual(expected)
  }
  const { body } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/resource_label_events`)
  expect(body.filter(({ label }: { label: { id: number } }) => labels.includes(label.id))).toHaveLength(6)
})

test('the order inside of a column is kept, also when issues come from others', async () => {
  const setting = await setUp('group')
  const { project, lists, labels } = setting
  const issues: Issue[] = []
  for (let number = 0; number < 3; number++) issues.push(await forge.issue(project, owner, { label_ids: [labels[0]] }))
  const [one, two, three] = issues as [Issue, Issue, Issue]
  const moved = await forge.issue(project, owner)
  await move(setting, one, { from: lists[0], to: lists[0], before_id: three.id })
  expect((await idsIn(setting))['To do']).toEqual([one.id, three.id, two.id])
  await move(setting, moved, { from: 'open', to: lists[0], after_id: one.id, before_id: three.id })
  expect((await idsIn(setting))['To do']).toEqual([one.id, moved.id, three.id, two.id])
  const column = await columnOfBoard(forge.app, owner, setting.place, setting.board, lists[0], {}, { limit: 2, offset: 2 })
  expect([column.total, column.rows.map(({ id }) => id)]).toEqual([4, [three.id, two.id]])
})

test('a move to nowhere, of a foreign issue, or by who may not change it is refused, and nothing changes', async () => {
  const setting = await setUp('project')
  const { project, lists } = setting
  const stranger = await forge.user()
  const issue = await forge.issue(project, owner)
  const own = await forge.issue(project, stranger)
  const foreign = await forge.issue(await forge.project({ owner, files: null }), owner)
  const before = await idsIn(setting)
  const to = lists[0]
  await expect(move(setting, issue, { from: 'open', to }, stranger)).rejects.toMatchObject({ code: 'forbidden' })
  // Authors close their issues, and set no labels.
  await expect(move(setting, own, { from: 'open', to }, stranger)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(move(setting, foreign, { from: 'open', to }, owner)).rejects.toMatchObject({ code: 'not_found' })
  await expect(move(setting, issue, { from: 'open', to: 99_999 })).rejects.toMatchObject({ code: 'not_found' })
  await expect(move(setting, issue, { from: 'open', to: 'open' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(move(setting, issue, { from: 'open', to, after_id: foreign.id })).rejects.toMatchObject({ code: 'unprocessable' })
  expect(await idsIn(setting)).toEqual(before)
  await forge.as(owner).post(`/projects/${project.id}/archive`)
  await expect(move(setting, issue, { from: 'open', to })).rejects.toMatchObject({ code: 'forbidden' })
})

test('a board costs the same, however many issues are on it', async () => {
  const setting = await setUp('project')
  const { db } = forge.app
  const cost = () => forge.cost(() => atOneMoment(db, () => columnsOfBoard(forge.app, owner, setting.place, setting.board, {}, 20)))
  const add = () =>
    Promise.all([[], [setting.labels[0]], [setting.labels[1]]].map((label_ids) => forge.issue(setting.project, owner, { label_ids })))
  const [issue] = await add()
  await forge.as(owner).put(`/projects/${setting.project.id}/issues/${issue?.iid}`, { state_event: 'close' })
  await add()
  const before = await cost()
  for (let round = 0; round < 5; round++) await add()
  expect(await cost()).toEqual(before)
})
