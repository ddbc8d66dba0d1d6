/** Todos: what causes one, and what completes it. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Issue, Note } from '../../../db/tables.ts'
import { changeIssueIn, closeIssueIn, type IssueChange } from '../../planning/issues/issues.ts'
import { awardIn } from '../award-emoji/award-emoji.ts'
import { changeNoteIn } from '../notes/notes.ts'
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

test('editing, labelling or closing an issue completes the actor’s own todos and no others', async () => {
  const { owner, ada, bea, project } = await cast()
  for (const act of [{ title: 'New' }, { description: 'New' }, { assignee_ids: [] }, { state: 'closed' as const }]) {
    const issue = await forge.issue(project, owner, { assignee_ids: [ada.id, bea.id] })
    await change(project, ada, issue, act)
    expect([act, await statesOf(ada, issue), await statesOf(bea, issue)]).toEqual([act, ['assigned done'], ['assigned pending']])
  }
})

test('writing or editing a note, or awarding an emoji, completes the actor’s todos on the issue', async () => {
  const { owner, ada, bea, project } = await cast()
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(forge.app.db, work)
  const award = (issue: Issue, note: Note | null) =>
    inTx((tx) => awardIn(tx, ada, { noteable: { kind: 'issue', row: issue }, note }, 'tada'))
  const acts: Record<string, (issue: Issue) => Promise<unknown>> = {
    note: (issue) => forge.note(project, issue, ada),
    award: (issue) => award(issue, null),
    'award on a note': async (issue) => award(issue, await forge.note(project, issue, owner)),
    edit: async (issue) => {
      const { id } = await forge.note(project, issue, ada)
      await forge.app.db.updateTable('todos').set({ state: 'pending' }).where('issue_id', '=', issue.id).execute()
      await inTx((tx) => changeNoteIn(tx, ada, { kind: 'issue', row: issue }, id, 'Edited'))
    },
  }
  for (const [name, act] of Object.entries(acts)) {
    const issue = await forge.issue(project, owner, { assignee_ids: [ada.id, bea.id] })
    await act(issue)
    expect([name, await statesOf(ada, issue), await statesOf(bea, issue)]).toEqual([name, ['assigned done'], ['assigned pending']])
  }
})

test('a mention in a new issue, in its changed text and in a note makes a todo; a repeated one does not', async () => {
  const { owner, ada, bea, project } = await cast()
  const at = `/projects/${project.id}/issues`
  const { body } = await forge.as(owner).post(at, { title: 'One', description: `@${ada.username} please look, cc @${bea.username}` })
  const issue = { id: body.id } as Issue
  expect([await statesOf(ada, issue), await statesOf(bea, issue)]).toEqual([['directly_addressed pending'], ['mentioned pending']])

  for (const user of [ada, bea]) await forge.as(user).post('/todos/mark_as_done')
  await forge.as(owner).put(`${at}/${body.iid}`, { description: `Hello @${ada.username}!` })
  expect(await statesOf(ada, issue)).toEqual(['directly_addressed done'])
  const row = await forge.app.db.selectFrom('issues').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  await forge.note(project, row, owner, { body: `And you, @${bea.username}?` })
  expect(await statesOf(bea, issue)).toEqual(['mentioned done', 'mentioned pending'])
})

test('todos go with their issue', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  await forge.as(owner).delete(`/projects/${project.id}/issues/${issue.iid}`)
  expect([await statesOf(ada, issue), (await forge.as(ada).get('/todos')).body]).toEqual([[], []])
})

test('a due date, an estimate or reopening completes no todo', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  await inTransaction(forge.app.db, (tx) => closeIssueIn(tx, owner.id, issue, null))
  await change(project, ada, issue, { due_date: '2030-01-01', time_estimate: 60, confidential: true, state: 'opened' })
  expect(await statesOf(ada, issue)).toEqual(['assigned pending'])
})

test('a user has at most one pending todo for an issue, and gets a new one once it is done', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const todo = { target: { kind: 'issue', id: issue.id }, project_id: project.id, author_id: owner.id, action: 'marked' } as const
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
      addMentionTodosIn(tx, {
        on: { kind: 'issue', row: issue },
        project: where,
        note: null,
        author_id: owner.id,
        addressed: [ada.id],
        mentioned: [ada.id, ...rest],
      }),
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

test('thousands who are named at once get their todos', async () => {
  const { owner, project } = await cast()
  const issue = await forge.issue(project, owner)
  const { db } = forge.app
  const { id: _, ...row } = await db.selectFrom('users').selectAll().where('id', '=', owner.id).executeTakeFirstOrThrow()
  const ids: number[] = []
  for (let start = 0; start < 2500; start += 250) {
    const rows = Array.from({ length: 250 }, (_, index) => {
      const name = `crowd${start + index}`
      return {
        ...row,
        username: name,
        username_key: name,
        email: `${name}@example.com`,
        email_key: `${name}@example.com`,
        feed_token: name,
      }
    })
    ids.push(...(await db.insertInto('users').values(rows).returning('id').execute()).map(({ id }) => id))
  }
  const members = ids.map((user_id) => ({ project_id: project.id, namespace_id: null, user_id, access_level: 10, expires_at: null }))
  for (let start = 0; start < members.length; start += 500)
    await db
      .insertInto('members')
      .values(members.slice(start, start + 500).map((member) => ({ ...member, created_at: issue.created_at })))
      .execute()

  await inTransaction(db, (tx) =>
    addMentionTodosIn(tx, { on: { kind: 'issue', row: issue }, project, note: null, author_id: owner.id, addressed: [], mentioned: ids }),
  )

  const counted = db.selectFrom('todos').select((eb) => eb.fn.countAll<number>().as('count'))
  expect(await counted.where('issue_id', '=', issue.id).executeTakeFirst()).toEqual({ count: 2500 })
})
