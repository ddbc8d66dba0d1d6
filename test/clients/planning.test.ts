/** Clients of the interface that know nothing of us, unmodified, plan: issues, labels, milestones, notes, boards, todos, events. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_planning.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_planning.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const [owner, guest] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner })
  const { id } = await forge.project({ group, guest, files: null })
  const host = await forge.url()
  const api = new Gitlab({ host, token: owner.token })
  const asGuest = new Gitlab({ host, token: guest.token })

  const label = await api.ProjectLabels.create(id, 'bug', '#ff0000', { priority: 1 })
  await api.GroupLabels.create(group.id, 'above', '#00ff00')
  expect((await api.ProjectLabels.all(id)).map(({ name }) => name)).toEqual(['above', 'bug'])
  expect((await api.ProjectLabels.edit(id, 'bug', { newName: 'fault' })).name).toBe('fault')
  const milestone = await api.ProjectMilestones.create(id, 'v1', { dueDate: '2030-01-02' })
  await api.GroupMilestones.create(group.id, 'Far')
  expect((await api.ProjectMilestones.all(id)).map(({ title }) => title)).toEqual(['v1'])

  const issue = await api.Issues.create(id, 'First', { labels: 'fault', milestoneId: milestone.id, description: `For @${guest.username}` })
  expect(issue).toMatchObject({ iid: 1, labels: ['fault'], milestone: { title: 'v1' }, references: { short: '#1' } })
  const secret = await api.Issues.create(id, 'Second', { confidential: true })
  expect((await asGuest.Issues.all({ projectId: id })).map(({ iid }) => iid)).toEqual([1])
  expect((await api.Issues.all({ groupId: group.id, scope: 'all', not: { labels: 'fault' } })).map(({ iid }) => iid)).toEqual([secret.iid])
  expect((await api.Issues.edit(id, 1, { stateEvent: 'close' })).state).toBe('closed')
  expect((await api.Issues.edit(id, 1, { stateEvent: 'reopen' })).closed_at).toBeNull()
  expect((await api.IssuesStatistics.all({ projectId: id })).statistics.counts).toEqual({ all: 2, opened: 2, closed: 0 })
  expect(await api.Issues.addSpentTime(id, 1, '1h 30m')).toMatchObject({ total_time_spent: 5400, human_total_time_spent: '1h 30m' })
  expect((await api.Issues.addTimeEstimate(id, 1, '1d')).human_time_estimate).toBe('1d')
  await api.IssueLinks.create(id, 1, id, secret.iid, { linkType: 'blocks' })
  expect((await api.IssueLinks.all(id, 1)).map(({ iid }) => iid)).toEqual([2])
  expect((await api.Issues.allParticipants(id, 1)).map(({ username }) => username).sort()).toEqual([owner.username, guest.username].sort())

  const todos = await asGuest.TodoLists.all()
  expect(todos.map(({ target_type }) => target_type)).toEqual(['Issue'])
  await asGuest.TodoLists.done({ todoId: (todos[0] as { id: number }).id })
  expect(await asGuest.TodoLists.all()).toEqual([])

  const note = await api.IssueNotes.create(id, 1, 'Words')
  expect((await api.IssueNotes.edit(id, 1, note.id, { body: 'Other words' })).body).toBe('Other words')
  const discussion = await asGuest.IssueDiscussions.create(id, 1, 'Why?')
  await api.IssueDiscussions.addNote(id, 1, discussion.id, 'Because')
  expect((await api.IssueDiscussions.show(id, 1, discussion.id)).notes?.map(({ body }) => body)).toEqual(['Why?', 'Because'])
  await asGuest.IssueAwardEmojis.award(id, 1, 'thumbsup')
  expect((await api.Issues.show(1, { projectId: id })).upvotes).toBe(1)

  const board = await api.ProjectIssueBoards.create(id, 'Plan')
  const list = await api.ProjectIssueBoards.createList(id, board.id, { labelId: String(label.id) as never })
  expect((await api.ProjectIssueBoards.allLists(id, board.id)).map((one) => one.id)).toEqual([list.id])

  expect((await api.IssueLabelEvents.all(id, 1)).map(({ action }) => action)).toEqual(['add'])
  expect((await api.IssueStateEvents.all(id, 1)).map(({ state }) => state)).toEqual(['closed', 'reopened'])
  const events = await asGuest.Events.all({ projectId: id, targetType: 'issue' })
  expect(events.map(({ action_name, target_title }) => [action_name, target_title])).toEqual([
    ['opened', 'First'],
    ['closed', 'First'],
    ['opened', 'First'],
  ])
  expect((await api.Events.all({ action: 'created', targetType: 'milestone' })).map(({ target_title }) => target_title)).toEqual(['v1'])
  await api.Issues.remove(id, secret.iid)
  await api.ProjectLabels.remove(id, 'fault')
})
