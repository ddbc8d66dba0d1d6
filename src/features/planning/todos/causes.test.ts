/** Todos: what causes one, and what completes it. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { changeIssueIn, closeIssueIn, type IssueChange } from '../issues/issues.ts'
import { addMentionTodosIn, addTodoIn } from './todos.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

function change(project: TestProject, user: TestUser, issue: Issue, fields: IssueChange) {
  return inTransaction(forge.app.db, (tx) => changeIssueIn(tx, { user, project, level: 50 }, issue.id, fields))
}

async function statesOf(user: TestUser, issue: Issue): Promise<string[]> {
  const found = forge.app.db.selectFrom('todos').select(['action', 'state']).where('user_id', '=', user.id)
  return (await found.where('issue_id', '=', issue.id).orderBy('id').execute()).map(({ action, state }) => `${action} ${state}`)
}

async function cast() {
  const [owner, ada, bea] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter: ada, developer: bea, files: null })
  return { owner, ada, bea, project }
}

test('assignees get a todo, at the creation of the issue and later, also those who assign themselves', async () => {
  const { owner, ada, bea, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  await change(project, bea, issue, { assignee_ids: [ada.id, bea.id] })
  expect([await statesOf(ada, issue), await statesOf(bea, issue)]).toEqual([['assigned pending'], ['assigned pending']])
})

test('whoever edits, labels or closes an issue has done their todos, and nobody else has', async () => {
  const { owner, ada, bea, project } = await cast()
  for (const act of [{ title: 'New' }, { description: 'New' }, { assignee_ids: [] }, { state: 'closed' as const }]) {
    const issue = await forge.issue(project, owner, { assignee_ids: [ada.id, bea.id] })
    await change(project, ada, issue, act)
    expect([act, await statesOf(ada, issue), await statesOf(bea, issue)]).toEqual([act, ['assigned done'], ['assigned pending']])
  }
})

test('a due date, an estimate or reopening completes no todo', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  await inTransaction(forge.app.db, (tx) => closeIssueIn(tx, owner.id, issue, null))
  await change(project, ada, issue, { due_date: '2030-01-01', time_estimate: 60, confidential: true, state: 'opened' })
  expect(await statesOf(ada, issue)).toEqual(['assigned pending'])
})

test('who has a pending todo for an issue gets no second one, and a new one once it is done', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const todo = { target: { issue_id: issue.id }, project_id: project.id, author_id: owner.id, action: 'marked' } as const
  const add = () => inTransaction(forge.app.db, (tx) => addTodoIn(tx, ada.id, todo))
  const refused = await Promise.all([add(), add(), add()])
  await change(project, ada, issue, { title: 'Done' })
  const added = await Promise.all([add(), add(), add()])
  expect([refused.filter(Boolean).length, added.filter(Boolean).length]).toEqual([0, 1])
  expect(await statesOf(ada, issue)).toEqual(['assigned done', 'marked pending'])
})

test('those whom a text names get a todo as far as they can see the issue', async () => {
  const { owner, ada, bea, project } = await cast()
  const [guest, stranger, admin] = [await forge.user(), await forge.user(), await forge.user({ admin: true })]
  const open = await forge.project({ owner, reporter: ada, guest, visibility: 'public', files: null })
  const mention = async (where: TestProject, fields: { confidential?: boolean; assignee_ids?: number[] }) => {
    const issue = await forge.issue(where, owner, fields)
    const users = [ada, bea, guest, stranger, admin, owner]
    const rest = users.slice(1).map(({ id }) => id)
    await inTransaction(forge.app.db, (tx) =>
      addMentionTodosIn(tx, { issue, project: where, note: null, author_id: owner.id, addressed: [ada.id], mentioned: [ada.id, ...rest] }),
    )
    const states = await Promise.all(users.map((user) => statesOf(user, issue)))
    return states.map((list) => list.join()).map((text) => text.replace(' pending', ''))
  }
  expect(await mention(project, {})).toEqual(['directly_addressed', 'mentioned', '', '', 'mentioned', 'mentioned'])
  expect(await mention(open, {})).toEqual(['directly_addressed', ...Array(5).fill('mentioned')])
  expect(await mention(open, { confidential: true })).toEqual(['directly_addressed', '', '', '', 'mentioned', 'mentioned'])
  expect(await mention(open, { confidential: true, assignee_ids: [stranger.id] })).toEqual([
    'directly_addressed',
    '',
    '',
    'assigned',
    'mentioned',
    'mentioned',
  ])
})
