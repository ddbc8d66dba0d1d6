/** Archives of groups: what is in them comes back, secrets are not in them, and a hostile one leaves nothing behind. */
import { expect, test } from 'vitest'
import { type ArchiveFile, archiveOf, filesIn } from '../../../../test/support/fixtures/archives.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { kept_ms } from '../exports/exports.ts'
import { removeOldGroupExports } from './exports.service.ts'

async function groupArchiveOf(forge: Forge, user: TestUser, group: { id: number }): Promise<Buffer> {
  expect((await forge.as(user).post(`/groups/${group.id}/export`)).body).toEqual({ message: '202 Accepted' })
  await forge.drain()
  const { status, bytes } = await forge.as(user).get(`/groups/${group.id}/export/download`)
  expect(status).toBe(200)
  return bytes
}

function send(forge: Forge, user: TestUser, archive: Buffer, fields: Record<string, string>) {
  const { payload, headers } = asForm({ ...fields, file: archive })
  return forge.as(user).post('/groups/import', payload, { headers })
}

/** The API's view of a group and its content, without ids, so that original and copy can be compared. */
async function shown(forge: Forge, user: TestUser, path: string) {
  const at = `/groups/${encodeURIComponent(path)}`
  const get = async (what: string) => (await forge.as(user).get(`${at}${what}`)).body
  const { name, description, visibility, lfs_enabled, request_access_enabled, avatar_url } = await get('')
  const [labels, milestones, boards, badges, members, subgroups, wikis] = await Promise.all(
    ['/labels?include_ancestor_groups=false', '/milestones', '/boards', '/badges', '/members', '/subgroups', '/wikis?with_content=1'].map(
      get,
    ),
  )
  return {
    ...{ name, description, visibility, lfs_enabled, request_access_enabled, hasAvatar: avatar_url !== null },
    labels: labels.map(({ name, color, description }: Record<string, unknown>) => ({ name, color, description })),
    milestones: milestones.map(({ iid, title, state, due_date }: Record<string, unknown>) => ({ iid, title, state, due_date })),
    boards: boards.map(({ name, lists }: { name: string; lists: Array<{ label: { name: string } }> }) => [
      name,
      lists.map((list) => list.label.name),
    ]),
    badges: badges.map(({ link_url, image_url }: Record<string, unknown>) => ({ link_url, image_url })),
    members: members.map(({ username, access_level }: Record<string, unknown>) => ({ username, access_level })),
    subgroups: subgroups.map(({ path }: { path: string }) => path),
    wikis: wikis.map(({ slug, content }: Record<string, unknown>) => ({ slug, content })),
  }
}

interface Full {
  forge: Forge
  owner: TestUser
  developer: TestUser
  top: { id: number; full_path: string }
}

async function fullGroup(): Promise<Full> {
  const forge = await testForge()
  const [owner, developer] = [await forge.user(), await forge.user()]
  const top = await forge.group({ owner, developer, visibility: 'public' })
  const me = forge.as(owner)
  const form = asForm({ avatar: onePixel, description: 'All of it', lfs_enabled: 'false' })
  await me.put(`/groups/${top.id}`, form.payload, { headers: form.headers })
  const below = (await me.post('/groups', { name: 'Below', path: 'below', parent_id: top.id, visibility: 'private' })).body
  await me.post(`/groups/${below.id}/members`, { user_id: developer.id, access_level: 40 })
  await me.post(`/groups/${top.id}/labels`, { name: 'bug', color: '#ff0000', description: 'Broken' })
  await me.post(`/groups/${below.id}/labels`, { name: 'idea', color: '#00ff00' })
  const milestone = (await me.post(`/groups/${top.id}/milestones`, { title: 'First', due_date: '2030-01-01' })).body
  await me.put(`/groups/${top.id}/milestones/${milestone.id}`, { state_event: 'close' })
  await me.post(`/groups/${top.id}/badges`, { link_url: 'https://example.com/a', image_url: 'https://example.com/a.svg' })
  const board = (await me.post(`/groups/${below.id}/boards`, { name: 'Work' })).body
  for (const { id } of (await me.get(`/groups/${below.id}/labels`)).body)
    await me.post(`/groups/${below.id}/boards/${board.id}/lists`, { label_id: id })
  await me.post(`/groups/${below.id}/wikis`, { title: 'Home', content: 'Welcome' })
  await me.post(`/groups/${top.id}/variables`, { key: 'SECRET', value: 'hush-hush-hush' })
  return { forge, owner, developer, top }
}

test('a group comes back with its subgroups, members, labels, milestones, boards, badges, avatar and wiki, and without secrets', async () => {
  const { forge, owner, developer, top } = await fullGroup()
  const archive = await groupArchiveOf(forge, forge.root, top)
  expect((await forge.as(owner).get(`/groups/${top.id}/export/download`)).status).toBe(404)
  const files = await filesIn(archive)
  expect(files.map(({ content }) => content.toString('latin1')).join()).not.toMatch(/hush-hush/)

  const sent = await send(forge, forge.root, archive, { name: 'Again', path: 'again' })
  expect([sent.status, sent.body]).toEqual([202, { message: '202 Accepted' }])
  await forge.drain()

  const [before, after] = [await shown(forge, owner, top.full_path), await shown(forge, forge.root, 'again')]
  expect(after).toEqual({ ...before, name: 'Again' })
  expect(before.members).toContainEqual({ username: developer.username, access_level: 30 })
  const below = await shown(forge, forge.root, 'again/below')
  expect(below).toEqual(await shown(forge, owner, `${top.full_path}/below`))
  expect(below).toMatchObject({
    visibility: 'private',
    boards: [['Work', expect.arrayContaining(['bug', 'idea'])]],
    wikis: [{ content: 'Welcome' }],
  })
  const next = await forge.as(forge.root).post(`/groups/again/milestones`, { title: 'Second' })
  expect(next.body.iid).toBe(2)
})

test('an archive of an owner has no addresses, names nobody else as a member, stays below its new group, and goes after a day', async () => {
  const { forge, owner, top } = await fullGroup()
  const archive = await groupArchiveOf(forge, owner, top)
  expect(String((await filesIn(archive)).find(({ name }) => name === 'tables/people.jsonl')?.content)).not.toContain('@')
  const status = (await forge.as(owner).get(`/groups/${top.id}/export`)).body
  expect(status).toMatchObject({
    full_path: top.full_path,
    export_status: 'finished',
    _links: { api_url: expect.stringContaining('/export/download') },
  })
  const parent = await forge.group({ owner, visibility: 'internal' })

  expect((await send(forge, owner, archive, { name: 'In', path: 'in', parent_id: String(parent.id) })).status).toBe(202)
  const found = await shown(forge, owner, `${parent.full_path}/in`)
  expect([found.visibility, found.members]).toEqual(['internal', [{ username: owner.username, access_level: 50 }]])
  const taken = await send(forge, owner, archive, { name: 'In', path: 'IN', parent_id: String(parent.id) })
  expect([taken.status, taken.body.message]).toEqual([400, expect.stringContaining('has already been taken')])
  const stranger = await forge.user()
  expect((await send(forge, stranger, archive, { name: 'In', path: 'mine', parent_id: String(parent.id) })).status).toBe(403)

  const old = new Date(Date.now() - kept_ms - 1).toISOString()
  await forge.app.db.updateTable('group_exports').set({ updated_at: old }).where('namespace_id', '=', top.id).execute()
  await removeOldGroupExports(forge.app)
  expect((await forge.as(owner).get(`/groups/${top.id}/export/download`)).status).toBe(404)
  expect((await forge.as(owner).get(`/groups/${top.id}/export`)).body.export_status).toBe('none')
})

const at = '2026-01-01T00:00:00.000Z'
const when = { created_at: at, updated_at: at }
const line = (value: object) => `${JSON.stringify(value)}\n`
const settings = {
  ...{ description: '', visibility: 'private', lfs_enabled: true, request_access_enabled: false },
  ...{ require_two_factor_authentication: false, two_factor_grace_period: 48 },
}
const groupLine = (id: number, parent: number | null, path = `g${id}`) => line({ ...settings, id, parent, name: path, path })
const version: ArchiveFile = { name: 'GROUP_VERSION', content: '1\n' }
const table = (name: string, content: string): ArchiveFile => ({ name: `tables/${name}.jsonl`, content })
const label = (id: number, group: number) => line({ id, group, title: `l${id}`, color: '#ffffff', description: null, ...when })
const board = line({ id: 1, group: 1, name: 'b', hide_backlog_list: false, hide_closed_list: false, ...when })

const hostile: Array<[string, ArchiveFile[], RegExp]> = [
  ['the archive of a project', [{ name: 'VERSION', content: '7\n' }], /was not made by Gitstead/],
  [
    'a later version',
    [{ ...version, content: '2\n' }, table('groups', groupLine(1, null))],
    /has version 2, and this Gitstead reads none after 1/,
  ],
  ['a name with ..', [version, { name: 'tables/../../evil.jsonl', content: '' }], /which does not belong there/],
  ['a symbolic link', [version, { name: 'tables/groups.jsonl', type: 'symlink', linkname: '/etc/passwd' }], /which is no file/],
  ['the same file twice', [version, table('groups', groupLine(1, null)), table('groups', groupLine(2, null))], /twice/],
  ['no group', [version], /lacks a group/],
  ['two groups at the top', [version, table('groups', groupLine(1, null) + groupLine(2, null))], /not in another of its groups/],
  ['a circle', [version, table('groups', groupLine(1, 2) + groupLine(2, 1))], /not in another of its groups/],
  [
    'two groups with one path',
    [version, table('groups', groupLine(1, null) + groupLine(2, 1, 'a') + groupLine(3, 1, 'A'))],
    /the same path/,
  ],
  ['a path with a slash', [version, table('groups', groupLine(1, null) + groupLine(2, 1, '../up'))], /a group that none can be/],
  ['a NUL', [version, table('groups', groupLine(1, null) + groupLine(2, 1, 'a\0b'))], /a line 2 in tables\/groups.jsonl that is none/],
  ['a label of no group', [version, table('groups', groupLine(1, null)), table('labels', label(1, 7))], /refers to a group that it lacks/],
  [
    'a list of a label from below its board',
    [
      version,
      table('groups', groupLine(1, null) + groupLine(2, 1)),
      table('labels', label(1, 2)),
      table('boards', board),
      table('board_lists', line({ board: 1, label: 1, position: 0, ...when })),
    ],
    /a list of a label that its board lacks/,
  ],
  ['an avatar that is a script', [version, table('groups', groupLine(1, null)), { name: 'avatars/1', content: '<svg/>' }], /no picture/],
]

test('a hostile archive is refused with the reason, and nothing of it is there', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  for (const [what, files, reason] of hostile) {
    const sent = await send(forge, owner, await archiveOf(files), { name: 'Hostile', path: 'hostile' })
    expect([what, sent.status, sent.body.message]).toEqual([what, 400, expect.stringMatching(reason)])
    expect((await forge.as(owner).get('/groups/hostile')).status).toBe(404)
  }
  const nothing = await send(forge, owner, Buffer.from('no archive'), { name: 'Hostile', path: 'hostile' })
  expect([nothing.status, nothing.body.message]).toEqual([400, 'The archive is damaged, or no tar.gz at all.'])
  const wrong = await send(forge, owner, Buffer.alloc(0), { name: 'Hostile', path: '../up' })
  expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining(':path=>')])
})
