/** Code owners bind where a protected branch requires them: in merge requests, and in direct pushes. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { fixturePassword, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'

let forge: Forge
let author: TestUser
let ada: TestUser
let grace: TestUser
let maintainer: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[author, ada, grace, maintainer] = [
    await forge.user({ password: fixturePassword }),
    await forge.user(),
    await forge.user(),
    await forge.user(),
  ]
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

test(
  'where no push takes approvals away, those of owners may fall whose files it changes; a rebase takes none',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const { at, it, approve, merge } = await owned(`*.md @${ada.username}\nsrc/ @${grace.username}\n`, ['a.md', 'src/x.ts'])
    const settings = { reset_approvals_on_push: false, selective_code_owner_removals: true }
    expect((await forge.as(maintainer).post(`${at}/approvals`, settings)).body).toMatchObject(settings)
    const given = async () => {
      await forge.drain()
      const { approved_by } = (await forge.as(ada).get(`${it}/approvals`)).body
      return approved_by.map(({ user }: { user: { id: number } }) => user.id)
    }
    const push = (content: string) =>
      forge.as(author).put(`${at}/repository/files/src%2Fx.ts`, { branch: 'topic', content, commit_message: 'Change' })
    for (const user of [ada, grace]) await approve(user)

    expect((await push('more\n')).status).toBe(200)
    expect([await given(), await merge()]).toEqual([[ada.id], 405])
    await forge.as(forge.root).post(`${at}/repository/files/aside`, { branch: 'main', content: 'x', commit_message: 'Aside' })
    await approve(grace)
    expect((await forge.as(author).put(`${it}/rebase`, {})).status).toBe(202)
    expect(await given()).toEqual([ada.id, grace.id])
    await forge.as(maintainer).post(`${at}/approvals`, { selective_code_owner_removals: false })
    await push('and more\n')
    expect(await given()).toEqual([ada.id, grace.id])
  },
)

test('owners of what changes are suggested as reviewers, in forms and beside the request, and the errors of the file are told by line', async () => {
  const text = `* @${maintainer.username} nobody\n*.md @${ada.username} @${author.username}\n^[Code\nsrc/ @${grace.username}\n[Empty]\n/lib\n`
  const { at, it } = await owned(text, ['a.md', 'src/x.ts', 'README.md'])
  const { body: project } = await forge.as(author).get(at)
  const browser = await signedIn(forge, author)
  const page = `/${project.path_with_namespace}/merge_requests`
  const suggested = async (path: string) => (await browser.get(`${page}${path}`)).text.match(/Owners of what it changes: ([^<.]*)/)?.[1]
  const beside = async () =>
    [...(await browser.get(`${page}/1`)).text.matchAll(/name="reviewers" value="([^"]*)"><button[^>]*>Ask/g)].map(([, value]) => value)

  // The section has no end, so its line is one of the file's first section.
  expect(await suggested('/1/edit')).toBe(`${ada.username}, ${grace.username}`)
  expect(await suggested('/new?merge_request[source_branch]=topic')).toBe(`${ada.username}, ${grace.username}`)
  expect(await beside()).toEqual([ada.username, grace.username])
  await browser.submit(`${page}/1`, `${page}/1/details`, { reviewers: ada.username })
  expect((await forge.as(author).get(it)).body.reviewers).toMatchObject([{ id: ada.id }])
  expect(await beside()).toEqual([`${ada.username}, ${grace.username}`])

  const { body: errors } = await forge.as(ada).get(`${at}/repository/codeowners/errors`)
  expect(errors).toEqual({
    commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    path: 'CODEOWNERS',
    total: 3,
    errors: [
      { line: 1, code: 'malformed_entry_owner', message: expect.any(String) },
      { line: 3, code: 'invalid_section_format', message: expect.any(String) },
      { line: 6, code: 'missing_entry_owner', message: expect.any(String) },
    ],
  })
  const none = await forge.as(ada).get(`${at}/repository/codeowners/errors?ref=nowhere`)
  expect([none.status, none.body]).toEqual([404, { message: '404 Commit Not Found' }])
  expect((await browser.get(`/${project.path_with_namespace}/blob/main/CODEOWNERS`)).text).toContain('<a href="#L6">Line 6</a>')
})
