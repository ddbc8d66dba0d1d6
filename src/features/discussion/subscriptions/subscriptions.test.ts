/** Subscriptions to issues: chosen, or by taking part. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { Issue } from '../../../db/tables.ts'
import { participantsOf } from '../participation/participation.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const at = ({ id }: TestProject, { iid }: Issue) => `/projects/${id}/issues/${iid}`

async function cast() {
  const [owner, ada, bea] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter: ada, guest: bea, files: null })
  return { owner, ada, bea, project }
}

async function isShownSubscribed(user: TestUser, project: TestProject, issue: Issue): Promise<boolean> {
  return (await forge.as(user).get(at(project, issue))).body.subscribed
}

test('author, assignees, who writes a note and who is mentioned are subscribed, others are not', async () => {
  const { owner, ada, bea, project } = await cast()
  const [writer, stranger, watcher] = [await forge.user(), await forge.user(), await forge.user()]
  const open = await forge.project({ owner, visibility: 'public', files: null })
  const issue = await forge.issue(open, owner, { assignee_ids: [ada.id] })
  await forge.note(open, issue, writer)
  const { id } = await forge.note(open, issue, watcher)
  await forge.app.db.updateTable('notes').set({ system: true, system_action: 'cross_reference' }).where('id', '=', id).execute()
  await forge.app.db.insertInto('issue_mentions').values({ issue_id: issue.id, user_id: bea.id }).execute()

  const seen = await Promise.all([owner, ada, bea, writer, stranger, watcher].map((user) => isShownSubscribed(user, open, issue)))

  expect(seen).toEqual([true, true, true, true, false, false])
  const participants = await participantsOf(forge.app.db, { kind: 'issue', id: issue.id }, { internal: true })
  expect(participants.map(({ id }) => id)).toEqual([owner, ada, bea, writer].map(({ id }) => id))
  expect(project.id).not.toBe(open.id)
})

test('authors of internal notes are not among the participants for those who cannot read these', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner)
  await forge.note(project, issue, ada, { internal: true })
  const ids = async (internal: boolean) =>
    (await participantsOf(forge.app.db, { kind: 'issue', id: issue.id }, { internal })).map(({ id }) => id)
  expect([await ids(true), await ids(false)]).toEqual([[owner.id, ada.id], [owner.id]])
})

test('a choice wins over taking part, and choosing what is so already answers 304', async () => {
  const { owner, bea, project } = await cast()
  const issue = await forge.issue(project, owner)
  const [author, reader] = [forge.as(owner), forge.as(bea)]

  const refused = [await author.post(`${at(project, issue)}/subscribe`), await reader.post(`${at(project, issue)}/unsubscribe`)]
  const left = await author.post(`${at(project, issue)}/unsubscribe`)
  const joined = await reader.post(`${at(project, issue)}/subscribe`)

  expect(refused.map(({ status, text }) => [status, text])).toEqual([
    [304, ''],
    [304, ''],
  ])
  expect([left.status, left.body.iid, left.body.subscribed]).toEqual([201, issue.iid, false])
  expect([joined.status, joined.body.subscribed]).toEqual([201, true])
  expect([await isShownSubscribed(owner, project, issue), await isShownSubscribed(bea, project, issue)]).toEqual([false, true])
  expect((await author.post(`${at(project, issue)}/subscribe`)).body.subscribed).toBe(true)
})

test('nobody subscribes to what they cannot see, or to what is not there', async () => {
  const { owner, bea, project } = await cast()
  const secret = await forge.issue(project, owner, { confidential: true })
  const stranger = await forge.user()
  const status = async (user: TestUser, path: string) => (await forge.as(user).post(`${path}/subscribe`)).status
  expect(await status(bea, at(project, secret))).toBe(404)
  expect(await status(stranger, at(project, secret))).toBe(404)
  expect(await status(owner, `/projects/${project.id}/issues/99`)).toBe(404)
})

test('a user mentioned in internal notes only is listed as a participant to reporters and isn’t told, and to everyone once another text mentions them', async () => {
  const [named, guest] = [await forge.user(), await forge.user()]
  const [owner, reporter] = [await forge.user(), await forge.user()]
  const place = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  const issue = await forge.issue(place, owner)
  const one = at(place, issue)
  const isThere = async (viewer: TestUser) =>
    (await forge.as(viewer).get(`${one}/participants`)).body.some(({ id }: { id: number }) => id === named.id)
  await forge.as(reporter).post(`${one}/notes`, { body: `What does @${named.username} say?`, internal: true })
  expect([await isThere(reporter), await isThere(guest)]).toEqual([true, false])
  expect(await isShownSubscribed(named, place, issue)).toBe(false)
  await forge.as(reporter).post(`${one}/notes`, { body: `Hello @${named.username}` })
  await forge.as(reporter).post(`${one}/notes`, { body: `Again @${named.username}`, internal: true })
  expect([await isThere(reporter), await isThere(guest)]).toEqual([true, true])
  expect(await isShownSubscribed(named, place, issue)).toBe(true)
})
