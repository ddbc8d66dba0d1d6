/** Rules of approval as clients of today send and read them, and where a group goes or a push comes at the same moment. */
import { beforeAll, expect, test } from 'vitest'
import { type Reviewers, reviewedProject, reviewers } from '../../../../test/support/fixtures/reviewed-project.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let cast: Reviewers
let author: TestUser
let ada: TestUser
let grace: TestUser
let maintainer: TestUser

beforeAll(async () => {
  forge = await testForge()
  cast = await reviewers(forge)
  ;({ author, ada, grace, maintainer } = cast)
})

const reviewed = (rule?: Record<string, unknown>) => reviewedProject(forge, cast, rule)

test('a rule whose group is deleted is told to be stuck, and counts maintainers', async () => {
  const group = await forge.group({ visibility: 'public' })
  await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: grace.id, access_level: 30 })
  const { it, approve, merge } = await reviewed({ name: 'Owners', approvals_required: 1, group_ids: [group.id] })
  await forge.as(forge.root).delete(`/groups/${group.id}`)
  await forge.drain()
  const rules = async () => (await forge.as(ada).get(`${it}/approval_state`)).body.rules
  expect(await rules()).toMatchObject([{ name: 'Owners', groups: [], eligible_approvers: [], approved: false }])
  await approve(grace)
  expect(await merge()).toBe(405)
  await approve(maintainer)
  expect([(await rules())[0].approved, await merge()]).toEqual([true, 200])
})

test('an approval of what was seen never counts for a push that comes at the same moment', async () => {
  const { at, it, approve, state, status } = await reviewed()
  for (let round = 1; round <= 2; round += 1) {
    const { sha } = (await forge.as(ada).get(it)).body
    const commit = { branch: 'topic', content: `${round}\n`, commit_message: 'Change' }
    const push = () => forge.as(author).put(`${at}/repository/files/f`, commit)
    const [approved, pushed] = await Promise.all(round % 2 ? [approve(ada, { sha }), push()] : [push(), approve(ada, { sha })].reverse())
    expect([201, 409]).toContain(approved?.status)
    expect([pushed?.status, await status()]).toEqual([200, 'not_approved'])
    await forge.drain()
    expect((await state()).approved_by).toEqual([])
  }
})

/** A form as HTTP libraries write it, for which nothing is an empty field. */
const formOf = (fields: Record<string, string | number | null>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, value === null ? '' : String(value)])).toString()

test('what Terraform’s provider, renovate, dependabot and Mattermost send is taken, and what they read is there', async () => {
  const { at, it, rule, approve, state } = await reviewed()
  const api = forge.as(maintainer)
  // Terraform's provider: null for empty sets; it looks for its rule in the list, by id.
  const sent = {
    name: 'Managed',
    approvals_required: 1,
    rule_type: 'regular',
    user_ids: [ada.id],
    group_ids: null,
    protected_branch_ids: null,
  }
  const { body: managed } = await api.post(`${at}/approval_rules`, sent)
  const listed = async () =>
    (await api.get(`${at}/approval_rules`)).body.find(({ id }: { id: number }) => id === managed.id) as Record<string, unknown>
  expect(await listed()).toMatchObject({
    ...{ name: 'Managed', approvals_required: 1, rule_type: 'regular' },
    ...{ users: [{ id: ada.id }], groups: [], protected_branches: [] },
  })
  const { rule_type: _, ...change } = sent
  expect((await api.put(`${at}/approval_rules/${managed.id}`, { ...change, user_ids: null })).body.users).toEqual([])
  const configuration = {
    reset_approvals_on_push: true,
    disable_overriding_approvers_per_merge_request: false,
    merge_requests_author_approval: false,
    merge_requests_disable_committers_approval: false,
  }
  expect((await api.post(`${at}/approvals`, configuration)).body).toMatchObject(configuration)
  expect((await api.get(`${at}/approvals`)).body).toMatchObject(configuration)
  expect((await api.delete(`${at}/approval_rules/${managed.id}`)).status).toBe(204)

  // Dependabot: a form, in which no groups are an empty field.
  const form = { name: 'dependency-updates', approvals_required: 1, 'user_ids[]': grace.id, group_ids: null }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const own = await api.post(`${it}/approval_rules`, formOf(form), { headers })
  expect([own.status, own.body]).toMatchObject([201, { name: 'dependency-updates', users: [{ id: grace.id }], groups: [] }])

  expect((await forge.as(grace).get('/todos?action=approval_required')).body).toMatchObject([{ author: { id: maintainer.id } }])

  // Renovate: deletes rules of the request, and sends back a whole rule with another number.
  const any = await api.post(`${it}/approval_rules`, { name: 'All Members', rule_type: 'any_approver', approvals_required: 2 })
  const { body: rules } = await api.get(`${it}/approval_rules`)
  expect(rules.map(({ id, name, rule_type }: typeof rule & { name: string; rule_type: string }) => [id, name, rule_type])).toEqual([
    [rule.id, 'Security', 'regular'],
    [own.body.id, 'dependency-updates', 'regular'],
    [any.body.id, 'All Members', 'any_approver'],
  ])
  expect((await api.delete(`${it}/approval_rules/${own.body.id}`)).status).toBe(204)
  const lowered = await api.put(`${it}/approval_rules/${any.body.id}`, { ...any.body, approvals_required: 0 })
  expect([lowered.status, lowered.body.approvals_required, lowered.body.rule_type]).toEqual([200, 0, 'any_approver'])
  expect((await api.post(`${it}/approval_rules`, { name: 'renovateIgnoreApprovals', approvals_required: 0 })).status).toBe(201)
  const request = (await api.get(it)).body
  expect([request.detailed_merge_status, request.merge_status, request.pipeline]).toEqual(['not_approved', 'can_be_merged', null])

  // Mattermost counts who has approved.
  await approve(ada)
  expect((await state()).approved_by).toMatchObject([{ user: { id: ada.id, username: ada.username } }])
})
