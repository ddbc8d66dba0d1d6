/** Rules of approval of groups, and what groups demand: they hold in all projects below, and can be loosened by none. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let ada: TestUser
let author: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, ada, author] = [await forge.user(), await forge.user(), await forge.user()]
})

/** A project two groups below the one that has rules; its owner manages all of them. */
async function below() {
  const top = await forge.group({ owner })
  const group = await forge.group({ parent: top })
  for (const user of [ada, author]) await forge.as(owner).post(`/groups/${top.id}/members`, { user_id: user.id, access_level: 30 })
  const project = await forge.project({ group })
  return { top: `/groups/${top.id}`, group: `/groups/${group.id}`, at: `/projects/${project.id}`, project }
}

let counter = 0

async function requestIn(project: TestProject, target_branch = 'main'): Promise<string> {
  const branch = `topic-${++counter}`
  const actions = [{ action: 'create', file_path: branch, content: 'x' }]
  const commit = { branch, start_branch: 'main', commit_message: branch, actions }
  expect((await forge.as(author).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  const { iid } = await forge.mergeRequest(project, author, { source_branch: branch, target_branch, title: branch })
  return `/projects/${project.id}/merge_requests/${iid}`
}

test('a rule of a group is required of requests into protected branches of all projects below, and can’t be replaced', async () => {
  const { top, at, project } = await below()
  const sent = { name: 'Safety', approvals_required: 1, user_ids: [ada.id] }
  const made = await forge.as(owner).post(`${top}/approval_rules`, sent)
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      ...{ name: 'Safety', rule_type: 'regular', approvals_required: 1, users: [{ id: ada.id }], groups: [] },
      ...{ eligible_approvers: [{ id: ada.id }], protected_branches: [], applies_to_all_protected_branches: true },
    },
  ])
  await forge.as(owner).post(`${at}/repository/branches`, { branch: 'open', ref: 'main' })
  const [request, unprotected] = [await requestIn(project), await requestIn(project, 'open')]
  const merge = async (path: string) => (await forge.as(owner).put(`${path}/merge`)).status
  expect([await merge(unprotected), await merge(request)]).toEqual([200, 405])
  expect((await forge.as(ada).get(`${request}/approval_state`)).body.rules).toMatchObject([
    { id: made.body.id, name: 'Safety', approved: false },
  ])
  expect((await forge.as(owner).get(`${at}/approval_rules`)).body).toEqual([])
  const instead = { name: 'Less', approvals_required: 1, approval_project_rule_id: made.body.id }
  expect((await forge.as(owner).post(`${request}/approval_rules`, instead)).status).toBe(404)
  expect((await forge.as(ada).post(`${request}/approve`)).status).toBe(201)
  expect(await merge(request)).toBe(200)
})

test('a scheduled merge continues once the rule of the group is gone', async () => {
  const { top, project } = await below()
  const { body: rule } = await forge.as(owner).post(`${top}/approval_rules`, { name: 'Safety', approvals_required: 1, user_ids: [ada.id] })
  const request = await requestIn(project)
  expect((await forge.as(owner).put(`${request}/merge`, { auto_merge: true })).body.state).toBe('opened')
  expect((await forge.as(owner).delete(`${top}/approval_rules/${rule.id}`)).status).toBe(204)
  await forge.drain()
  expect((await forge.as(owner).get(request)).body.state).toBe('merged')
})

test('rules of a group have unique names and limited numbers, and keep groups that their editor can’t see', async () => {
  const { top, group } = await below()
  const api = forge.as(owner)
  const secret = await forge.group({ visibility: 'private' })
  const { body: rule } = await api.post(`${top}/approval_rules`, { name: ' Safety ', approvals_required: 0, group_ids: [secret.id] })
  // A group that they can't see is as good as none.
  expect([rule.name, rule.groups, rule.contains_hidden_groups]).toEqual(['Safety', [], false])
  const refused = async (body: object, path = `${top}/approval_rules`) => {
    const { status, body: reply } = await api.post(path, body)
    return [status, reply.message]
  }
  expect(await refused({ name: 'Safety', approvals_required: 1 })).toEqual([400, { name: ['has already been taken'] }])
  expect(await refused({ name: '  ', approvals_required: 1 })).toEqual([400, { name: ["can't be blank"] }])
  expect(await refused({ name: 'Many', approvals_required: 101 })).toEqual([400, { approvals_required: ['must be from 0 to 100'] }])
  expect((await refused({ name: 'Few', approvals_required: -1 }))[0]).toBe(400)
  expect((await api.post(`${top}/approval_rules`, { name: '', approvals_required: 1, rule_type: 'any_approver' })).status).toBe(201)
  expect(await refused({ name: '', approvals_required: 1, rule_type: 'any_approver' })).toEqual([
    400,
    { rule_type: ['has already been taken'] },
  ])
  // Names are unique within a group, not between a group and those above it.
  expect((await api.post(`${group}/approval_rules`, { name: 'Safety', approvals_required: 1 })).status).toBe(201)
  expect((await api.put(`${group}/approval_rules/${rule.id}`, { approvals_required: 2 })).status).toBe(404)
  const changed = await api.put(`${top}/approval_rules/${rule.id}`, { approvals_required: 2, usernames: [ada.username] })
  expect([changed.body.name, changed.body.approvals_required, changed.body.users]).toMatchObject(['Safety', 2, [{ id: ada.id }]])
})

const shown = { locked: false, inherited_from: null }

test('settings of a group override looser ones of groups and projects below, as the newer API shows', async () => {
  const { top, group, at, project } = await below()
  const path = '/merge_request_approval_setting'
  const api = forge.as(owner)
  const before = await api.get(`${at}${path}`)
  expect([before.status, before.body]).toEqual([
    200,
    {
      allow_author_approval: { value: false, ...shown },
      allow_committer_approval: { value: true, ...shown },
      allow_overrides_to_approver_list_per_merge_request: { value: true, ...shown },
      retain_approvals_on_push: { value: false, ...shown },
      selective_code_owner_removals: { value: false, ...shown },
      require_password_to_approve: { value: false, ...shown },
      require_reauthentication_to_approve: { value: false, ...shown },
    },
  ])
  const loose = { allow_author_approval: true, retain_approvals_on_push: true }
  expect((await api.put(`${at}${path}`, loose)).body).toMatchObject({
    ...{ allow_author_approval: { value: true, ...shown }, retain_approvals_on_push: { value: true, ...shown } },
  })
  const strict = { allow_author_approval: false, retain_approvals_on_push: false, allow_committer_approval: false }
  expect((await api.put(`${top}${path}`, strict)).body.allow_author_approval).toEqual({ value: false, ...shown })
  const locked = { value: false, locked: true, inherited_from: 'group' }
  for (const place of [at, group])
    expect((await api.put(`${place}${path}`, { ...loose, allow_committer_approval: true })).body).toMatchObject({
      ...{ allow_author_approval: locked, retain_approvals_on_push: locked, allow_committer_approval: locked },
      allow_overrides_to_approver_list_per_merge_request: { value: true, ...shown },
    })
  // The project's own settings, though saved, don't apply until the groups stop demanding more.
  expect((await api.get(`${at}/approvals`)).body).toMatchObject({ merge_requests_author_approval: false, reset_approvals_on: 'change' })
  const request = await requestIn(project)
  const rule = { name: 'Any', approvals_required: 1, rule_type: 'any_approver' }
  expect((await api.post(`${at}/approval_rules`, rule)).status).toBe(201)
  const merges = async () => {
    await forge.as(author).post(`${request}/approve`)
    return (await api.put(`${request}/merge`)).status
  }
  expect(await merges()).toBe(405)
  await api.put(`${top}${path}`, { allow_author_approval: true, allow_committer_approval: true })
  await api.put(`${group}${path}`, { allow_author_approval: true, allow_committer_approval: true })
  expect(await merges()).toBe(200)
})
