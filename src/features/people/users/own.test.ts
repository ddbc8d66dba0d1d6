/** Users change their own settings, and count their own rows. */
import { beforeAll, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

test('users set their own picture and remove it; what is no picture is refused', async () => {
  const user = await forge.user()
  const as = forge.as(user)
  const send = (content: Buffer, name: string) => {
    const { payload, headers } = asForm({ avatar: content }, { avatar: name })
    return as.put('/user/avatar', payload, { headers })
  }
  const set = await send(onePixel, 'me.png')
  expect([set.status, set.body.avatar_url]).toEqual([200, expect.stringContaining(`/user/avatar/${user.id}/me.png`)])
  expect((await as.get('/user')).body.avatar_url).toBe(set.body.avatar_url)
  expect((await send(Buffer.from('<svg/>'), 'me.svg')).status).toBe(400)
  expect((await as.put('/user/avatar', { avatar: '' })).body.avatar_url).not.toBe(set.body.avatar_url)
})

test('preferences are kept of their user, and at least one is sent', async () => {
  const [user, other] = [await forge.user(), await forge.user()]
  const before = {
    id: user.id,
    user_id: user.id,
    view_diffs_file_by_file: false,
    show_whitespace_in_diffs: true,
    pass_user_identities_to_ci_jwt: false,
  }
  expect((await forge.as(user).get('/user/preferences')).body).toEqual(before)
  const changed = await forge.as(user).put('/user/preferences', { view_diffs_file_by_file: true, show_whitespace_in_diffs: false })
  expect([changed.status, changed.body]).toEqual([200, { ...before, view_diffs_file_by_file: true, show_whitespace_in_diffs: false }])
  expect((await forge.as(other).get('/user/preferences')).body.view_diffs_file_by_file).toBe(false)
  expect((await forge.as(user).put('/user/preferences', {})).status).toBe(400)
  expect((await forge.as(user).put('/user/preferences', { show_whitespace_in_diffs: 'perhaps' })).status).toBe(400)
})

test('what belongs to a user is counted for themselves and for administrators', async () => {
  const [user, other] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner: user })
  await forge.project({ developer: user })
  await forge.group({ guest: user })
  await forge.as(user).post(`/projects/${project.id}/issues`, { title: 'One', confidential: true })
  const counts = { groups_count: 1, projects_count: 2, issues_count: 1, merge_requests_count: 0 }
  for (const by of [user, forge.root]) expect((await forge.as(by).get(`/users/${user.id}/associations_count`)).body).toEqual(counts)
  expect((await forge.as(other).get(`/users/${user.id}/associations_count`)).status).toBe(403)
})

test('user_counts tells what is assigned, asked for and to be done, as far as it is open and can be seen', async () => {
  const [user, other] = [await forge.user(), await forge.user()]
  const project = await forge.project({ maintainer: other, developer: user })
  const at = `/projects/${project.id}`
  const counts = async () => (await forge.as(user).get('/user_counts')).body
  const none = { merge_requests: 0, assigned_issues: 0, assigned_merge_requests: 0, review_requested_merge_requests: 0, todos: 0 }
  expect(await counts()).toEqual(none)
  const { body } = await forge.as(other).post(`${at}/issues`, { title: 'Yours', assignee_ids: [user.id] })
  expect(await counts()).toEqual({ ...none, assigned_issues: 1, todos: 1 })
  await forge.as(other).put(`${at}/issues/${body.iid}`, { state_event: 'close' })
  expect((await counts()).assigned_issues).toBe(0)
  await forge.as(other).post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
  await forge.as(other).post(`${at}/repository/files/a`, { branch: 'topic', content: 'a', commit_message: 'Add' })
  const proposed = { source_branch: 'topic', target_branch: 'main', title: 'Yours', assignee_ids: [user.id], reviewer_ids: [user.id] }
  const request = (await forge.as(other).post(`${at}/merge_requests`, proposed)).body
  const open = { merge_requests: 1, assigned_merge_requests: 1, review_requested_merge_requests: 1 }
  expect(await counts()).toMatchObject(open)
  // The token, the memberships and all numbers; and on PostgreSQL whether something was written.
  expect((await forge.cost(counts)).statements).toBeLessThanOrEqual(4)
  await forge.as(other).put(`${at}/merge_requests/${request.iid}`, { reviewer_ids: [other.id] })
  expect(await counts()).toMatchObject({ ...open, review_requested_merge_requests: 0 })
  await forge.as(other).put(at, { merge_requests_access_level: 'disabled' })
  expect(await counts()).toMatchObject({ assigned_merge_requests: 0 })
  await forge.as(other).put(at, { merge_requests_access_level: 'enabled' })
  await forge.as(other).delete(`${at}/members/${user.id}`)
  expect(await counts()).toEqual(none)
})
