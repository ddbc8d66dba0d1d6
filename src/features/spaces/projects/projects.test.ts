/** Projects through the API: who may make, see, change and delete them, and what is refused. */

import { stat } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { notePush } from './projects.subscribers.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ username: 'owner' })
})

/** Git knows it without being told. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const countProjects = async () => Number((await forge.app.db.selectFrom('projects').select('id').execute()).length)

describe('creating a project', () => {
  test('needs a name or a path; each is derived from the other', async () => {
    const cases = [
      [{ name: 'Only A Name' }, { name: 'Only A Name', path: 'only-a-name' }],
      [{ path: 'Only_a.Path' }, { name: 'Only_a.Path', path: 'Only_a.Path' }],
      [
        { name: 'Böse Katze 😀', path: 'cat' },
        { name: 'Böse Katze 😀', path: 'cat' },
      ],
      [{ name: 'Ñandú 2' }, { name: 'Ñandú 2', path: 'nandu-2' }],
      [
        { name: '👩‍👩‍👧 family', path: 'family' },
        { name: '👩‍👩‍👧 family', path: 'family' },
      ],
    ]
    for (const [sent, expected] of cases) {
      const { status, body } = await forge.as(owner).post('/projects', sent)
      expect([status, body]).toMatchObject([201, { ...expected, path_with_namespace: `owner/${expected?.path}`, creator_id: owner.id }])
    }
    const { status, body } = await forge.as(owner).post('/projects', { description: 'x' })
    expect([status, body]).toEqual([400, { error: 'name, path are missing, at least one parameter must be provided' }])
  })

  test('returns every field and makes an empty repository whose HEAD names the default branch', async () => {
    const { body } = await forge.as(owner).post('/projects', { name: 'Fresh' })
    const self = `http://gitstead.test/api/v4/projects/${body.id}`
    const brief = {
      id: owner.id,
      name: owner.name,
      username: 'owner',
      state: 'active',
      avatar_url: `http://gitstead.test/uploads/-/system/user/avatar/${owner.id}/identicon.v1.png`,
      web_url: 'http://gitstead.test/owner',
    }
    expect(body).toEqual({
      id: expect.any(Number),
      description: null,
      name: 'Fresh',
      name_with_namespace: 'Name of owner / Fresh',
      path: 'fresh',
      path_with_namespace: 'owner/fresh',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      last_activity_at: body.created_at,
      default_branch: null,
      tag_list: [],
      topics: [],
      ssh_url_to_repo: 'git@gitstead.test:owner/fresh.git',
      http_url_to_repo: 'http://gitstead.test/owner/fresh.git',
      web_url: 'http://gitstead.test/owner/fresh',
      readme_url: null,
      avatar_url: null,
      star_count: 0,
      forks_count: 0,
      namespace: {
        id: expect.any(Number),
        name: 'owner',
        path: 'owner',
        kind: 'user',
        full_path: 'owner',
        parent_id: null,
        avatar_url: brief.avatar_url,
        web_url: brief.web_url,
      },
      _links: {
        self,
        issues: `${self}/issues`,
        merge_requests: `${self}/merge_requests`,
        repo_branches: `${self}/repository/branches`,
        labels: `${self}/labels`,
        events: `${self}/events`,
        members: `${self}/members`,
      },
      archived: false,
      visibility: 'private',
      owner: { ...brief, created_at: owner.created_at },
      resolve_outdated_diff_discussions: false,
      container_registry_enabled: false,
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      jobs_enabled: true,
      snippets_enabled: true,
      issues_access_level: 'enabled',
      repository_access_level: 'enabled',
      merge_requests_access_level: 'enabled',
      forking_access_level: 'enabled',
      builds_access_level: 'enabled',
      wiki_access_level: 'enabled',
      snippets_access_level: 'enabled',
      container_registry_access_level: 'disabled',
      shared_runners_enabled: true,
      lfs_enabled: true,
      marked_for_deletion_at: null,
      marked_for_deletion_on: null,
      creator_id: owner.id,
      import_status: 'none',
      import_error: null,
      open_issues_count: 0,
      runners_token: expect.stringMatching(/^[\w-]{20}$/),
      public_jobs: true,
      ci_config_path: null,
      ...{ build_timeout: 3_600, build_git_strategy: 'fetch', build_coverage_regex: null, auto_cancel_pending_pipelines: 'enabled' },
      ...{ ci_default_git_depth: null, group_runners_enabled: true, keep_latest_artifact: true, ci_job_token_scope_enabled: true },
      shared_with_groups: [],
      only_allow_merge_if_pipeline_succeeds: false,
      request_access_enabled: false,
      only_allow_merge_if_all_discussions_are_resolved: false,
      printing_merge_request_link_enabled: true,
      merge_method: 'merge',
      squash_option: 'default_off',
      merge_commit_template: null,
      only_allow_merge_if_all_status_checks_passed: false,
      merge_pipelines_enabled: false,
      merge_trains_enabled: false,
      merge_trains_skip_train_allowed: false,
      max_pipelines_per_merge_train: 4,
      merge_train_batch_size: 4,
      squash_commit_template: null,
      suggestion_commit_message: null,
      remove_source_branch_after_merge: false,
      permissions: { project_access: { access_level: 40, notification_level: 3 }, group_access: null },
    })
    expect(await git(forge.app.git.open(body.id).dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  })

  test('takes every setting, in each of the forms a boolean is sent in', async () => {
    const flags = [
      ['issues_enabled', false],
      ['merge_requests_enabled', false],
      ['jobs_enabled', false],
      ['wiki_enabled', false],
      ['snippets_enabled', false],
      ['container_registry_enabled', true],
      ['shared_runners_enabled', false],
      ['lfs_enabled', false],
      ['public_jobs', false],
      ['request_access_enabled', true],
      ['resolve_outdated_diff_discussions', true],
      ['printing_merge_request_link_enabled', false],
      ['only_allow_merge_if_pipeline_succeeds', true],
      ['only_allow_merge_if_all_discussions_are_resolved', true],
      ['remove_source_branch_after_merge', true],
    ] as const
    const merging = {
      merge_method: 'rebase_merge',
      squash_option: 'always',
      merge_commit_template: '%{title}',
      squash_commit_template: 'S',
    }
    const rest = { description: 'Text', visibility: 'internal', ...merging, ci_config_path: 'ci/main.yml' }
    const expected = { ...Object.fromEntries(flags), ...rest, tag_list: ['first', 'second'] }
    const asText = Object.fromEntries(flags.map(([name, value]) => [name, value ? '1' : '0']))
    for (const [index, sent] of [Object.fromEntries(flags), asText].entries()) {
      const { status, body } = await forge
        .as(owner)
        .post('/projects', { name: `Settings ${index}`, ...rest, ...sent, tag_list: ['second', ' first ', 'second'] })
      expect([status, body]).toMatchObject([201, expected])
      expect((await forge.as(owner).get(`/projects/${body.id}`)).body).toMatchObject(expected)
    }
    const { body } = await forge.as(owner).post('/projects', { name: 'Closed builds', public_builds: false, issues_enabled: false })
    expect([body.public_jobs, Object.keys(body._links)]).toEqual([false, expect.not.arrayContaining(['issues'])])
    expect([Object.keys(body._links), body]).toEqual([
      expect.arrayContaining(['merge_requests']),
      expect.not.objectContaining({ open_issues_count: 0 }),
    ])
  })

  test('takes tags as a list or as one text with commas, each once whatever its case', async () => {
    for (const [index, tag_list] of [['two', 'One', 'one, TWO'], 'two, One,,one ,TWO', ['two,One', ' ']].entries()) {
      const { status, body } = await forge.as(owner).post('/projects', { name: `Tagged ${index}`, tag_list })
      expect([tag_list, status, body.tag_list]).toEqual([tag_list, 201, ['One', 'two']])
    }
    const long = await forge.as(owner).post('/projects', { name: 'Tagged', tag_list: `one,${'x'.repeat(256)}` })
    expect([long.status, long.body]).toEqual([400, { message: { tag_list: ['is too long (maximum is 255 characters)'] } }])
  })

  test('in a group and a subgroup is for maintainers of it, direct or from above, and administrators', async () => {
    const [maintainer, developer] = [await forge.user(), await forge.user()]
    const group = await forge.group({ maintainer, developer, name: 'Above' })
    const below = await forge.group({ parent: group, name: 'Below' })
    for (const [index, user] of [maintainer, forge.root].entries()) {
      const { status, body } = await forge.as(user).post('/projects', { path: `p${index}`, namespace_id: below.id })
      expect([status, body]).toMatchObject([
        201,
        {
          path_with_namespace: `${group.path}/${below.path}/p${index}`,
          name_with_namespace: `Above / Below / p${index}`,
          namespace: { id: below.id, kind: 'group', full_path: `${group.path}/${below.path}`, parent_id: group.id },
          creator_id: user.id,
        },
      ])
      expect(body).not.toHaveProperty('owner')
    }
    const before = await countProjects()
    for (const [user, namespace_id] of [
      [developer, below.id],
      [await forge.user(), group.id],
      [owner, 999_999],
      [maintainer, await namespaceOf(owner)],
    ] as const) {
      const { status, body } = await forge.as(user).post('/projects', { path: 'refused', namespace_id })
      expect([status, body]).toEqual([400, { message: { namespace: ['is not valid'] } }])
    }
    expect(await countProjects()).toBe(before)
  })

  test('for another user is for administrators, and makes that user the owner', async () => {
    const other = await forge.user()
    const made = await forge.as(forge.root).post(`/projects/user/${other.id}`, { name: 'For you' })
    expect([made.status, made.body]).toMatchObject([
      201,
      { path_with_namespace: `${other.username}/for-you`, owner: { id: other.id }, creator_id: other.id },
    ])
    const refused = await forge.as(owner).post(`/projects/user/${other.id}`, { name: 'No' })
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    const nobody = await forge.as(forge.root).post('/projects/user/999999', { name: 'No' })
    expect([nobody.status, nobody.body]).toEqual([404, { message: '404 User Not Found' }])
    const nameless = await forge.as(forge.root).post(`/projects/user/${other.id}`, { path: 'x' })
    expect([nameless.status, nameless.body]).toEqual([400, { error: 'name is missing' }])
  })

  test('at the limit of the user succeeds once, however many try at once', async () => {
    const limited = await forge.user({ projects_limit: 2 })
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => forge.as(limited).post('/projects', { name: `race ${n}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403])
  })

  test('beyond the limit of the user is refused, but not in a group', async () => {
    const [limited, none] = [await forge.user({ projects_limit: 1 }), await forge.user({ projects_limit: 0 })]
    const group = await forge.group({ maintainer: limited })
    expect((await forge.as(limited).post('/projects', { name: 'one' })).status).toBe(201)
    const refusals = [
      [limited, 'Your project limit is 1 projects! Please contact your administrator to increase it'],
      [none, 'Personal project creation is not allowed. Please contact your administrator with questions'],
    ] as const
    for (const [user, said] of refusals) {
      const { status, body } = await forge.as(user).post('/projects', { name: 'two' })
      expect([status, body]).toEqual([403, { error: [said] }])
    }
    expect((await forge.as(limited).post('/projects', { name: 'two', namespace_id: group.id })).status).toBe(201)
  })

  test('more open than its group is refused', async () => {
    const levels = ['private', 'internal', 'public'] as const
    for (const [groupLevel, visibility] of levels.entries()) {
      const group = await forge.group({ visibility, maintainer: owner })
      for (const [wanted, sent] of levels.entries()) {
        const answer = await forge.as(owner).post('/projects', { path: sent, namespace_id: group.id, visibility: sent })
        const refusal = { message: { visibility_level: [`${sent} is not allowed in a ${visibility} group.`] } }
        expect([answer.status, answer.body]).toMatchObject(wanted > groupLevel ? [400, refusal] : [201, { visibility: sent }])
      }
    }
  })

  test('with a path or a name that cannot be is refused with the reason', async () => {
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
    const nameFormat = "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
    const paths = { '-x': format, 'x.git': format, 'x.atom': format, 'a/b': format, 'a b': format, ü: format, '..': format, '.': format }
    const before = await countProjects()
    const refusals: Array<[sent: object, message: object]> = [
      ...Object.entries(paths).map(([path, said]): [object, object] => [{ path, name: 'x' }, { path: [said] }]),
      [{ path: 'x\ny', name: 'x' }, { path: [format] }],
      [{ path: '', name: 'x' }, { path: ["can't be blank"] }],
      [{ name: '😀' }, { path: ["can't be blank"] }],
      [{ path: 'x'.repeat(256), name: 'x' }, { path: ['is too long (maximum is 255 characters)'] }],
      ...['blob', 'Tree', 'commits', '-', 'wikis'].map((path): [object, object] => [
        { path, name: 'x' },
        { path: [path === '-' ? format : `${path} is a reserved name`] },
      ]),
      [{ path: 'ok', name: ' ' }, { name: ["can't be blank"] }],
      [{ path: 'ok', name: '-dash' }, { name: [nameFormat] }],
      [{ path: 'ok', name: 'a/b' }, { name: [nameFormat] }],
      [{ path: 'ok', name: '<b>' }, { name: [nameFormat] }],
      [{ path: 'ok', name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
      [{ path: 'ok', description: 'x'.repeat(2_001) }, { description: ['is too long (maximum is 2000 characters)'] }],
      [{ path: 'ok', ci_config_path: '../x' }, { ci_config_path: ['cannot include leading slash or directory traversal.'] }],
      [{ path: 'ok', ci_config_path: '/x' }, { ci_config_path: ['cannot include leading slash or directory traversal.'] }],
    ]
    for (const [sent, message] of refusals) {
      const { status, body } = await forge.as(owner).post('/projects', sent)
      expect([sent, status, body]).toEqual([sent, 400, { message }])
    }
    for (const [sent, error] of [
      [{ name: 'x', visibility: 'secret' }, 'visibility does not have a valid value'],
      [{ name: 'x', merge_method: 'magic' }, 'merge_method does not have a valid value'],
      [{ name: 'x', issues_enabled: 'maybe' }, 'issues_enabled is invalid'],
      [{ name: { a: 1 } }, 'name is invalid'],
      [{ name: 'x', namespace_id: 'owner' }, 'namespace_id is invalid'],
    ] as const) {
      const { status, body } = await forge.as(owner).post('/projects', sent)
      expect([sent, status, body]).toEqual([sent, 400, { error }])
    }
    expect(await countProjects()).toBe(before)
  })

  test('with a path or name that is taken is refused, ignoring the case of the path', async () => {
    const taken = ['has already been taken']
    await forge.as(owner).post('/projects', { name: 'Taken Name', path: 'taken-path' })
    for (const [sent, message] of [
      [
        { name: 'Taken Name', path: 'taken-path' },
        { name: taken, path: taken },
      ],
      [{ name: 'Another', path: 'TAKEN-Path' }, { path: taken }],
      [{ name: 'Taken Name', path: 'another' }, { name: taken }],
    ]) {
      const { status, body } = await forge.as(owner).post('/projects', sent)
      expect([sent, status, body]).toEqual([sent, 400, { message }])
    }
    const group = await forge.group({ maintainer: owner })
    await forge.group({ parent: group, path: 'inner' })
    const { status, body } = await forge.as(owner).post('/projects', { name: 'Inner', path: 'Inner', namespace_id: group.id })
    expect([status, body]).toEqual([400, { message: { path: taken } }])
  })

  test('at the address of a wiki is refused, whether or not somebody has it; so is a rename', async () => {
    const group = await forge.group({ owner })
    const as = forge.as(owner)
    const make = (path: string) => as.post('/projects', { path, namespace_id: group.id })
    const { body: book } = await make('book')
    const said = { message: { path: ["cannot end in '.wiki', which is reserved for addresses of files"] } }
    for (const answer of [await make('BOOK.wiki'), await make('notes.wiki'), await as.put(`/projects/${book.id}`, { path: 'other.wiki' })])
      expect([answer.status, answer.body]).toEqual([400, said])
  })

  test('ten times at once under one path succeeds once, and leaves one project and one repository', async () => {
    const before = await countProjects()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => forge.as(owner).post('/projects', { path: 'race', name: `Race ${index}` })),
    )
    const [winner, ...others] = answers.sort((a, b) => a.status - b.status)
    expect([winner?.status, ...others.map(({ status }) => status)]).toEqual([201, ...Array(9).fill(400)])
    for (const { body } of others) expect(body).toEqual({ message: { path: ['has already been taken'] } })
    expect(await countProjects()).toBe(before + 1)
    expect((await stat(forge.app.git.open(winner?.body.id).dir)).isDirectory()).toBe(true)
    await expect(stat(forge.app.git.open(winner?.body.id + 1).dir)).rejects.toThrow()
  })
})

async function namespaceOf(user: TestUser): Promise<number> {
  const { id } = await forge.app.db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirstOrThrow()
  return id
}

describe('one project', () => {
  test('is found by number and by path, in any case of letters, by users who can see it', async () => {
    const [guest, stranger, outsider] = [await forge.user(), await forge.user(), await forge.user({ external: true })]
    for (const visibility of ['private', 'internal', 'public'] as const) {
      const { id, full_path } = await forge.project({ owner, guest, visibility })
      for (const at of [id, encodeURIComponent(full_path), encodeURIComponent(full_path.toUpperCase())]) {
        const clients = [owner, guest, stranger, outsider].map((user) => forge.as(user))
        const answers = await Promise.all([...clients, forge.anonymous].map((client) => client.get(`/projects/${at}`)))
        const expected = { private: [200, 200, 404, 404, 404], internal: [200, 200, 200, 404, 404], public: [200, 200, 200, 200, 200] }
        expect([visibility, at, answers.map(({ status }) => status)]).toEqual([visibility, at, expected[visibility]])
        for (const { status, body } of answers) {
          if (status === 200) expect(body.id).toBe(id)
          else expect(body).toEqual({ message: '404 Project Not Found' })
        }
      }
    }
  })

  test('is shown to anybody in the simple form only', async () => {
    const { id } = await forge.project({ owner, visibility: 'public' })
    const { body } = await forge.anonymous.get(`/projects/${id}?statistics=true`)
    const simple =
      'id description name name_with_namespace path path_with_namespace created_at default_branch tag_list topics ssh_url_to_repo'
    const rest = 'http_url_to_repo web_url readme_url avatar_url star_count forks_count last_activity_at namespace'
    expect(Object.keys(body).sort()).toEqual(`${simple} ${rest}`.split(' ').sort())
    expect(body).toMatchObject({ default_branch: 'main', readme_url: expect.stringMatching(/\/blob\/main\/README\.md$/) })
  })

  test('shows its runners token to maintainers and above, never in a list', async () => {
    const roles = { guest: await forge.user(), reporter: await forge.user(), developer: await forge.user(), maintainer: await forge.user() }
    const { id } = await forge.project({ owner, visibility: 'public', ...roles })
    const seers = Object.entries({ ...roles, owner, root: forge.root, stranger: await forge.user() })
    for (const [role, user] of seers) {
      const { body } = await forge.as(user).get(`/projects/${id}`)
      expect([role, 'runners_token' in body]).toEqual([role, ['maintainer', 'owner', 'root'].includes(role)])
      const { text } = await forge.as(user).get('/projects?per_page=100')
      expect(text).not.toContain('runners_token')
    }
  })

  test('has the caller’s permissions in the project and its group', async () => {
    const user = await forge.user()
    const group = await forge.group({ developer: user })
    const project = await forge.project({ group, reporter: user })
    const permissionsOf = async (client: ReturnType<Forge['as']>, query = '') =>
      (await client.get(`/projects/${project.id}${query}`)).body.permissions
    expect(await permissionsOf(forge.as(user))).toEqual({
      project_access: { access_level: 20, notification_level: 3 },
      group_access: { access_level: 30, notification_level: 3 },
    })
    const { body } = await forge.as(user).get('/projects?membership=true')
    expect(body.map(({ id, permissions }: { id: number; permissions: object }) => [id, permissions])).toEqual([
      [project.id, await permissionsOf(forge.as(user))],
    ])
  })

  test('an expired membership gives no access', async () => {
    const user = await forge.user()
    const project = await forge.project({ visibility: 'public', developer: user })
    await forge.app.db.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', user.id).execute()
    const { body } = await forge.as(user).get(`/projects/${project.id}`)
    expect(body.permissions).toEqual({ project_access: null, group_access: null })
  })

  test('has its statistics once they are counted', onPostgresAlone('1 s of processor.'), async () => {
    const project = await forge.project({ owner, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
    await forge.drain()
    const { body } = await forge.as(owner).get(`/projects/${project.id}?statistics=true`)
    expect(body.statistics).toMatchObject({ commit_count: 2, lfs_objects_size: 0, job_artifacts_size: 0 })
    expect(body.statistics.repository_size).toBeGreaterThan(0)
    expect(body.statistics.storage_size).toBe(body.statistics.repository_size)
    expect((await forge.as(owner).get(`/projects/${project.id}`)).body).not.toHaveProperty('statistics')
    const { body: list } = await forge.as(owner).get('/projects?owned=true&statistics=true')
    expect(list.find(({ id }: { id: number }) => id === project.id).statistics).toEqual(body.statistics)
  })
})

describe('the list of projects', () => {
  let user: TestUser
  const listed = async (query: string, client = forge.as(user)) => {
    const { status, body, headers } = await client.get(`/projects?search=zebra&order_by=path&sort=asc${query}`)
    expect([status, headers['x-total']]).toEqual([200, String(body.length)])
    return body.map(({ path }: { path: string }) => path)
  }

  beforeAll(async () => {
    user = await forge.user()
    const other = await forge.user()
    const make = (path: string, options: Parameters<Forge['project']>[0]) =>
      forge.project({ path: `zebra-${path}`, files: null, ...(!options?.group && { owner: other }), ...options })
    await make('a-own', { owner: user })
    await make('b-guest', { guest: user })
    await make('c-developer', { developer: user, visibility: 'internal' })
    await make('d-group', { group: await forge.group({ maintainer: user }) })
    await make('e-owned-group', { group: await forge.group({ parent: await forge.group({ owner: user }) }) })
    await make('f-private', {})
    await make('g-internal', { visibility: 'internal' })
    const open = await make('h-public', { visibility: 'public', name: 'Quagga' })
    const off = { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' } as const
    const set = { description: '100% striped', archived: true, ...off }
    await forge.app.db.updateTable('projects').set(set).where('id', '=', open.id).execute()
  })

  const all = ['a-own', 'b-guest', 'c-developer', 'd-group', 'e-owned-group', 'g-internal', 'h-public'].map((path) => `zebra-${path}`)
  const only = (letters: string) => all.filter((path) => letters.includes(path['zebra-'.length] as string))

  test('has what the caller can see', async () => {
    expect(await listed('')).toEqual(all)
    expect(await listed('', forge.as(await forge.user()))).toEqual(only('gch'))
    expect(await listed('', forge.as(await forge.user({ external: true })))).toEqual(only('h'))
    expect(await listed('', forge.anonymous)).toEqual(only('h'))
    expect(await listed('', forge.as(forge.root))).toHaveLength(8)
  })

  test('is filtered by each of its parameters', async () => {
    expect(await listed('&membership=true')).toEqual(only('abcde'))
    expect(await listed('&owned=true')).toEqual(only('ae'))
    expect(await listed('&min_access_level=30')).toEqual(only('acde'))
    expect(await listed('&min_access_level=40')).toEqual(only('ade'))
    expect(await listed('&visibility=internal')).toEqual(only('cg'))
    expect(await listed('&visibility=public')).toEqual(only('h'))
    expect(await listed('&archived=true')).toEqual(only('h'))
    expect(await listed('&archived=false')).toEqual(only('abcdeg'))
    expect(await listed('&with_issues_enabled=true')).toEqual(only('abcdeg'))
    expect(await listed('&with_merge_requests_enabled=true')).toEqual(only('abcdeg'))
    expect(await listed('&membership=true&visibility=internal')).toEqual(only('c'))
    expect(await listed('&wiki_checksum_failed=true&repository_checksum_failed=true')).toEqual(all)
  })

  test('of what anybody owns or is a member of is empty', async () => {
    for (const query of ['&owned=true', '&membership=true', '&min_access_level=10'])
      expect(await listed(query, forge.anonymous)).toEqual([])
  })

  test('is searched in names, paths and descriptions, ignoring case; % and _ are plain', async () => {
    const found = async (search: string) =>
      (await forge.as(user).get(`/projects?search=${encodeURIComponent(search)}`)).body.map(({ path }: { path: string }) => path)
    expect(await found('QUAGGA')).toEqual(['zebra-h-public'])
    expect(await found('100%')).toEqual(['zebra-h-public'])
    expect(await found('zebra%public')).toEqual([])
    expect(await found('zebra_h')).toEqual([])
  })

  test('is ordered by each of its fields, either way', async () => {
    const rows = (await forge.as(user).get('/projects?search=zebra')).body
    for (const field of ['id', 'name', 'path', 'created_at', 'last_activity_at', 'updated_at']) {
      const ids = async (sort: string) =>
        (await forge.as(user).get(`/projects?search=zebra&order_by=${field}&sort=${sort}`)).body.map(({ id }: { id: number }) => id)
      expect(await ids('asc')).toEqual((await ids('desc')).reverse())
      expect(await ids('desc')).toHaveLength(rows.length)
    }
    expect(rows.map(({ id }: { id: number }) => id)).toEqual(
      [...rows.map(({ id }: { id: number }) => id)].sort((a: number, b: number) => b - a),
    )
  })

  test('is simple on request, and for anonymous callers', async () => {
    for (const [client, query] of [
      [forge.as(user), '&simple=true'],
      [forge.anonymous, '&simple=false'],
    ] as const) {
      const { body } = await client.get(`/projects?search=zebra-h${query}`)
      expect(body).toHaveLength(1)
      expect(body[0]).not.toHaveProperty('visibility')
      expect(body[0]).not.toHaveProperty('permissions')
    }
  })

  test('refuses values that its parameters cannot have', async () => {
    for (const [query, error] of [
      ['order_by=size', 'order_by does not have a valid value'],
      ['sort=up', 'sort does not have a valid value'],
      ['visibility=secret', 'visibility does not have a valid value'],
      ['min_access_level=15', 'min_access_level does not have a valid value'],
      ['owned=maybe', 'owned is invalid'],
    ]) {
      const { status, body } = await forge.as(user).get(`/projects?${query}`)
      expect([query, status, body]).toEqual([query, 400, { error }])
    }
  })
})

describe('changing a project', () => {
  test('is for maintainers, its path included; its name and visibility for owners', async () => {
    const roles = { reporter: await forge.user(), developer: await forge.user(), maintainer: await forge.user() }
    const group = await forge.group({ owner, visibility: 'public' })
    const project = await forge.project({ group, visibility: 'public', ...roles })
    const changes = { description: 'new', name: 'New name', path: 'new-path', visibility: 'internal' }
    const expected = { description: [403, 403, 200], name: [403, 403, 403], path: [403, 403, 200], visibility: [403, 403, 403] }
    for (const [field, value] of Object.entries(changes)) {
      const put = (user: TestUser) => forge.as(user).put(`/projects/${project.id}`, { [field]: value })
      const answers = [await put(roles.reporter), await put(roles.developer), await put(roles.maintainer)]
      expect([field, answers.map(({ status }) => status)]).toEqual([field, expected[field as keyof typeof expected]])
      const { status, body } = await put(owner)
      expect([status, body[field]]).toEqual([200, value])
    }
    expect((await forge.anonymous.put(`/projects/${project.id}`, changes)).status).toBe(401)
    expect((await forge.as(await forge.user({ external: true })).put(`/projects/${project.id}`, changes)).status).toBe(404)
  })

  test('moves it to its new path at once, and the repository with it; the old path is free', async () => {
    const project = await forge.project({ owner, path: 'before' })
    const { status, body } = await forge.as(owner).put(`/projects/${project.id}`, { path: 'After' })
    expect([status, body]).toMatchObject([200, { path: 'After', path_with_namespace: 'owner/After', name: 'before' }])
    expect((await forge.as(owner).get('/projects/owner%2Fbefore')).status).toBe(404)
    expect((await forge.as(owner).get('/projects/owner%2Fafter/repository/files/README.md?ref=main')).status).toBe(200)
    expect((await forge.as(owner).put(`/projects/${project.id}`, { path: 'after' })).body.path_with_namespace).toBe('owner/after')
    expect((await forge.as(owner).post('/projects', { path: 'before', name: 'Before again' })).status).toBe(201)
  })

  test('to a path or name that is taken or cannot be is refused and changes nothing', async () => {
    const project = await forge.project({ owner, path: 'stays', name: 'Stays' })
    await forge.project({ owner, path: 'neighbour', name: 'Neighbour' })
    const before = (await forge.as(owner).get(`/projects/${project.id}`)).body
    for (const [sent, answer] of [
      [{ path: 'Neighbour', description: 'x' }, { message: { path: ['has already been taken'] } }],
      [{ name: 'Neighbour', description: 'x' }, { message: { name: ['has already been taken'] } }],
      [{ path: 'x.git', description: 'x' }, { message: { path: [expect.stringContaining("end in '.git'")] } }],
      [{ default_branch: 'nothing', description: 'x' }, { message: { base: ["Could not change HEAD: branch 'nothing' does not exist"] } }],
      [{ default_branch: '--all', description: 'x' }, { message: { base: ["Could not change HEAD: branch '--all' does not exist"] } }],
    ] as const) {
      const { status, body } = await forge.as(owner).put(`/projects/${project.id}`, sent)
      expect([sent, status, body]).toEqual([sent, 400, answer])
    }
    expect((await forge.as(owner).get(`/projects/${project.id}`)).body).toEqual(before)
  })

  test('of the default branch points HEAD at it, and shows the readme and the number of commits that are there', async () => {
    const project = await forge.project({ owner })
    const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
    await git(project.dir, 'update-ref', 'refs/heads/bare', await git(project.dir, 'commit-tree', '-m', 'Nothing', emptyTree))
    await git(project.dir, 'update-ref', 'refs/heads/release/1.0', await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'More', tree))
    const choose = (default_branch: string) => forge.as(owner).put(`/projects/${project.id}`, { default_branch })

    const { status, body } = await choose('release/1.0')
    const head = await git(project.dir, 'symbolic-ref', 'HEAD')
    await forge.drain()
    const { body: counted } = await forge.as(owner).get(`/projects/${project.id}?statistics=true`)
    const { body: unread } = await choose('bare')

    expect([status, body.default_branch, head]).toEqual([200, 'release/1.0', 'refs/heads/release/1.0'])
    expect([body.readme_url, counted.statistics.commit_count]).toEqual([
      `http://gitstead.test/${project.full_path}/blob/release/1.0/README.md`,
      2,
    ])
    expect([unread.default_branch, unread.readme_url]).toEqual(['bare', null])
  })

  test('of the default branch by ten at once leaves HEAD where the project says', async () => {
    const project = await forge.project({ owner })
    const names = Array.from({ length: 10 }, (_, n) => `branch-${n}`)
    for (const name of names) await git(project.dir, 'branch', name, 'main')
    const choose = (default_branch: string) => forge.as(owner).put(`/projects/${project.id}`, { default_branch })
    const answers = await Promise.all(names.map(choose))
    const { body } = await forge.as(owner).get(`/projects/${project.id}`)
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await git(project.dir, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/${body.default_branch}`)
  })

  test('of the default branch survives a concurrent push and a crash', async () => {
    const project = await forge.project({ owner })
    await git(project.dir, 'branch', 'next', 'main')
    await forge.as(owner).put(`/projects/${project.id}`, { default_branch: 'next' })
    const push = { project_id: project.id, user_id: owner.id, at: '2030-01-01T00:00:00.000Z', changes: [] }
    const found = { default_branch: 'main', has_new_default_branch: false, readme_path: 'OTHER' }
    await inTransaction(forge.app.db, (tx) => notePush(tx, { type: 'refs_pushed', ...push, ...found }))
    const { body } = await forge.as(owner).get(`/projects/${project.id}`)
    expect([body.default_branch, body.readme_url]).toEqual(['next', expect.stringMatching(/\/blob\/next\/README\.md$/)])
    await git(project.dir, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    const ripe = forge.app.db.updateTable('jobs').set({ run_at: '2020-01-01T00:00:00.000Z' })
    await ripe.where('name', '=', 'projects.follow_default_branch').execute()
    await forge.drain()
    expect(await git(project.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/next')
  })

  test('by null or an empty field empties what may be empty, and leaves the rest as it is', async () => {
    const project = await forge.project({ owner })
    const put = async (sent: object) => (await forge.as(owner).put(`/projects/${project.id}`, sent)).body
    const set = { description: 'Words', ci_config_path: 'ci.yml', tag_list: ['one'] }
    const nothing = { description: null, ci_config_path: null, tag_list: [] }
    expect(await put(set)).toMatchObject(set)
    expect(await put({ ...set, description: null, ci_config_path: null, tag_list: null })).toMatchObject(nothing)
    expect(await put(set)).toMatchObject(set)
    expect(await put({ description: '', ci_config_path: '', tag_list: '' })).toMatchObject({
      ...nothing,
      description: '',
      ci_config_path: '',
    })
    const flags = { issues_enabled: null, merge_method: null, visibility: null, request_access_enabled: '' }
    expect(await put({ ...flags, description: 'x' })).toMatchObject({
      issues_enabled: true,
      merge_method: 'merge',
      visibility: 'private',
      request_access_enabled: false,
    })
  })

  test('without parameters is rejected', async () => {
    const project = await forge.project({ owner })
    for (const sent of [undefined, {}, { nonsense: 1 }]) {
      const { status, body } = await forge.as(owner).put(`/projects/${project.id}`, sent)
      expect([status, body.error]).toEqual([400, expect.stringMatching(/are missing, at least one parameter must be provided$/)])
    }
  })

  test('to a visibility above its group’s is rejected', async () => {
    const project = await forge.project({ group: await forge.group({ owner }) })
    const { status, body } = await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'public' })
    expect([status, body]).toEqual([400, { message: { visibility_level: ['public is not allowed in a private group.'] } }])
  })
})

test('deleting a project is for owners; then it is gone everywhere at once, and its files follow', async () => {
  const maintainer = await forge.user()
  const project = await forge.project({ owner, visibility: 'public', maintainer })
  const refused = await forge.as(maintainer).delete(`/projects/${project.id}`)
  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])

  const headers = { 'if-unmodified-since': 'Fri, 01 Jan 2016 00:00:00 GMT' }
  const late = await forge.as(owner).delete(`/projects/${project.id}`, undefined, { headers })
  expect([late.status, (await forge.as(owner).get(`/projects/${project.id}`)).status]).toEqual([412, 200])

  const { status, body } = await forge.as(owner).delete(`/projects/${project.id}`)

  expect([status, body]).toEqual([202, { message: '202 Accepted' }])
  const encoded = encodeURIComponent(project.full_path)
  for (const path of ['', '/members', '/repository/tree', '/repository/commits', '/repository/branches', '/repository/tags']) {
    for (const at of [project.id, encoded])
      expect([path, (await forge.as(owner).get(`/projects/${at}${path}`)).status]).toEqual([path, 404])
  }
  expect((await forge.as(owner).delete(`/projects/${project.id}`)).status).toBe(404)
  expect((await forge.anonymous.get(`/projects?search=${project.path}`)).body).toEqual([])
  await forge.drain()
  await expect(stat(project.dir)).rejects.toThrow()
  expect((await forge.as(owner).post('/projects', { path: project.path })).status).toBe(201)
})
