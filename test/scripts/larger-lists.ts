/** More lists for `large-lists.ts`: of the repository, of labels and boards, of what a user has, and of deliveries. */
import type { Forge, TestProject } from '../support/forge.ts'
import { git, gitReading } from '../support/git.ts'
import { cloned, large, numbers } from './large-rows.ts'

/** Branches, tags, releases and comments of commits whose messages are long. */
export async function fillRepository(forge: Forge, project: TestProject): Promise<string[]> {
  const at = `/projects/${project.id}`
  const oids = (await git(project.dir, 'rev-list', 'main')).split('\n')
  const refs = oids.flatMap((oid, index) => [`create refs/heads/b${index} ${oid}\n`, `create refs/tags/t${index + 1} ${oid}\n`])
  await gitReading(project.dir, refs.join(''), 'update-ref', '--stdin')
  const by = forge.as(forge.root)
  const release = await created(by.post(`${at}/releases`, { tag_name: 't1', description: large.slice(0, 1_000_000) }))
  const { id } = await forge.app.db.selectFrom('releases').select('id').where('tag_name', '=', release.tag_name).executeTakeFirstOrThrow()
  await cloned(forge, 'releases', id, (number) => ({ tag_name: `t${number}` }))
  const [tip] = oids
  await created(by.post(`${at}/repository/commits/${tip}/comments`, { note: large.slice(0, 1_000_000) }))
  const note = await forge.app.db.selectFrom('notes').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  await cloned(forge, 'notes', note.id, (number) => ({ discussion_id: number.toString(16).padStart(40, 'c') }))
  return [
    `${at}/repository/branches`,
    `${at}/repository/tags`,
    `${at}/releases`,
    `${at}/repository/commits/${tip}/comments`,
    `${at}/repository/commits/${tip}/discussions`,
  ]
}

/** Lists of which each row may be large by a text of its own. */
export async function fillMore(forge: Forge, project: TestProject): Promise<string[]> {
  const { db } = forge.app
  const at = `/projects/${project.id}`
  const by = forge.as(forge.root)
  const label = await created(by.post(`${at}/labels`, { name: 'First', color: '#112233', description: large.slice(0, 1_000_000) }))
  await cloned(forge, 'labels', label.id, (number) => ({ title: `Label ${number}` }))
  const user_xids = Array.from({ length: 600 }, (_, index) => `${index}-${'x'.repeat(150)}`).join(',')
  const list = await created(by.post(`${at}/feature_flags_user_lists`, { name: 'First', user_xids }))
  await cloned(forge, 'flag_user_lists', list.id, (number) => ({ iid: number, name: `List ${number}` }))
  const request = await db.selectFrom('merge_requests').select(['id', 'iid']).orderBy('id').executeTakeFirstOrThrow()
  const created_at = new Date().toISOString()
  const draft = { merge_request_id: request.id, author_id: forge.root.id, body: large, created_at, updated_at: created_at }
  await db
    .insertInto('draft_notes')
    .values(numbers.map(() => draft))
    .execute()
  const hook = await created(by.post(`${at}/hooks`, { url: 'https://hooks.example.com/' }))
  const payload = { event: 'Push Hook', body: JSON.stringify({ text: large }), facts: null, created_at }
  const { id: payload_id } = await db.insertInto('hook_payloads').values(payload).returning('id').executeTakeFirstOrThrow()
  const delivery = {
    hook_id: hook.id,
    event: 'Push Hook',
    state: 'delivered' as const,
    due_at: created_at,
    created_at,
    attempted_at: created_at,
  }
  const payloads = await cloned(forge, 'hook_payloads', payload_id, () => ({}))
  await db
    .insertInto('hook_deliveries')
    .values(payloads.map((id) => ({ ...delivery, payload_id: id, uuid: crypto.randomUUID() })))
    .execute()
  const note = await db.selectFrom('notes').select('id').where('issue_id', 'is not', null).executeTakeFirstOrThrow()
  const issues = await db.selectFrom('issues').select('id').where('project_id', '=', project.id).execute()
  const todo = { user_id: forge.root.id, project_id: project.id, author_id: forge.root.id, note_id: note.id, action: 'mentioned' as const }
  await db
    .insertInto('todos')
    .values(issues.map(({ id }) => ({ ...todo, issue_id: id, created_at, updated_at: created_at })))
    .execute()
  const milestones = await db.selectFrom('milestones').select('id').where('project_id', '=', project.id).execute()
  const on = { issue_id: issues[0]?.id ?? 0, user_id: forge.root.id, action: 'add' as const, created_at }
  await db
    .insertInto('milestone_events')
    .values(milestones.map(({ id }) => ({ ...on, milestone_id: id })))
    .execute()
  return [
    `${at}/labels`,
    `${at}/feature_flags_user_lists`,
    `${at}/merge_requests/${request.iid}/draft_notes`,
    `${at}/hooks/${hook.id}/events`,
    `${at}/issues/1/resource_milestone_events`,
    '/todos',
  ]
}

async function created(sending: Promise<{ status: number; text: string; body: { id: number; tag_name: string } }>) {
  const { status, text, body } = await sending
  if (status !== 201) throw new Error(`it was not created: ${status} ${text}`)
  return body
}
