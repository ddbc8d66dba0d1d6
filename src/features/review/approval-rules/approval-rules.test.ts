/** Rules of approval bind: whoever merges, and however, a merge needs what they require. */
import { beforeAll, expect, test } from 'vitest'
import { type Reviewers, reviewedProject, reviewers } from '../../../../test/support/fixtures/reviewed-project.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let cast: Reviewers
let author: TestUser
let ada: TestUser
let grace: TestUser
let maintainer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  cast = await reviewers(forge)
  ;({ author, ada, grace, maintainer } = cast)
})

/** A project of its own, with a rule, and a merge request. */
async function reviewed(rule?: Record<string, unknown> | null) {
  const made = await reviewedProject(forge, cast, rule)
  project = made.project
  return made
}

test('a merge waits for its approvals, and says so', async () => {
  const { approve, merge, status, state } = await reviewed()
  expect([await status(), await merge()]).toEqual(['not_approved', 405])
  expect(await state()).toMatchObject({
    approved: false,
    approvals_required: 1,
    approvals_left: 1,
    has_approval_rules: true,
    approval_rules_left: [{ name: 'Security', rule_type: 'regular' }],
    invalid_approvers_rules: [],
  })
  expect((await approve(grace)).status).toBe(201)
  expect(await merge()).toBe(405)
  expect((await approve(ada)).body).toMatchObject({ approved: true, approvals_left: 0, approval_rules_left: [] })
  expect([await status(), await merge()]).toEqual(['mergeable', 200])
})

test('a project without rules answers as before, and its authors may approve', async () => {
  const { at, it, approve, merge, status, state } = await reviewed(null)
  expect(await state()).toMatchObject({ approved: false, approvals_required: 0, approvals_left: 0, has_approval_rules: false })
  expect((await approve(author)).status).toBe(201)
  expect((await forge.as(ada).get(`${it}/approval_state`)).body).toEqual({ approval_rules_overwritten: false, rules: [] })
  expect((await forge.as(maintainer).get(`${at}/approvals`)).body).toEqual({
    approvers: [],
    approver_groups: [],
    approvals_before_merge: 0,
    reset_approvals_on_push: true,
    reset_approvals_on: 'change',
    selective_code_owner_removals: false,
    disable_overriding_approvers_per_merge_request: false,
    merge_requests_author_approval: false,
    merge_requests_disable_committers_approval: false,
    require_password_to_approve: false,
    require_reauthentication_to_approve: false,
  })
  expect([await status(), await merge()]).toEqual(['mergeable', 200])
})

test('authors approve their own where the project allows it, and committers where it doesn’t bar them', async () => {
  const { request, approve, settings, merge } = await reviewed({ name: 'Two', rule_type: 'any_approver', approvals_required: 1 })
  expect((await approve(author)).status).toBe(403)
  expect((await settings({ merge_requests_author_approval: true, merge_requests_disable_committers_approval: true })).status).toBe(201)
  const email = await git(project.dir, 'show', '-s', '--format=%ae', request.head_oid ?? '')
  const at = '2020-01-01T00:00:00.000Z'
  const address = { user_id: grace.id, email, email_key: email.toLowerCase(), is_primary: false, confirmed_at: at, created_at: at }
  await forge.app.db.insertInto('emails').values(address).execute()
  expect((await approve(grace)).status).toBe(403)
  expect(await merge()).toBe(405)
  expect((await approve(author)).status).toBe(201)
  expect(await merge()).toBe(200)
})

test('an approver who is blocked, or leaves, no longer counts', async () => {
  const { at, approve, state, merge } = await reviewed({ name: 'Both', approvals_required: 2, user_ids: [ada.id, grace.id] })
  for (const user of [ada, grace]) expect((await approve(user)).status).toBe(201)
  expect((await forge.as(maintainer).delete(`${at}/members/${grace.id}`)).status).toBe(204)
  expect(await state()).toMatchObject({ approved: false, approvals_left: 1, invalid_approvers_rules: [{ name: 'Both' }] })
  expect(await merge()).toBe(405)
  // Nobody whom it names is left to give the second, so a maintainer may.
  expect((await approve(maintainer)).body).toMatchObject({ approved: true })
  expect(await merge()).toBe(200)
})

test('direct members of a group approve, a reporter among them, and nobody learns of groups they can’t see', async () => {
  const group = await forge.group({ visibility: 'private' })
  const { at, it, rule, approve, merge } = await reviewed({ name: 'Owners', approvals_required: 1 })
  await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: grace.id, access_level: 30 })
  await forge.as(maintainer).put(`${at}/members/${grace.id}`, { access_level: 20 })
  const seen = await forge.as(forge.root).put(`${at}/approval_rules/${rule.id}`, { group_ids: [group.id] })
  expect(seen.body).toMatchObject({
    groups: [{ id: group.id }],
    contains_hidden_groups: false,
    eligible_approvers: [{ id: forge.root.id }, { id: grace.id }],
  })
  const hidden = await forge.as(maintainer).get(`${at}/approval_rules/${rule.id}`)
  expect(hidden.body).toMatchObject({ groups: [], contains_hidden_groups: true, eligible_approvers: [] })
  const [ofState] = (await forge.as(maintainer).get(`${it}/approval_state`)).body.rules
  expect(ofState).toMatchObject({ name: 'Owners', eligible_approvers: [], contains_hidden_groups: true })
  // An editor who can't see a group neither adds it nor removes it by accident.
  expect((await forge.as(maintainer).put(`${at}/approval_rules/${rule.id}`, { group_ids: [] })).body.contains_hidden_groups).toBe(true)
  expect(await merge()).toBe(405)
  expect((await forge.as(grace).get(`${it}/approvals`)).body.user_can_approve).toBe(true)
  expect((await approve(grace)).status).toBe(201)
  expect(await merge()).toBe(200)
})

test('a rule for protected branches is for their requests alone', async () => {
  const { at, it, rule, status } = await reviewed()
  await forge.as(maintainer).post(`${at}/protected_branches`, { name: 'stable/*' })
  const branches = (await forge.as(maintainer).get(`${at}/protected_branches`)).body as Array<{ id: number; name: string }>
  const stable = branches.find(({ name }) => name === 'stable/*')
  const limited = await forge.as(maintainer).put(`${at}/approval_rules/${rule.id}`, { protected_branch_ids: [stable?.id] })
  expect(limited.body).toMatchObject({ protected_branches: [{ name: 'stable/*', allow_force_push: false }] })
  expect(await status()).toBe('mergeable')
  await forge.as(maintainer).post(`${at}/repository/branches`, { branch: 'stable/1', ref: 'main' })
  await forge.as(maintainer).put(it, { target_branch: 'stable/1' })
  expect(await status()).toBe('not_approved')
  const elsewhere = await forge.project({ maintainer })
  await forge.as(maintainer).post(`/projects/${elsewhere.id}/protected_branches`, { name: 'x' })
  const [, other] = (await forge.as(maintainer).get(`/projects/${elsewhere.id}/protected_branches`)).body as Array<{ id: number }>
  expect((await forge.as(maintainer).put(`${at}/approval_rules/${rule.id}`, { protected_branch_ids: [other?.id] })).status).toBe(400)
})

test('a request has rules of its own, and maintainers replace those of the project by stricter ones', async () => {
  const { it, rule, approve, settings, status } = await reviewed()
  const own = await forge.as(author).post(`${it}/approval_rules`, { name: 'Also', approvals_required: 1, usernames: [grace.username] })
  expect([own.status, own.body]).toMatchObject([201, { source_rule: null, overridden: false, users: [{ id: grace.id }] }])
  const replacing = { name: 'Security', approval_project_rule_id: rule.id, approvals_required: 2, user_ids: [ada.id, grace.id] }
  expect((await forge.as(author).post(`${it}/approval_rules`, replacing)).status).toBe(403)
  expect((await forge.as(maintainer).post(`${it}/approval_rules`, { ...replacing, approvals_required: 0 })).status).toBe(400)
  expect((await forge.as(maintainer).post(`${it}/approval_rules`, replacing)).body).toMatchObject({
    overridden: true,
    source_rule: { approvals_required: 1 },
  })
  await approve(ada)
  expect(await status()).toBe('not_approved')
  const state = (await forge.as(ada).get(`${it}/approval_state`)).body
  expect(state).toMatchObject({
    approval_rules_overwritten: true,
    rules: [
      { name: 'Security', approved: false, approved_by: [{ id: ada.id }], code_owner: false },
      { name: 'Also', approved: false, approved_by: [] },
    ],
  })
  expect((await forge.as(author).delete(`${it}/approval_rules/${own.body.id}`)).status).toBe(403)
  expect((await forge.as(maintainer).delete(`${it}/approval_rules/${own.body.id}`)).status).toBe(204)
  await settings({ disable_overriding_approvers_per_merge_request: true })
  expect(await status()).toBe('mergeable')
})

test('a rebase that changes nothing keeps approvals and says so; another diff takes them, even by white space', async () => {
  const { at, it, approve, state } = await reviewed()
  const given = async () => {
    await forge.drain()
    return (await state()).approved as boolean
  }
  await approve(ada)
  await forge.as(forge.root).post(`${at}/repository/files/aside`, { branch: 'main', content: 'x', commit_message: 'Aside' })
  expect((await forge.as(author).put(`${it}/rebase`, {})).status).toBe(202)
  expect(await given()).toBe(true)
  const notes = (await forge.as(ada).get(`${it}/notes`)).body as Array<{ body: string }>
  expect(notes.map(({ body }) => body)).toContain('kept the approvals, as the push changed nothing of the diff')

  await forge.as(author).put(`${at}/repository/files/f`, { branch: 'topic', content: ' x\n', commit_message: 'Indent' })
  expect(await given()).toBe(false)
})

test('any push takes approvals away, or none, as the project says', async () => {
  const { at, it, approve, state, settings } = await reviewed()
  const push = async (content: string) => {
    await forge.as(author).put(`${at}/repository/files/f`, { branch: 'topic', content, commit_message: 'Change' })
    await forge.drain()
    return (await state()).approved as boolean
  }
  expect((await settings({ reset_approvals_on_push: false })).body).toMatchObject({ reset_approvals_on: 'never' })
  await approve(ada)
  expect(await push('2\n')).toBe(true)
  expect((await settings({ reset_approvals_on: 'push' })).body).toMatchObject({ reset_approvals_on_push: true })
  await forge.as(forge.root).post(`${at}/repository/files/aside`, { branch: 'main', content: 'x', commit_message: 'Aside' })
  await forge.as(author).put(`${it}/rebase`, {})
  await forge.drain()
  expect((await state()).approved).toBe(false)
})

test('an approval asks for the password where the project wants it', async () => {
  const { approve, settings } = await reviewed()
  await settings({ require_password_to_approve: true })
  expect((await approve(ada)).status).toBe(401)
  expect((await approve(ada, { approval_password: 'not it' })).status).toBe(401)
  expect((await approve(ada, { approval_password: 'difference-engine' })).status).toBe(201)
})

test('an automatic merge waits for the last approval, and obeys an approval taken back', async () => {
  const { it, approve, merge } = await reviewed()
  const waiting = await forge.as(maintainer).put(`${it}/merge`, { merge_when_pipeline_succeeds: true })
  expect([waiting.status, waiting.body]).toMatchObject([200, { state: 'opened', merge_when_pipeline_succeeds: true }])
  await forge.drain()
  expect((await forge.as(ada).get(it)).body.state).toBe('opened')
  await approve(ada)
  await forge.as(ada).post(`${it}/unapprove`, {})
  await forge.drain()
  expect([(await forge.as(ada).get(it)).body.state, await merge()]).toEqual(['opened', 405])
  await approve(ada)
  await forge.drain()
  expect((await forge.as(ada).get(it)).body.state).toBe('merged')
})

test('an automatic merge goes on once the rule it waited for is removed', async () => {
  const { it } = await reviewed()
  const rules = it.replace(/merge_requests.*/, 'approval_rules')
  await forge.as(maintainer).put(`${it}/merge`, { merge_when_pipeline_succeeds: true })
  await forge.drain()
  expect((await forge.as(ada).get(it)).body.state).toBe('opened')
  for (const { id } of (await forge.as(maintainer).get(rules)).body) await forge.as(maintainer).delete(`${rules}/${id}`)
  await forge.drain()
  expect((await forge.as(ada).get(it)).body.state).toBe('merged')
})

test('of a merge and an approval that is taken back at once, the merge happens with the approval or not at all', async () => {
  const { it, approve, merge } = await reviewed()
  await approve(ada)
  const [merged, taken] = await Promise.all([merge(), forge.as(ada).post(`${it}/unapprove`, {})])
  const { state } = (await forge.as(ada).get(it)).body
  expect(taken.status).toBe(201)
  expect([200, 405]).toContain(merged)
  expect(state).toBe(merged === 200 ? 'merged' : 'opened')
})

test('malformed rules are refused', async () => {
  const { at, rule } = await reviewed()
  const create = async (body: Record<string, unknown>) => (await forge.as(maintainer).post(`${at}/approval_rules`, body)).status
  expect(await create({ name: 'Security', approvals_required: 1 })).toBe(400)
  expect(await create({ name: ' ', approvals_required: 1 })).toBe(400)
  expect(await create({ name: 'x', approvals_required: -1 })).toBe(400)
  expect(await create({ name: 'x', approvals_required: 101 })).toBe(400)
  expect(await create({ name: 'x'.repeat(2_000), approvals_required: 1 })).toBe(400)
  expect(await create({ name: 'x', approvals_required: 1, user_ids: ['a'] })).toBe(400)
  expect(await create({ name: 'Anybody', rule_type: 'any_approver', approvals_required: 1 })).toBe(201)
  expect(await create({ name: 'Anybody', rule_type: 'any_approver', approvals_required: 1 })).toBe(400)
  expect((await forge.as(author).put(`${at}/approval_rules/${rule.id}`, { approvals_required: 0 })).status).toBe(403)
  const elsewhere = await forge.project({ maintainer })
  expect((await forge.as(maintainer).delete(`/projects/${elsewhere.id}/approval_rules/${rule.id}`)).status).toBe(404)
})
