/** Code owners bind where a protected branch requires them: in merge requests, and in direct pushes. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let author: TestUser
let ada: TestUser
let grace: TestUser
let maintainer: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[author, ada, grace, maintainer] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
})

/** A project whose `main` requires code owners, and a merge request that changes these files. */
async function owned(owners: string, changed: string[], place = 'CODEOWNERS') {
  const project: TestProject = await forge.project({
    maintainer,
    visibility: 'public',
    commits: [{ files: { [place]: owners, 'README.md': '# Hello\n' } }],
  })
  for (const user of [author, ada, grace])
    await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
  const at = `/projects/${project.id}`
  const flagged = await forge.as(maintainer).patch(`${at}/protected_branches/main`, { code_owner_approval_required: true })
  expect([flagged.status, flagged.body]).toMatchObject([200, { code_owner_approval_required: true, allow_force_push: false }])
  const files = Object.fromEntries(changed.map((path) => [path, 'changed\n']))
  await shape(project.dir, [{ branch: 'topic', parents: ['main'], files }])
  const { iid } = await forge.mergeRequest(project, author, { source_branch: 'topic' })
  const it = `${at}/merge_requests/${iid}`
  return {
    at,
    it,
    approve: async (user: TestUser) => (await forge.as(user).post(`${it}/approve`, {})).status,
    merge: async () => (await forge.as(maintainer).put(`${it}/merge`, {})).status,
    rules: async () => (await forge.as(ada).get(`${it}/approval_state`)).body.rules,
    write: (branch: string, file_path: string) =>
      forge
        .as(maintainer)
        .post(`${at}/repository/files/${encodeURIComponent(file_path)}`, { branch, content: 'x', commit_message: 'Write' }),
  }
}

test('a merge needs an owner of each entry that its changes touch, by the file of the target', async () => {
  const text = `*.md @${ada.username}\n[Code][1]\nsrc/ @${grace.username}\n^[Style]\n*.css @${grace.username}\n`
  const { approve, merge, rules } = await owned(text, ['docs/a.md', 'src/x.css', 'CODEOWNERS'], '.gitlab/CODEOWNERS')
  expect(await rules()).toMatchObject([
    { name: '*.md', rule_type: 'code_owner', code_owner: true, section: null, approvals_required: 1, users: [{ id: ada.id }] },
    { name: 'src/', section: 'Code', approvals_required: 1, eligible_approvers: [{ id: grace.id }] },
    { name: '*.css', section: 'Style', approvals_required: 0 },
  ])
  expect([await approve(ada), await merge()]).toEqual([201, 405])
  expect([await approve(grace), await merge()]).toEqual([201, 200])
})

test('groups, roles and addresses own, and unknown owners leave it to maintainers', async () => {
  const group = await forge.group({ visibility: 'public' })
  await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: grace.id, access_level: 30 })
  const text = `/a @${group.full_path}\n/b @@maintainers\n/c ${ada.email}\n/d @nobody-has-this-name\n`
  const { rules, approve, merge, at, it } = await owned(text, ['a', 'b', 'c', 'd'])
  expect((await forge.as(forge.root).post(`${at}/share`, { group_id: group.id, group_access: 30 })).status).toBe(201)
  const byName = Object.fromEntries(
    (await rules()).map(({ name, eligible_approvers }: { name: string; eligible_approvers: Array<{ id: number }> }) => [
      name,
      eligible_approvers.map(({ id }) => id),
    ]),
  )
  expect(byName['/a']).toContain(grace.id)
  expect([byName['/b'], byName['/c'], byName['/d']]).toEqual([expect.arrayContaining([maintainer.id]), [ada.id], []])
  expect((await forge.as(ada).get(`${it}/approvals`)).body.invalid_approvers_rules).toMatchObject([{ name: '/d' }])
  for (const user of [grace, ada]) await approve(user)
  expect(await merge()).toBe(405)
  expect([await approve(maintainer), await merge()]).toEqual([201, 200])
})

test('files whose owners must approve cannot be pushed directly, others can', async () => {
  const { write, at } = await owned(`docs/ @${ada.username}\n^[Style]\n*.css @${ada.username}\n`, ['x'])
  const refused = await write('main', 'docs/a.md')
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('docs/a.md')])
  expect([(await write('main', 'src/a.c')).status, (await write('main', 'a.css')).status]).toEqual([201, 201])
  expect((await write('topic', 'docs/a.md')).status).toBe(201)
  await forge.as(maintainer).patch(`${at}/protected_branches/main`, { code_owner_approval_required: false })
  expect((await write('main', 'docs/a.md')).status).toBe(201)
})

test('a file whose wildcards can’t be tried on the changes is left to maintainers', async () => {
  const text = Array.from({ length: 2_500 }, (_, n) => `*a*${n}?* @${ada.username}`).join('\n')
  const { rules, approve, merge } = await owned(text, ['b'])
  expect(await rules()).toMatchObject([{ name: 'CODEOWNERS', approvals_required: 1, users: [] }])
  expect([await approve(ada), await merge()]).toEqual([201, 405])
  expect([await approve(maintainer), await merge()]).toEqual([201, 200])
})

test('the file tells nothing of strangers’ addresses and of groups that have nothing to do with the project', async () => {
  const [stranger, admin] = [await forge.user(), await forge.user({ admin: true })]
  const shown = await forge.user()
  await forge.as(forge.root).put(`/users/${shown.id}`, { public_email: shown.email })
  const group = await forge.group({ visibility: 'private' })
  for (const user of [grace, stranger])
    await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: user.id, access_level: 30 })
  const text = `* ${stranger.email} ${admin.email} ${shown.email} @${stranger.username} @${group.full_path} ${ada.email}\n`
  const { rules } = await owned(text, ['a'])

  expect(await rules()).toMatchObject([{ users: [{ id: ada.id }], eligible_approvers: [{ id: ada.id }], contains_hidden_groups: false }])
})

test('a file with more owners than can be told is left to maintainers', async () => {
  const owners = Array.from({ length: 400 }, (_, n) => `@nobody${n}`).join(' ')
  const paths = Array.from({ length: 60 }, (_, n) => `f${n}`)
  const { rules } = await owned(`[All] ${owners}\n${paths.map((path) => `/${path}\n`).join('')}`, paths)
  expect(await rules()).toMatchObject([{ name: 'CODEOWNERS', approvals_required: 1, users: [] }])
})
