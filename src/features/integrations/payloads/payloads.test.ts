/** Payloads of webhooks: each event really happens, and its payload is checked field by field; and so are the documented examples. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runNamed } from '../../../../test/support/fixtures/built-pipelines.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { assertMayBegin } from '../../people/sessions/sessions.ts'
import { hookPayloads, systemPayloads } from './payloads.schema.ts'
import { makeBody } from './payloads.ts'

const folder = join(import.meta.dirname, '../../../../docs/webhook-payloads')

interface Told {
  hook_id: number
  /** The header. */
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every kind
  body: any
}

let forge: Forge
let owner: TestUser
let group: LocatedGroup
let project: TestProject
/** Ids of one hook for each level; `open` is one of the project that receives nothing confidential. */
let hooks: { instance: number; group: number; project: number; open: number }
const seen = new Map<string, unknown>()

const flags = {
  push_events: true,
  tag_push_events: true,
  issues_events: true,
  confidential_issues_events: true,
  note_events: true,
  confidential_note_events: true,
  merge_requests_events: true,
  job_events: true,
  pipeline_events: true,
  wiki_page_events: true,
  deployment_events: true,
  releases_events: true,
  member_events: true,
  subgroup_events: true,
  repository_update_events: true,
}

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ name: 'Ada Example', username: 'ada' })
  group = await forge.group({ owner, name: 'Tools', path: 'tools' })
  project = await forge.project({
    group,
    owner,
    name: 'Hammer',
    path: 'hammer',
    files: { 'README.md': '# Hammer\n', '.gitlab-ci.yml': 'build:\n  script: make\n  environment: staging\n' },
  })
  await forge.drain()
  hooks = {
    instance: await addHook({}),
    group: await addHook({ namespace_id: group.id }),
    project: await addHook({ project_id: project.id }),
    open: await addHook({ project_id: project.id }, { confidential_issues_events: false, confidential_note_events: false }),
  }
})

/** It rests, so that what it is told can be read. */
async function addHook(place: { project_id?: number; namespace_id?: number }, others: Partial<typeof flags> = {}): Promise<number> {
  const at = '2030-01-01T00:00:00.000Z'
  const row = { project_id: null, namespace_id: null, url: 'x', rests_until: '9999-01-01T00:00:00.000Z', created_at: at, updated_at: at }
  const inserted = forge.app.db.insertInto('hooks').values({ ...row, ...place, ...flags, ...others })
  return (await inserted.returning('id').executeTakeFirstOrThrow()).id
}

const nameOf = ({ object_kind, event_name }: Told['body']): string => object_kind ?? event_name

/** The payloads since the last call, in order, each checked against the schema of its event. */
async function told(): Promise<Told[]> {
  const rows = await forge.app.db
    .selectFrom('hook_deliveries')
    .innerJoin('hook_payloads', 'hook_payloads.id', 'hook_deliveries.payload_id')
    .select(['hook_id', 'hook_deliveries.event', 'body', 'facts'])
    .orderBy('hook_deliveries.id')
    .execute()
  await forge.app.db.deleteFrom('hook_payloads').execute()
  const all: Told[] = []
  for (const { hook_id, event, body, facts } of rows) {
    const made = JSON.parse(body ?? (await makeBody(forge.app, facts ?? '')) ?? 'null')
    all.push({ hook_id, event, body: made })
    const ofInstance = hook_id === hooks.instance
    check((ofInstance ? systemPayloads : hookPayloads)[nameOf(made)], made)
    seen.set(exampleOf(ofInstance, made), made)
  }
  return all
}

function check(schema: TSchema | undefined, payload: unknown): void {
  expect(schema, `no schema of ${JSON.stringify(payload).slice(0, 80)}`).toBeDefined()
  expect([...Value.Errors(schema as TSchema, payload)]).toEqual([])
}

/** The name of the file that documents it. */
function exampleOf(ofInstance: boolean, body: Told['body']): string {
  const name = body.event_type?.startsWith('confidential') ? body.event_type : nameOf(body)
  const about = body.object_attributes?.noteable_type
  const on = about && !name.startsWith('confidential') ? `.${about.replace('MergeRequest', 'Merge_request').toLowerCase()}` : ''
  return `${ofInstance ? 'system/' : ''}${name}${on}.json`
}

const to = (all: Told[], hook: keyof typeof hooks) => all.filter(({ hook_id }) => hook_id === hooks[hook])
const client = () => forge.as(owner)
const at = () => `/projects/${project.id}`

afterEach(async () => {
  await told()
})

test('issues: opened, changed, closed and reopened, with what has changed', async () => {
  const { body: label } = await client().post(`${at()}/labels`, { name: 'bug', color: '#ff0000' })
  const { body: issue } = await client().post(`${at()}/issues`, { title: 'It rusts', description: '![x](/uploads/1/a.png)' })
  await client().put(`${at()}/issues/${issue.iid}`, { title: 'It rusts fast', labels: 'bug', assignee_ids: [owner.id] })
  await client().put(`${at()}/issues/${issue.iid}`, { state_event: 'close' })
  await client().put(`${at()}/issues/${issue.iid}`, { state_event: 'reopen' })
  const all = await told()
  expect(to(all, 'instance')).toEqual([])
  const bodies = to(all, 'project').map(({ body }) => body)
  expect(to(all, 'group').map(({ body }) => body)).toEqual(bodies)
  expect(to(all, 'open')).toHaveLength(4)
  expect(new Set(all.map(({ event }) => event))).toEqual(new Set(['Issue Hook']))
  expect(bodies.map(({ object_attributes: { action, state } }) => [action, state])).toEqual([
    ['open', 'opened'],
    ['update', 'opened'],
    ['close', 'closed'],
    ['reopen', 'opened'],
  ])
  const [opened, updated, closed] = bodies
  expect(opened.object_attributes.description).toBe(`![x](http://gitstead.test/tools/hammer/uploads/1/a.png)`)
  expect(updated.changes).toMatchObject({
    title: { previous: 'It rusts', current: 'It rusts fast' },
    labels: { previous: [], current: [{ id: label.id, title: 'bug', type: 'ProjectLabel' }] },
    assignees: { previous: [], current: [{ username: 'ada' }] },
  })
  expect([updated.user.username, updated.assignee.id, updated.labels[0].title]).toEqual(['ada', owner.id, 'bug'])
  expect(closed.changes.state).toEqual({ previous: 'opened', current: 'closed' })
  expect(opened.changes.title).toEqual({ previous: null, current: 'It rusts' })
})

test('what is confidential is told only to hooks that want it, and what was so isn’t told by the change that ends it', async () => {
  const { body: issue } = await client().post(`${at()}/issues`, { title: 'A hole', description: 'secret words', confidential: true })
  await client().post(`${at()}/issues/${issue.iid}/notes`, { body: 'secret note' })
  const { body: open } = await client().post(`${at()}/issues`, { title: 'Open' })
  await client().post(`${at()}/issues/${open.iid}/notes`, { body: 'secret internal', internal: true })
  await client().put(`${at()}/issues/${issue.iid}`, { confidential: false, description: 'harmless', title: 'Fixed' })
  const all = await told()
  expect(to(all, 'project').map(({ event }) => event)).toEqual([
    'Confidential Issue Hook',
    'Confidential Note Hook',
    'Issue Hook',
    'Confidential Note Hook',
    'Issue Hook',
  ])
  const shown = to(all, 'open').map(({ body }) => body)
  expect(shown.map(({ object_attributes }) => object_attributes.title)).toEqual(['Open', 'Fixed'])
  expect(JSON.stringify(shown)).not.toMatch(/secret|A hole/)
  // As it was when it happened: made confidential meanwhile, it tells no more.
  await client().put(`${at()}/issues/${open.iid}`, { title: 'Still open' })
  const waiting = await forge.app.db.selectFrom('hook_payloads').select('facts').execute()
  await client().put(`${at()}/issues/${open.iid}`, { description: 'secret later', confidential: true })
  const [first] = waiting
  expect(await makeBody(forge.app, first?.facts ?? '')).not.toContain('secret')
})

test('notes on issues, merge requests, commits and snippets, with what they are on', async () => {
  const issue = await forge.issue(project, owner)
  const merge_request = await branchWithRequest('noted')
  const { body: snippet } = await client().post(`${at()}/snippets`, {
    title: 'S',
    file_name: 's.rb',
    code: 'puts 1',
    visibility: 'private',
  })
  const { body: main } = await client().get(`${at()}/repository/branches/main`)
  await told()
  await client().post(`${at()}/issues/${issue.iid}/notes`, { body: 'on an issue' })
  await client().post(`${at()}/merge_requests/${merge_request.iid}/notes`, { body: 'on a request' })
  await client().post(`${at()}/snippets/${snippet.id}/notes`, { body: 'on a snippet' })
  await client().post(`${at()}/repository/commits/${main.commit.id}/comments`, { note: 'on a commit' })
  const bodies = to(await told(), 'open').map(({ body }) => body)
  expect(bodies.map(({ object_attributes: { noteable_type, note } }) => [noteable_type, note])).toEqual([
    ['Issue', 'on an issue'],
    ['MergeRequest', 'on a request'],
    ['Snippet', 'on a snippet'],
    ['Commit', 'on a commit'],
  ])
  const [onIssue, onMergeRequest, onSnippet, onCommit] = bodies
  expect(onIssue.issue.iid).toBe(issue.iid)
  expect(onMergeRequest.merge_request).toMatchObject({ iid: merge_request.iid, source_branch: 'noted', target: { id: project.id } })
  expect(onSnippet.snippet).toMatchObject({ id: snippet.id, content: 'puts 1' })
  expect(onCommit.commit.id).toBe(main.commit.id)
})

async function branchWithRequest(branch: string): Promise<{ iid: number }> {
  const actions = [{ action: 'create', file_path: branch, content: branch }]
  await client().post(`${at()}/repository/commits`, { branch, start_branch: 'main', commit_message: `Add ${branch}`, actions })
  const made = await client().post(`${at()}/merge_requests`, { source_branch: branch, target_branch: 'main', title: `Add ${branch}` })
  await forge.drain()
  return made.body
}

test('merge requests: opened, changed, pushed to, approved, merged, closed and reopened; hooks of the instance know them, too', async () => {
  const { iid } = await branchWithRequest('topic')
  await client().put(`${at()}/merge_requests/${iid}`, { title: 'Draft: Add it' })
  await client().put(`${at()}/merge_requests/${iid}`, { state_event: 'close' })
  await client().put(`${at()}/merge_requests/${iid}`, { state_event: 'reopen', title: 'Add it' })
  const actions = [{ action: 'create', file_path: 'more', content: 'more' }]
  await client().post(`${at()}/repository/commits`, { branch: 'topic', commit_message: 'More', actions })
  await forge.drain()
  await client().post(`${at()}/merge_requests/${iid}/approve`)
  await client().post(`${at()}/merge_requests/${iid}/unapprove`)
  expect((await client().put(`${at()}/merge_requests/${iid}/merge`)).status).toBe(200)
  const all = (await told()).filter(({ body }) => nameOf(body) === 'merge_request')
  const bodies = to(all, 'project').map(({ body }) => body)
  const acts = bodies.map(({ object_attributes: { action } }) => action)
  expect(acts.slice(0, 3)).toEqual(['open', 'update', 'close'])
  for (const act of ['reopen', 'approved', 'unapproved', 'merge']) expect(acts).toContain(act)
  expect(bodies.find(({ object_attributes }) => object_attributes.oldrev)?.object_attributes.action).toBe('update')
  expect(bodies[1].changes).toMatchObject({ draft: { previous: false, current: true } })
  expect(bodies.at(-1).object_attributes).toMatchObject({ state: 'merged', last_commit: { message: 'More' } })
  expect(to(all, 'instance').map(({ event }) => event)).toEqual(bodies.map(() => 'System Hook'))
})

test('pushes and tags: hooks of the instance get no commits, and one payload for all refs', async () => {
  const actions = [{ action: 'create', file_path: 'nail', content: 'nail' }]
  const { body: commit } = await client().post(`${at()}/repository/commits`, { branch: 'main', commit_message: 'Add a nail', actions })
  await client().post(`${at()}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'One' })
  const all = await told()
  const [push, tag] = to(all, 'project').filter(({ event }) => event.endsWith('Push Hook'))
  expect([push?.event, push?.body.commits.length, tag?.event, tag?.body.message]).toEqual(['Push Hook', 1, 'Tag Push Hook', 'One'])
  const ofInstance = to(all, 'instance').map(({ body }) => body)
  const [first, updated] = [ofInstance[0], ofInstance.find(({ event_name }) => event_name === 'repository_update')]
  expect([first.commits, first.total_commits_count]).toEqual([[], 1])
  expect(updated).toMatchObject({ refs: ['refs/heads/main'], changes: [{ after: commit.id }] })
})

test('jobs, pipelines and deployments follow each change of status', async () => {
  await forge.drain()
  await told()
  const { body: pipeline } = await client().post(`${at()}/pipeline`, { ref: 'main' })
  await forge.drain()
  await runNamed(forge.app.db, pipeline.id, 'build', 'success')
  await forge.drain()
  // The pipelines of earlier pushes are canceled by it.
  const isOfIt = ({ body }: Told) => !body.pipeline_id || body.pipeline_id === pipeline.id
  const all = to(await told(), 'project').filter(isOfIt)
  const ofKind = (kind: string) => all.map(({ body }) => body).filter(({ object_kind }) => object_kind === kind)
  expect(ofKind('build').map(({ build_status }) => build_status)).toEqual(['created', 'pending', 'running', 'success'])
  expect(ofKind('build').map(({ build_finished_at }) => build_finished_at !== null)).toEqual([false, false, false, true])
  expect(ofKind('pipeline').map(({ object_attributes: { status } }) => status)).toEqual(['pending', 'running', 'success'])
  expect(ofKind('pipeline').map(({ builds }) => builds.map(({ status }: { status: string }) => status))).toEqual([
    ['pending'],
    ['running'],
    ['success'],
  ])
  expect(ofKind('pipeline').at(-1).builds).toMatchObject([{ name: 'build', stage: 'test', when: 'on_success' }])
  expect(ofKind('deployment').map(({ status, environment }) => [status, environment])).toEqual([
    ['created', 'staging'],
    ['running', 'staging'],
    ['success', 'staging'],
  ])
  expect(new Set(all.map(({ event }) => event))).toEqual(new Set(['Job Hook', 'Pipeline Hook', 'Deployment Hook']))
})

test('releases, and pages of the wiki', async () => {
  await client().post(`${at()}/releases`, { tag_name: 'v2', ref: 'main', name: 'Two', description: 'New' })
  await client().put(`${at()}/releases/v2`, { description: 'Newer' })
  await client().delete(`${at()}/releases/v2`)
  await client().post(`${at()}/wikis`, { title: 'How to', content: 'Hit it' })
  await client().put(`${at()}/wikis/How-to`, { title: 'How to', content: 'Hit it hard' })
  await client().delete(`${at()}/wikis/How-to`)
  await forge.drain()
  const all = to(await told(), 'project').map(({ body }) => body)
  expect(all.filter(({ object_kind }) => object_kind === 'release').map(({ action }) => action)).toEqual(['create', 'update', 'delete'])
  const pages = all.filter(({ object_kind }) => object_kind === 'wiki_page').map(({ object_attributes }) => object_attributes)
  expect(pages.map(({ action, slug, content }) => [action, slug, content])).toEqual([
    ['create', 'How-to', 'Hit it'],
    ['update', 'How-to', 'Hit it hard'],
    ['delete', 'How-to', ''],
  ])
})

test('members and subgroups are told to hooks of the group, without addresses, and to those of the instance', async () => {
  const guest = await forge.user({ name: 'Guest', username: 'guest' })
  const members = `/groups/${group.id}/members`
  await client().post(members, { user_id: guest.id, access_level: 10 })
  await client().put(`${members}/${guest.id}`, { access_level: 30 })
  await client().delete(`${members}/${guest.id}`)
  const { body: below } = await client().post('/groups', { name: 'Below', path: 'below', parent_id: group.id })
  await client().put(`/groups/${below.id}`, { path: 'beneath' })
  await client().delete(`/groups/${below.id}`)
  await forge.drain()
  const all = await told()
  expect(to(all, 'group').map(({ event, body }) => [event, body.event_name])).toEqual([
    ['Member Hook', 'user_add_to_group'],
    ['Member Hook', 'user_update_for_group'],
    ['Member Hook', 'user_remove_from_group'],
    ['Subgroup Hook', 'subgroup_create'],
    ['Subgroup Hook', 'subgroup_destroy'],
  ])
  expect(JSON.stringify(to(all, 'group'))).not.toContain(guest.email)
  const [, added, changed, removed, ...groups] = to(all, 'instance').map(({ body }) => body)
  expect([added, changed, removed].map(({ group_access, user_email }) => [group_access, user_email])).toEqual([
    ['Guest', guest.email],
    ['Developer', guest.email],
    ['Developer', guest.email],
  ])
  expect(groups.map(({ event_name }) => event_name)).toEqual(['group_create', 'group_rename', 'group_destroy'])
  expect(groups[1]).toMatchObject({ old_full_path: 'tools/below', full_path: 'tools/beneath', old_path: 'below' })
})

test('hooks of the instance know projects, their members, users and keys', async () => {
  const user = await forge.user({ name: 'Bob', username: 'bob' })
  const root = forge.as(forge.root)
  const { body: made } = await client().post('/projects', { name: 'Saw', namespace_id: group.id })
  await client().post(`/projects/${made.id}/members`, { user_id: user.id, access_level: 30 })
  await client().put(`/projects/${made.id}/members/${user.id}`, { access_level: 40 })
  await client().delete(`/projects/${made.id}/members/${user.id}`)
  await client().put(`/projects/${made.id}`, { description: 'Cuts' })
  await client().put(`/projects/${made.id}`, { path: 'sew' })
  await root.post(`/groups/${(await forge.group({ name: 'Other', path: 'other' })).id}/projects/${made.id}`)
  await root.delete(`/projects/${made.id}`)
  const { body: key } = await forge.as(user).post('/user/keys', { title: 'k', key: publicKey('bob@example.com') })
  await forge.as(user).delete(`/user/keys/${key.id}`)
  await root.put(`/users/${user.id}`, { username: 'robert' })
  await expect(assertMayBegin(forge.app, { ...user, state: 'blocked' })).rejects.toThrow('blocked')
  await root.delete(`/users/${user.id}`)
  await forge.drain()
  const all = to(await told(), 'instance').map(({ body }) => body)
  expect(all.map(({ event_name }) => event_name)).toEqual([
    'user_create',
    'project_create',
    'user_add_to_team',
    'user_update_for_team',
    'user_remove_from_team',
    'project_update',
    'project_rename',
    'group_create',
    'project_transfer',
    'project_destroy',
    'key_create',
    'key_destroy',
    'user_rename',
    'user_failed_login',
    'user_destroy',
  ])
  const byName = new Map(all.map((body) => [body.event_name, body]))
  expect(byName.get('project_rename')).toMatchObject({ old_path_with_namespace: 'tools/saw', path_with_namespace: 'tools/sew' })
  expect(byName.get('project_transfer')).toMatchObject({ old_path_with_namespace: 'tools/sew', path_with_namespace: 'other/sew' })
  expect(byName.get('user_remove_from_team')).toMatchObject({ project_access: 'Maintainer', user_email: user.email })
  expect(byName.get('user_rename')).toMatchObject({ old_username: 'bob', username: 'robert' })
  expect(byName.get('user_failed_login')).toMatchObject({ state: 'blocked' })
  expect(byName.get('key_create').key).toMatch(/^ssh-/)
})

describe('the documented examples', () => {
  test('there is one for each event that hooks are told, and no other', () => {
    if (process.env.GITSTEAD_WRITE_EXAMPLES) {
      mkdirSync(join(folder, 'system'), { recursive: true })
      for (const [name, body] of seen) writeFileSync(join(folder, name), `${JSON.stringify(body, null, 2)}\n`)
    }
    expect(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.json'))
        .sort(),
    ).toEqual([...seen.keys()].sort())
    const names = [...seen.keys()].map((name) => name.replace(/\..*/, ''))
    for (const name of Object.keys(hookPayloads)) expect(names).toContain(name)
    for (const name of Object.keys(systemPayloads)) expect([...seen.keys()]).toContain(`system/${name}.json`)
  })

  test('each has the schema of its event', () => {
    for (const name of seen.keys()) {
      const body = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      check((name.startsWith('system/') ? systemPayloads : hookPayloads)[nameOf(body)], body)
    }
  })
})
