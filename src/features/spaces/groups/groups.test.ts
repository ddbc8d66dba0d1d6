/** Groups through the API: who may make them where, who sees them, and how they nest. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { insertNamespace } from '../../namespaces/namespaces.queries.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

describe('creating a group', () => {
  test('gives it with its defaults, and makes the creator its owner', async () => {
    const { status, body } = await forge.as(owner).post('/groups', { name: 'My Group', path: 'my-group' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        web_url: 'http://gitstead.test/groups/my-group',
        name: 'My Group',
        path: 'my-group',
        description: '',
        visibility: 'private',
        lfs_enabled: true,
        archived: false,
        marked_for_deletion_on: null,
        avatar_url: null,
        request_access_enabled: false,
        require_two_factor_authentication: false,
        two_factor_grace_period: 48,
        full_name: 'My Group',
        full_path: 'my-group',
        parent_id: null,
        projects: [],
        shared_projects: [],
        shared_with_groups: [],
      },
    ])
    const { body: members } = await forge.as(owner).get(`/groups/${body.id}/members`)
    expect(members).toMatchObject([{ id: owner.id, access_level: 50, expires_at: null }])
  })

  test('takes every setting', async () => {
    const settings = { description: 'Text', visibility: 'internal', lfs_enabled: false, request_access_enabled: true }
    const { body } = await forge.as(owner).post('/groups', { name: 'Set', path: 'set', ...settings })
    expect(body).toMatchObject(settings)
    expect((await forge.as(owner).get('/groups/set')).body).toMatchObject(settings)
  })

  test('below another is for its owners, and names all that is above', async () => {
    const [maintainer, stranger] = [await forge.user(), await forge.user({ can_create_group: true })]
    const top = await forge.group({ owner, maintainer, name: 'Top', path: 'top' })
    const middle = await forge.as(owner).post('/groups', { name: 'Middle', path: 'Middle', parent_id: top.id })
    const low = await forge.as(owner).post('/groups', { name: 'Low', path: 'low', parent_id: middle.body.id })
    expect([low.status, low.body]).toMatchObject([
      201,
      {
        full_name: 'Top / Middle / Low',
        full_path: 'top/Middle/low',
        parent_id: middle.body.id,
        web_url: 'http://gitstead.test/groups/top/Middle/low',
      },
    ])
    expect((await forge.as(owner).get('/groups/top%2Fmiddle%2FLOW')).body.id).toBe(low.body.id)
    const refused = await forge.as(maintainer).post('/groups', { name: 'x', path: 'x', parent_id: top.id })
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    for (const [user, parent_id] of [
      [stranger, top.id],
      [owner, 999_999],
    ] as const) {
      const { status, body } = await forge.as(user).post('/groups', { name: 'x', path: 'x', parent_id })
      expect([status, body]).toEqual([404, { message: '404 Group Not Found' }])
    }
  })

  test('is refused to those who may not', async () => {
    const barred = await forge.user({ can_create_group: false })
    const { status, body } = await forge.as(barred).post('/groups', { name: 'x', path: 'x' })
    expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await forge.anonymous.post('/groups', { name: 'x', path: 'x' })).status).toBe(401)
  })

  test('with taken or invalid values is rejected with the reason', async () => {
    await forge.group({ path: 'taken' })
    const top = await forge.group({ owner, visibility: 'internal' })
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    for (const [sent, said] of [
      [{ path: 'Taken' }, ':path=>["has already been taken"]'],
      [{ path: owner.username }, ':path=>["has already been taken"]'],
      [{ path: '-x' }, `:path=>["${format}"]`],
      [{ path: 'a/b' }, `:path=>["${format}"]`],
      [{ path: '' }, `:path=>["can't be blank"]`],
      [{ path: 'admin' }, ':path=>["admin is a reserved name"]'],
      [{ path: 'tree', parent_id: top.id }, ':path=>["tree is a reserved name"]'],
      [{ path: 'x', name: ' ' }, `:name=>["can't be blank"]`],
      [{ path: 'x', name: 'a<b' }, `:name=>["can contain only letters, digits, '_', '.', dash and space."]`],
      [{ path: 'x', name: 'a (b)' }, `:name=>["can contain only letters, digits, '_', '.', dash and space."]`],
      [{ path: 'x', name: 'x'.repeat(256) }, ':name=>["is too long (maximum is 255 characters)"]'],
      [{ path: 'x', description: 'x'.repeat(256) }, ':description=>["is too long (maximum is 255 characters)"]'],
      [
        { path: 'x', parent_id: top.id, visibility: 'public' },
        ':visibility_level=>["public is not allowed since the parent group has a internal visibility."]',
      ],
    ] as const) {
      const { status, body } = await forge.as(owner).post('/groups', { name: 'Name', ...sent })
      expect([sent, status, body]).toEqual([sent, 400, { message: `Failed to save group {${said}}` }])
    }
    for (const [sent, error] of [
      [{ path: 'x' }, 'name is missing'],
      [{ name: 'x' }, 'path is missing'],
      [{ name: 'x', path: 'x', visibility: 'secret' }, 'visibility does not have a valid value'],
    ] as const) {
      const { status, body } = await forge.as(owner).post('/groups', sent)
      expect([status, body]).toEqual([400, { error }])
    }
    expect((await forge.as(forge.root).get('/groups/x')).status).toBe(404)
  })

  test('ten times at once under one path succeeds once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => forge.as(owner).post('/groups', { name: 'Race', path: 'race' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)])
  })

  test('goes 100 levels deep and no further', async () => {
    const nest = (above: Above) => insertNamespace(forge.app.db, { ...blank, name: 'deep', path: 'd', parent: above })
    let parent = await nest(null)
    for (let depth = 2; depth < 100; depth += 1) parent = await nest(parent)
    const make = (parent_id: number) => forge.as(forge.root).post('/groups', { name: 'd', path: 'd', parent_id })
    const last = await make(parent.id)
    expect([last.status, last.body.full_path]).toEqual([201, Array(100).fill('d').join('/')])
    const { status, body } = await make(last.body.id)
    expect([status, body]).toEqual([400, { message: 'Failed to save group {:parent_id=>["has too deep level of nesting"]}' }])
  })

  test('makes no path of more than 2,000 characters, nor does a change of what is above', async () => {
    const root = forge.as(forge.root)
    // Nothing that could be packed: an index has to hold it as it is.
    const part = (length: number) => randomBytes(length).toString('hex').slice(0, length)
    let parent: Above = null
    for (let depth = 1; depth <= 7; depth += 1)
      parent = await insertNamespace(forge.app.db, { ...blank, name: 'long', path: part(249), parent })
    const above = parent as NonNullable<Above>
    expect(above.full_path).toHaveLength(1_749)
    const said = 'is too long (maximum is 2000 characters with all that is above)'
    const make = (length: number) => root.post('/groups', { name: 'x', path: part(length), parent_id: above.id })
    const tooLong = await make(251)
    expect([tooLong.status, tooLong.body]).toEqual([400, { message: `Failed to save group {:path=>["${said}"]}` }])
    const { status, body: longest } = await make(250)
    expect([status, longest.full_path.length]).toEqual([201, 2_000])

    const project = await forge.project({ files: null })
    for (const answer of [
      await root.post('/projects', { path: part(251), namespace_id: above.id }),
      await root.post('/projects', { path: 'x', namespace_id: longest.id }),
      await root.put(`/groups/${above.id}`, { path: part(250) }),
    ]) {
      expect([answer.status, answer.body]).toEqual([400, { message: { path: [said] } }])
    }
    expect((await root.put(`/projects/${project.id}/transfer`, { namespace: longest.id })).status).toBe(400)
    expect((await root.get(`/groups/${longest.id}`)).body.full_path).toBe(longest.full_path)
    expect((await root.get(`/projects/${project.id}`)).body.path_with_namespace).toBe(project.full_path)
    expect((await root.put(`/groups/${above.id}`, { path: part(248) })).status).toBe(200)
  })
})

type Above = { id: number; full_path: string } | null
const blank = { kind: 'group', owner_id: null, visibility: 'private', description: '' } as const

describe('one group', () => {
  test('is visible by its visibility, and to members of anything below it', async () => {
    const roles = { member: await forge.user(), below: await forge.user(), inProject: await forge.user() }
    const users = [...Object.values(roles), await forge.user(), await forge.user({ external: true })]
    for (const visibility of ['private', 'internal', 'public'] as const) {
      const group = await forge.group({ visibility, guest: roles.member })
      const inner = await forge.group({ visibility, parent: group, guest: roles.below })
      await forge.project({ group: inner, guest: roles.inProject, files: null })
      const clients = [...users.map((user) => forge.as(user)), forge.anonymous]
      for (const at of [group.id, group.full_path.toUpperCase()]) {
        const statuses = await Promise.all(clients.map(async (client) => (await client.get(`/groups/${at}`)).status))
        const expected = { private: [404, 404, 404], internal: [200, 404, 404], public: [200, 200, 200] }[visibility]
        expect([visibility, at, statuses]).toEqual([visibility, at, [200, 200, 200, ...expected]])
      }
    }
    const hidden = await forge.anonymous.get('/groups/999999')
    expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Group Not Found' }])
  })

  test('has the projects directly in it that the caller can see, newest first, unless they are not wanted', async () => {
    const group = await forge.group({ visibility: 'public', owner })
    await forge.project({ group, path: 'closed', files: null })
    await forge.project({ group, path: 'open', visibility: 'public', files: null })
    await forge.project({ group: await forge.group({ parent: group, visibility: 'public' }), visibility: 'public', files: null })
    const paths = async (client: ReturnType<Forge['as']>) =>
      (await client.get(`/groups/${group.id}`)).body.projects.map(({ path }: { path: string }) => path)
    expect(await paths(forge.as(owner))).toEqual(['open', 'closed'])
    expect(await paths(forge.anonymous)).toEqual(['open'])
    const counts = async (client: typeof forge.anonymous) => {
      const { headers, text } = await client.get(`/groups/${group.id}`)
      expect(text).not.toContain('project_count')
      return [headers['x-total-projects'], headers['x-total-shared-projects']]
    }
    expect([await counts(forge.as(owner)), await counts(forge.anonymous)]).toEqual([
      ['2', '0'],
      ['1', '0'],
    ])
    const { body, text, headers } = await forge.as(owner).get(`/groups/${group.id}?with_projects=false`)
    expect(headers['x-total-projects']).toBeUndefined()
    expect(['projects' in body, 'shared_projects' in body]).toEqual([false, false])
    expect(text).not.toContain('runners_token')
    expect((await forge.as(owner).get(`/groups/${group.id}`)).text).not.toContain('runners_token')
  })

  test('is never the namespace of a user', async () => {
    for (const path of [owner.username, String(await namespaceOf(owner))]) {
      expect([path, (await forge.as(owner).get(`/groups/${path}`)).status]).toEqual([path, 404])
    }
  })
})

async function namespaceOf(user: TestUser): Promise<number> {
  const { id } = await forge.app.db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirstOrThrow()
  return id
}

describe('the list of groups', () => {
  let user: TestUser
  const made: Record<string, number> = {}
  const listed = async (query = '', client = forge.as(user), base = '/groups') => {
    const { status, body, headers } = await client.get(`${base}?search=yak${query}`)
    expect([status, headers['x-total']]).toEqual([200, String(body.length)])
    return body.map(({ path }: { path: string }) => path)
  }

  beforeAll(async () => {
    user = await forge.user()
    const make = async (path: string, options: Parameters<Forge['group']>[0]) => {
      const group = await forge.group({ path, name: `Name of ${path}`, ...options })
      made[path] = group.id
      return group
    }
    const owned = await make('yak-a-owned', { owner: user })
    await make('yak-b-below', { parent: owned })
    await make('yak-c-guest', { guest: user, visibility: 'internal' })
    await make('yak-d-private', {})
    await make('yak-e-internal', { visibility: 'internal' })
    await make('yak-f-public', { visibility: 'public' })
  })

  const all = ['yak-a-owned', 'yak-b-below', 'yak-c-guest', 'yak-d-private', 'yak-e-internal', 'yak-f-public']
  const only = (letters: string) => all.filter((path) => letters.includes(path[4] as string))

  test('has the groups of the caller, or all visible ones; all for administrators; public ones for anybody', async () => {
    expect(await listed()).toEqual(only('abc'))
    expect(await listed('&all_available=true')).toEqual(only('abcef'))
    expect(await listed('', forge.as(forge.root))).toEqual(all)
    expect(await listed('', forge.anonymous)).toEqual(only('f'))
    expect(await listed('&all_available=true', forge.as(await forge.user({ external: true })))).toEqual(only('f'))
  })

  test('has the parents of the caller’s groups, and the groups above the caller’s projects', async () => {
    const member = await forge.user()
    const [top, other] = [await forge.group({ path: 'top-a' }), await forge.group({ path: 'top-b' })]
    await forge.group({ path: 'below', parent: top, guest: member })
    await forge.project({ group: await forge.group({ path: 'below', parent: other }), guest: member })
    const { body } = await forge.as(member).get('/groups?order_by=path')
    expect(body.map((found: { full_path: string }) => found.full_path).sort()).toEqual(['top-a', 'top-a/below', 'top-b', 'top-b/below'])
  })

  test('is filtered by what the caller owns or has a level in, before what is available', async () => {
    expect(await listed('&owned=true&all_available=true')).toEqual(only('a'))
    expect(await listed('&owned=true&min_access_level=10')).toEqual(only('a'))
    expect(await listed('&min_access_level=10&all_available=true')).toEqual(only('abc'))
    expect(await listed('&min_access_level=40')).toEqual(only('ab'))
    expect(await listed('&owned=true', forge.anonymous)).toEqual([])
    expect(await listed('&min_access_level=40', forge.anonymous)).toEqual(only('f'))
    expect(await listed(`&skip_groups[]=${made['yak-a-owned']}&skip_groups[]=${made['yak-c-guest']}`)).toEqual(only('b'))
    // No database holds such an id, and PostgreSQL won't even be asked for one.
    const beyond = await forge.as(forge.root).get('/groups?skip_groups[]=9223372036854775808')
    expect([beyond.status, beyond.body]).toEqual([400, { error: 'skip_groups[0] does not have a valid value' }])
    const wrong = await forge.as(user).get('/groups?min_access_level=15')
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'min_access_level does not have a valid value' }])
  })

  test('is ordered by name, path or id, either way', async () => {
    expect(await listed('&order_by=path&sort=desc')).toEqual(only('abc').reverse())
    expect(await listed('&order_by=id')).toEqual(only('abc'))
    expect(await listed('&order_by=name&sort=desc')).toEqual(only('abc').reverse())
  })

  test('shows administrators, and nobody else, what the projects directly in each group take', async () => {
    const top = await forge.group({ path: 'size-top', guest: user })
    const low = await forge.group({ path: 'size-low', parent: top })
    for (const group of [top, top, low]) {
      const { id } = await forge.project({ group, files: null })
      await forge.app.db.updateTable('projects').set({ repository_size: 1_000, lfs_objects_size: 30 }).where('id', '=', id).execute()
    }
    const sizes = async (client: ReturnType<Forge['as']>, query = '&statistics=true') =>
      (await client.get(`/groups?search=size-${query}`)).body.map(({ statistics }: { statistics?: unknown }) => statistics)
    const statistics = (projects: number) => ({
      storage_size: projects * 1_030,
      repository_size: projects * 1_000,
      wiki_size: 0,
      snippets_size: 0,
      lfs_objects_size: projects * 30,
      job_artifacts_size: 0,
      packages_size: 0,
      uploads_size: 0,
      terraform_states_size: 0,
      secure_files_size: 0,
    })
    expect(await sizes(forge.as(forge.root))).toEqual([statistics(1), statistics(2)])
    expect((await forge.as(forge.root).get(`/groups/${top.id}/subgroups?statistics=1`)).body[0].statistics).toEqual(statistics(1))
    expect(await sizes(forge.as(forge.root), '')).toEqual([undefined, undefined])
    expect(await sizes(forge.as(user))).toEqual([undefined, undefined])
  })

  test('shows administrators custom attributes, and is filtered by them', async () => {
    const group = await forge.group({ path: 'noted-a', guest: user })
    await forge.group({ path: 'noted-b', guest: user })
    await forge.as(forge.root).put(`/groups/${group.id}/custom_attributes/room`, { value: '12' })
    const get = async (query: string, client = forge.as(forge.root)) => (await client.get(`/groups?search=noted-${query}`)).body
    const noted = [{ key: 'room', value: '12' }]
    const seen = (body: Array<{ custom_attributes?: unknown }>) => body.map(({ custom_attributes }) => custom_attributes)
    expect(seen(await get('&with_custom_attributes=true'))).toEqual([noted, []])
    expect(seen(await get(''))).toEqual([undefined, undefined])
    expect(seen(await get('&with_custom_attributes=true', forge.as(user)))).toEqual([undefined, undefined])
    expect((await forge.as(forge.root).get(`/groups/${group.id}?with_custom_attributes=true`)).body.custom_attributes).toEqual(noted)
    expect((await forge.as(user).get(`/groups/${group.id}?with_custom_attributes=true`)).body).not.toHaveProperty('custom_attributes')
    expect((await get('&custom_attributes[room]=12')).map(({ id }: { id: number }) => id)).toEqual([group.id])
    expect(await get('&custom_attributes[room]=12&custom_attributes[floor]=1')).toEqual([])
    expect(await get('&custom_attributes[room]=12', forge.as(user))).toHaveLength(2)
  })

  test('of subgroups has the direct ones that the caller can see', async () => {
    expect(await listed('', forge.as(user), `/groups/${made['yak-a-owned']}/subgroups`)).toEqual(only('b'))
    expect((await forge.as(await forge.user()).get(`/groups/${made['yak-a-owned']}/subgroups`)).status).toBe(404)

    const [member, stranger] = [await forge.user(), await forge.user()]
    const top = await forge.group({ visibility: 'public', guest: member })
    await forge.group({ path: 'yak-x-open', parent: top, visibility: 'public' })
    const inner = await forge.group({ path: 'yak-y-shut', parent: top })
    await forge.group({ path: 'yak-z-deeper', parent: inner })
    const below = (client: ReturnType<Forge['as']>, query = '') => listed(query, client, `/groups/${top.id}/subgroups`)
    expect(await below(forge.anonymous)).toEqual(['yak-x-open'])
    expect(await below(forge.as(stranger))).toEqual([])
    expect(await below(forge.as(stranger), '&all_available=true')).toEqual(['yak-x-open'])
    expect(await below(forge.as(member), '&order_by=path&sort=desc')).toEqual(['yak-y-shut', 'yak-x-open'])
    expect(await below(forge.as(member), '&owned=true')).toEqual([])
    expect(await below(forge.as(forge.root), `&skip_groups[]=${inner.id}`)).toEqual(['yak-x-open'])
  })
})
