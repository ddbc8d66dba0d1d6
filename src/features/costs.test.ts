/** A request costs a fixed number of SQL statements and git processes, however long the list is. */
import { expect, test } from 'vitest'
import { engine } from '../../test/support/database.ts'
import { gpgKey } from '../../test/support/fixtures/gpg-keys.ts'
import { shape } from '../../test/support/fixtures/history.ts'
import { publicKey } from '../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, testForge } from '../../test/support/forge.ts'
import { git, gitReading } from '../../test/support/git.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { objectCache } from '../git/repository/object-cache.ts'
import { insertShare } from './spaces/group-shares/group-shares.queries.ts'

cpuBudget(11, 'Lists are filled and read twice to count what they cost.')

/** Most rows on a page in these tests; the least is two. One statement more for each row would show. */
const max = 20

/** The token with its user, and the project: what every request for a repository costs. */
const admission = 2

/**
 * Costs of a first request, before git has been asked anything. The queue looks for work every second, which may count, too: so the
 * cheapest of three equal requests is taken.
 */
async function costOf(forge: Forge, path: string): Promise<{ statements: number; processes: number }> {
  const get = async () => expect((await forge.as(forge.root).get(path)).status).toBe(200)
  const { statements, processes } = await forge.cost(get)
  const again = [await forge.cost(get), await forge.cost(get)]
  return { statements: Math.min(statements, ...again.map((cost) => cost.statements)), processes }
}

/** Lists that are cached ask PostgreSQL first whether something was written. */
const moment = engine === 'postgres' ? 1 : 0

const many = (count: number) => Array.from({ length: count }, (_, index) => index)

test.each([
  // The reader of objects.
  { list: 'tree?path=folder', processes: 1 },
  { list: 'tree?path=folder&recursive=true', processes: 2 },
  // The reader, the page and the total.
  { list: 'commits?all=true', processes: 3 },
  { list: 'commits?all=true&with_stats=true', processes: 4 },
  // The reader and one process for all files.
  { list: 'commits/main/diff', processes: 2 },
  // The reader, the commits, where they parted, and what changed since.
  { list: 'compare?from=main~1&to=main', processes: 4 },
  // The reader, the names, and for branches which are merged and which protected.
  { list: 'branches', statements: 1, processes: 3 },
  // And their releases.
  { list: 'tags', statements: 1, processes: 2 },
  // The reader, and which refs lead there.
  { list: 'commits/main/refs', processes: 2 },
  // The reader, and who touched it last.
  { list: 'files/folder%2F0?ref=main', processes: 2 },
  // And who changed each line.
  { list: 'files/folder%2F0/blame?ref=main', processes: 3 },
])('$list costs the same statements and $processes processes, for 2 rows and for 20', async ({ list, statements = 0, processes }) => {
  const forge = await testForge()
  for (const count of [2, max]) {
    const project = await repositoryOf(forge, count)
    // Moving a ref and dropping the caches undoes the effect of earlier requests: refs and objects must be read again.
    await git(project.dir, 'update-ref', 'refs/heads/moved', 'main')
    await git(project.dir, 'pack-refs', '--all')
    forge.app.git.objects.release(project.dir)
    forge.app.git.cache = objectCache(32 * 1024 * 1024)
    const path = `/projects/${project.id}/repository/${list}${list.includes('?') ? '&' : '?'}per_page=${max}`
    expect([count, await costOf(forge, path)]).toEqual([count, { statements: admission + statements, processes }])
  }
})

const repositories = new Map<number, Promise<TestProject>>()

/** With as many files in a folder, commits, branches and tags, and with as much said of its last commit. */
function repositoryOf(forge: Forge, count: number): Promise<TestProject> {
  const known = repositories.get(count) ?? makeRepository(forge, count)
  repositories.set(count, known)
  return known
}

async function makeRepository(forge: Forge, count: number): Promise<TestProject> {
  const files = Object.fromEntries(many(count).map((index) => [`folder/${index}`, String(index)]))
  const commits = [...many(count - 1).map((index) => ({ files: { a: String(index) } })), { files }]
  const project = await forge.project({ commits })
  const refs = many(count).map((index) => `create refs/heads/b${index} main~${index}\ncreate refs/tags/t${index} main~${index}\n`)
  await gitReading(project.dir, refs.join(''), 'update-ref', '--stdin')
  for (const index of many(count)) {
    await forge.as(forge.root).post(`/projects/${project.id}/repository/commits/main/comments`, { note: String(index) })
    await forge.as(forge.root).post(`/projects/${project.id}/statuses/main`, { state: 'success', name: String(index) })
  }
  await forge.drain()
  return project
}

test.each([
  // The page, the total, and what belongs to the rows of a page: names above, owners, own levels.
  { list: '/projects', statements: 9 + moment },
  { list: '/projects?simple=true', statements: 6 + moment },
  { list: '/projects?statistics=true&with_custom_attributes=true', statements: 11 + moment },
  // The total, the page in two steps, and what administrators see of the rows: identities, numbers of projects, attributes.
  { list: '/users', statements: 6 + moment },
  { list: '/users?search=user', statements: 6 + moment },
  { list: '/users?with_custom_attributes=true', statements: 7 + moment },
  // And the rows of the page, once it is known which they are.
  { list: '/groups', statements: 5 + moment },
  { list: '/groups?statistics=true&with_custom_attributes=true', statements: 7 + moment },
  // And who owns the personal ones.
  { list: '/namespaces?search=group', statements: 5 },
  // Not counted: the token, the positions, the rows, and what belongs to them.
  { list: '/projects?pagination=keyset&order_by=id', statements: 8 },
  { list: '/groups?pagination=keyset', statements: 4 },
  { list: '/users?pagination=keyset&order_by=id', statements: 5 },
])('$list costs $statements statements, for 2 rows and for 20', async ({ list, statements }) => {
  const forge = await testForge()
  await fill(forge)
  await forge.drain()
  for (const rows of [2, max]) {
    const path = `${list}${list.includes('?') ? '&' : '?'}per_page=${rows}`
    expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
    expect([rows, await costOf(forge, path)]).toEqual([rows, { statements, processes: 0 }])
  }
})

test(
  'a list of wiki pages costs one statement, the reader of objects and once the tree, for 2 and for 20, also with their contents',
  inFullRun('1 s of processor. `wikis.test.ts` counts what a list of pages costs.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project()
    for (const index of many(max)) {
      await forge.as(forge.root).post(`/projects/${project.id}/wikis`, { title: `folder/page ${index}`, content: String(index) })
      if (index !== 1 && index !== max - 1) continue
      for (const query of ['', '&with_content=1']) {
        const { id } = await forge.app.db.selectFrom('wikis').select('id').where('project_id', '=', project.id).executeTakeFirstOrThrow()
        forge.app.git.objects.release(forge.app.git.openWiki(id).dir)
        forge.app.git.cache = objectCache(32 * 1024 * 1024)
        const path = `/projects/${project.id}/wikis?per_page=${max}${query}`
        expect((await forge.as(forge.root).get(path)).body).toHaveLength(index + 1)
        forge.app.git.objects.release(forge.app.git.openWiki(id).dir)
        forge.app.git.cache = objectCache(32 * 1024 * 1024)
        expect([index, query, await costOf(forge, path)]).toEqual([index, query, { statements: admission + 1, processes: 2 }])
      }
    }
  },
)

test('a list of releases costs five statements and the process that reads objects, for 2 and for 20', async () => {
  const forge = await testForge()
  for (const count of [2, max]) {
    const project = await repositoryOf(forge, count)
    for (const index of many(count)) {
      const links = [{ name: 'One', url: 'https://one.example.com' }]
      await forge.as(forge.root).post(`/projects/${project.id}/releases`, { tag_name: `t${index}`, assets: { links } })
    }
    await forge.drain()
    forge.app.git.objects.release(project.dir)
    forge.app.git.cache = objectCache(32 * 1024 * 1024)
    const path = `/projects/${project.id}/releases?per_page=${max}`
    expect((await forge.as(forge.root).get(path)).body).toHaveLength(count)
    forge.app.git.objects.release(project.dir)
    forge.app.git.cache = objectCache(32 * 1024 * 1024)
    // The page, the total, and the links, milestones and evidence of the page.
    expect([count, await costOf(forge, path)]).toEqual([count, { statements: admission + 5, processes: 1 }])
  }
})

test('emails and user activities cost the same for 2 and for 20', async () => {
  const forge = await testForge()
  await fill(forge)
  await forge.app.db.updateTable('users').set({ last_activity_on: '2030-01-01' }).execute()
  for (const index of many(max)) await forge.as(forge.root).post('/user/emails', { email: `cost${index}@example.com` })
  await forge.drain()
  // The token, whose they are, the page and the total.
  for (const [list, statements] of [
    ['/user/emails', 3],
    [`/users/${forge.root.id}/emails`, 4],
    ['/user/activities?from=2030-01-01', 3],
  ] as const) {
    for (const rows of [2, max]) {
      const path = `${list}${list.includes('?') ? '&' : '?'}per_page=${rows}`
      expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
      expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
    }
  }
})

test(
  'keys cost the same for 2 and for 20, of a user, of a project and of the instance',
  inFullRun('Half a second of processor. Lists of projects, members and forks are counted the same way.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project({ files: null })
    for (const _ of many(max)) {
      for (const place of ['/user/keys', `/projects/${project.id}/deploy_keys`]) {
        const { status } = await forge.as(forge.root).post(place, { title: 'x', key: publicKey() })
        expect(status).toBe(201)
      }
    }
    await forge.drain()
    // The token, who or what it is asked of, the page and the total.
    for (const [list, statements] of [
      ['/user/keys', 3],
      [`/users/${forge.root.id}/keys`, 4],
      ['/deploy_keys', 3],
      [`/projects/${project.id}/deploy_keys`, 4],
    ] as const) {
      for (const rows of [2, max]) {
        const path = `${list}?per_page=${rows}`
        expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
        expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
      }
    }
  },
)

test(
  'small lists of users, projects and groups cost the same for 2 and for 20',
  inFullRun('1 s of processor. Members, forks and access requests are counted below, the pages of lists in `lists.test.ts`.'),
  async () => {
    const forge = await testForge()
    const ada = await forge.user()
    const group = await forge.group({ owner: ada })
    const project = await forge.project({ group })
    const badge = { link_url: 'https://example.com/%{commit_sha}', image_url: 'https://example.com/%{project_path}' }
    const root = forge.as(forge.root)
    for (const index of many(max)) {
      const [other, member] = [await forge.group(), await forge.user()]
      const answers = [
        await root.post(`/projects/${project.id}/share`, { group_id: other.id, group_access: 20 }),
        await root.post('/topics', { name: `cost ${index}` }),
        await root.post(`/groups/${other.id}/members`, { user_id: ada.id, access_level: 20 }),
        await root.post(`/groups/${group.id}/members`, { user_id: member.id, access_level: 20 }),
        await forge.as(member).post(`/projects/${project.id}/star`),
        await root.post(`/users/${ada.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] }),
        await root.post(`/users/${ada.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] }),
        await root.post(`/users/${ada.id}/gpg_keys`, { key: gpgKey() }),
        await root.post('/user/gpg_keys', { key: gpgKey() }),
        await root.post(`/projects/${project.id}/badges`, badge),
        await root.post(`/groups/${group.id}/badges`, badge),
        await root.post('/broadcast_messages', { message: 'x' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
      if (index > 1) continue
      for (const place of [`users/${ada.id}`, `groups/${group.id}`, `projects/${project.id}`])
        await root.put(`/${place}/custom_attributes/a${index}`, { value: 'x' })
    }
    await forge.drain()
    // The token, what it is asked of, the page and the total.
    // The commit that badges name is looked up once, and cached.
    for (const [list, statements] of [
      [`/users/${ada.id}/impersonation_tokens`, 4],
      [`/personal_access_tokens?user_id=${ada.id}`, 3],
      ['/user/gpg_keys', 3],
      [`/users/${ada.id}/gpg_keys`, 4],
      ['/broadcast_messages', 3],
      ['/topics', 3],
      [`/users/${ada.id}/memberships`, 4],
      [`/projects/${project.id}/starrers`, 4],
      // And the names above them.
      [`/projects/${project.id}/groups?with_shared=true`, 5],
      [`/groups/${group.id}/members/all`, 4],
      // Two of them for the project that stands as the example.
      [`/groups/${group.id}/badges`, 6],
      [`/projects/${project.id}/badges`, 4],
    ] as const) {
      for (const rows of [2, max]) {
        const path = `${list}${list.includes('?') ? '&' : '?'}per_page=${rows}`
        expect((await root.get(path)).body).toHaveLength(rows)
        expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
      }
    }
    for (const place of [`users/${ada.id}`, `groups/${group.id}`, `projects/${project.id}`]) {
      expect((await root.get(`/${place}/custom_attributes`)).body).toHaveLength(2)
      expect([place, await costOf(forge, `/${place}/custom_attributes`)]).toEqual([place, { statements: 3, processes: 0 }])
    }
  },
)

let filled: Promise<void> | undefined

/** Users, each with a project, and groups, each with one: as many as a page of these tests has. */
function fill(forge: Forge): Promise<void> {
  filled ??= (async () => {
    for (const _ of many(max / 2)) {
      const owner = await forge.user()
      await forge.user()
      const group = await forge.group({ owner })
      const below = await forge.group({ parent: group })
      await forge.project({ owner, files: null })
      await forge.project({ group: below, files: null })
    }
  })()
  return filled
}

test('members cost the same for 2 and for 20, inherited ones too', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const below = await forge.group({ parent: group })
  const project = await forge.project({ group: below, files: null })
  for (const _ of many(max)) {
    const { id } = await forge.user()
    for (const place of [`/groups/${group.id}`, `/groups/${below.id}`, `/projects/${project.id}`]) {
      const { status } = await forge.as(forge.root).post(`${place}/members`, { user_id: id, access_level: 30 })
      expect(status).toBe(201)
    }
  }
  for (const place of [`/groups/${below.id}`, `/projects/${project.id}`]) {
    for (const list of ['members', 'members/all']) {
      for (const rows of [2, max]) {
        const cost = await costOf(forge, `${place}/${list}?per_page=${rows}`)
        expect([place, list, rows, cost]).toEqual([place, list, rows, { statements: 4, processes: 0 }])
      }
    }
  }
})

test(
  'projects and access requests of a group cost the same for 2 and for 20',
  inFullRun('Half a second of processor. Members are counted the same way, inherited ones too.'),
  async () => {
    const forge = await testForge()
    const [group, other] = [await forge.group(), await forge.group()]
    for (const index of many(max)) {
      const below = await forge.group({ parent: group })
      await insertShare(forge.app.db, { namespace_id: below.id }, { group_id: group.id, access_level: 10, expires_at: null })
      const project = await forge.project({ group: index % 2 ? group : other, files: null })
      if (index % 2 === 0) await forge.as(forge.root).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 10 })
      const requester = await forge.user()
      await forge.app.db
        .insertInto('access_requests')
        .values({ project_id: null, namespace_id: group.id, user_id: requester.id, created_at: '2026-01-01T00:00:00.000Z' })
        .execute()
    }
    await forge.drain()
    // The token, the group, the page and the total, and what belongs to the rows of a page: of projects, whether any is shared, and their open issues, too.
    for (const [list, statements] of [
      ['subgroups', 6 + moment],
      ['groups/shared', 6 + moment],
      ['projects', 9 + moment],
      ['access_requests', 4],
    ] as const) {
      for (const rows of [2, max]) {
        const path = `/groups/${group.id}/${list}?per_page=${rows}`
        expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
        expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
      }
    }
  },
)

test(
  'statuses and comments of a commit cost the same for 2 and for 20',
  inFullRun('Half a second of processor. Notes and releases are counted the same way.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project()
    const commit = `/projects/${project.id}/repository/commits/main`
    for (const index of many(max)) {
      await forge.as(forge.root).post(`${commit}/comments`, { note: String(index) })
      await forge.as(forge.root).post(`/projects/${project.id}/statuses/main`, { state: 'success', name: String(index) })
    }
    await forge.drain()
    for (const list of ['comments', 'statuses', 'statuses?all=true']) {
      for (const rows of [2, max]) {
        const path = `${commit}/${list}${list.includes('?') ? '&' : '?'}per_page=${rows}`
        expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
        // The page and the total; of comments also their authors and whose they are; of statuses also how soon to ask for them again.
        const statements = admission + (list === 'comments' ? 4 : 3)
        expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
      }
    }
    expect(await costOf(forge, commit)).toEqual({ statements: admission + 1, processes: 1 })
  },
)

test('contributors and languages cost nothing once they are counted, for 2 and for 20', async () => {
  const forge = await testForge()
  for (const count of [2, max]) {
    const project = await forge.project()
    const authors = many(count - 1).map((index) => ({ branch: 'main', author: `A <a${index}@example.com>` }))
    await shape(project.dir, [{ branch: 'main', parents: ['main'] }, ...authors])
    for (const [path, length] of [
      ['repository/contributors?per_page=100', count],
      ['languages', undefined],
    ]) {
      const url = `/projects/${project.id}/${path}`
      expect((await forge.as(forge.root).get(url)).body.length).toBe(length)
      expect([path, count, await costOf(forge, url)]).toEqual([path, count, { statements: admission, processes: 0 }])
    }
  }
})

test('forks cost the same for 2 and for 20', inFullRun('1 s of processor. Lists of projects are counted the same way.'), async () => {
  const forge = await testForge()
  const source = await forge.project({ visibility: 'public', files: null })
  for (const _ of many(max)) {
    const { id } = await forge.project({ owner: await forge.user(), files: null })
    expect((await forge.as(forge.root).post(`/projects/${id}/fork/${source.id}`)).status).toBe(201)
  }
  await forge.drain()
  for (const rows of [2, max]) {
    const path = `/projects/${source.id}/forks?per_page=${rows}`
    expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
    // The total, the page in two steps, and what belongs to the rows: their source, owners, own levels, shares and open issues.
    expect([rows, await costOf(forge, path)]).toEqual([rows, { statements: admission + 8 + moment, processes: 0 }])
  }
})

test(
  'snippets cost the same for 2 and for 20, of oneself, of a project and of all',
  inFullRun('Half a second of processor. Releases, keys and statuses are counted the same way.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project({ files: null })
    for (const index of many(max)) {
      const files = many((index % 3) + 1).map((file) => ({ file_path: `${file}`, content: 'x' }))
      for (const place of ['/snippets', `/projects/${project.id}/snippets`])
        await forge.as(forge.root).post(place, { title: 'x', files, visibility: 'public' })
    }
    await forge.drain()
    // The token, the total, the page, and of what is on it the rows, the authors, the projects and the files; before them the project.
    for (const [list, statements] of [
      ['/snippets', 7 + moment],
      ['/snippets/public', 7 + moment],
      ['/snippets/all', 7 + moment],
      [`/projects/${project.id}/snippets`, 8 + moment],
    ] as const) {
      for (const rows of [2, max]) {
        const path = `${list}?per_page=${rows}`
        expect((await forge.as(forge.root).get(path)).body).toHaveLength(rows)
        expect([list, rows, await costOf(forge, path)]).toEqual([list, rows, { statements, processes: 0 }])
      }
    }
  },
)
