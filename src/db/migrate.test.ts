import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Kysely, Migration } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { gitsteadProgram } from '../../test/support/program.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { onPostgresAlone } from '../../test/support/run/tiers.ts'
import { StartRefused } from '../failure.ts'
import { contains, openDatabase } from './database.ts'
import { migrate, migrationsNamed } from './migrate.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { repository } from './migrations/0002-repository.ts'
import { roads } from './migrations/0003-roads.ts'
import { people } from './migrations/0004-people.ts'
import { lists } from './migrations/0005-lists.ts'
import { redirects } from './migrations/0006-redirects.ts'
import { askers } from './migrations/0007-askers.ts'
import { mayHave } from './search.ts'
import type { Tables } from './tables.ts'

cpuBudget(8, 'Databases of earlier versions are upgraded.')

let home: string
let database: FreshDatabase
const opened: Array<Kysely<Tables>> = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-migrate-'))
  database = await freshDatabase(home)
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()))
  await database.drop()
  await rm(home, { recursive: true })
})

function open(): Kysely<Tables> {
  const db = openDatabase(database.location)
  opened.push(db)
  return db
}

const rows = 500
const withoutEnding = (file: string) => file.replace(/\.ts$/, '')
const isBefore = (number: string) => (name: string) => /^\d{4}-/.test(name) && name < number
const first: Migration = { up: (db) => db.schema.createTable('first').addColumn('id', 'integer').execute() }
const second: Migration = { up: (db) => db.schema.createTable('second').addColumn('id', 'integer').execute() }

const tablesOf = async (db: Kysely<Tables>) =>
  (await db.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => name !== 'schema_migrations')
    .sort()

test('a migration is applied once', async () => {
  const db = open()
  expect(await migrate(db, { '0001-first': first })).toEqual(['0001-first'])
  expect(await migrate(db, { '0001-first': first })).toEqual([])
  expect(await migrate(db, { '0001-first': first, '0002-second': second })).toEqual(['0002-second'])
  expect(await tablesOf(db)).toEqual(['first', 'second'])
})

test('the migrations of this program make every table it works with', async () => {
  const db = open()
  expect((await migrate(db)).length).toBeGreaterThan(0)
  expect(await migrate(db)).toEqual([])
  expect(await tablesOf(db)).toEqual(expect.arrayContaining(['users', 'namespaces', 'projects', 'members', 'routes', 'jobs']))
})

test('a schema newer than the program is refused, and left as it is', async () => {
  const db = open()
  await migrate(db, { '0001-first': first, '0002-second': second })
  const refused = await migrate(db, { '0001-first': first }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StartRefused)
  expect((refused as Error).message).toBe(
    'the database was written by a newer Gitstead (it has 0002-second); start that version or restore a backup',
  )
  expect(await tablesOf(db)).toEqual(['first', 'second'])
})

test('a migration that fails leaves nothing of itself, and is tried again at the next start', async () => {
  const db = open()
  const broken: Migration = {
    async up(tx) {
      await tx.schema.createTable('second').addColumn('id', 'integer').execute()
      throw new Error('half way')
    },
  }
  await expect(migrate(db, { '0001-first': first, '0002-second': broken })).rejects.toThrow('half way')
  expect(await tablesOf(db)).not.toContain('second')
  await migrate(db, { '0001-first': first, '0002-second': second })
  expect(await tablesOf(db)).toEqual(['first', 'second'])
})

test('a database of the previous version keeps its content, and new tables know of it', async () => {
  const db = open()
  await migrate(db, { '0001-foundation': foundation, '0002-repository': repository, '0003-roads': roads })
  const at = '2020-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const user = (name: string, email: string, confirmed_at: string | null) =>
    ({ username: name, username_key: name, name, email, email_key: email.toLowerCase(), confirmed_at, ...times }) as never
  const project = (n: number) =>
    ({ namespace_id: 1, name: `Needle ${n}`, path: `p${n}`, runners_token: `t${n}`, last_activity_at: at, ...times }) as never
  await db
    .insertInto('users')
    .values([user('ada', 'Ada@Example.com', at), user('bob', 'b@x', null)])
    .execute()
  await db
    .insertInto('namespaces')
    .values({ kind: 'group', name: 'G', path: 'g', ...times } as never)
    .execute()
  for (let n = 0; n < rows; n += 500)
    await db
      .insertInto('projects')
      .values(Array.from({ length: 500 }, (_, k) => project(n + k)))
      .execute()

  const token = { user_id: 1, name: 't', scopes: 'api', revoked: false, created_at: at }
  await db
    .insertInto('access_tokens')
    .values([
      { ...token, digest: 'a', last_used_on: '2020-01-02' },
      { ...token, digest: 'b', last_used_on: null },
    ] as never)
    .execute()

  expect(await migrate(db)).toEqual([
    '0004-people',
    '0005-lists',
    '0006-redirects',
    '0007-askers',
    '0008-repairs',
    '0009-job-owners',
    '0010-backups',
    '0012-access',
    '0013-spaces',
    '0014-releases',
    '0015-machine-tokens',
    '0016-operations',
    '0018-list-counts',
    '0023-transfer-progress',
    '0024-feeds',
    '0025-people-pages',
    '0026-planning',
    '0027-review',
    '0028-wikis',
    '0029-snippets',
    '0030-search',
    '0032-ci',
    '0033-write-counters',
    '0034-hooks',
    '0036-integrations',
    '0038-jobs-of-runners',
    '0042-mirrors',
    '0043-reserved-names',
    '0044-profiles',
    '0045-release-milestones',
    '0046-public-note-counts',
    '0047-serial-jobs',
    '0049-debug-traces',
    '0050-hook-values',
    '0051-oauth',
    '0052-sealed-tokens',
    '0054-notification-settings',
    '0055-mails',
    '0056-second-factor',
    '0058-account-tokens',
    '0060-lockouts',
    '0061-audit-log',
    '0062-identities',
    '0064-running-jobs',
    '0065-push-options',
    '0066-chat-names',
    '0067-payload-failures',
    '0068-account-states',
    '0069-follows',
    '0070-passkey-sign-in',
    '0071-service-accounts',
    '0072-abuse-reports',
    '0073-invitations',
    '0074-project-flags',
    '0075-terraform-states',
    '0076-secure-files',
    '0077-scheduled-deletions',
    '0080-wiki-events',
    '0081-mentions-in-snippets',
    '0082-hook-delivery-counts',
    '0085-schedule-inputs',
    '0087-approval-rules',
    '0088-code-owners',
    '0090-protected-environments',
    '0092-group-second-factor',
    '0093-quotas',
    '0094-push-rules',
    '0095-merge-request-blocks',
    '0096-merge-trains',
    '0100-appearance',
    '0101-archived-groups',
    '0106-lock-users',
    '0108-snippet-comments',
    '0109-spam-logs',
    '0110-writes-to-old-rows',
    '0111-group-exports',
    '0115-status-checks',
    '0116-fetch-counts',
    '0120-change-ids',
    '0121-stacked-merges',
    '0125-merged-results',
    '0126-environments-of-groups',
    '0130-replies',
    '0140-makers-of-tokens',
    '0141-sealed-sizes',
    '0143-emoji-on-snippet-comments',
    '0144-settled-events',
    '0146-pinned-projects',
    '0147-flag-versions',
    '0148-release-evidences',
    '0149-context-commits',
    '0150-stacks-in-queues',
    '0151-group-approvals',
  ])
  const tokens = (await db.selectFrom('users').select('feed_token').execute()).map(({ feed_token }) => feed_token)
  expect([new Set(tokens).size, tokens.every((one) => /^gstft-[0-9a-f]{40}$/.test(one ?? ''))]).toEqual([2, true])

  expect(
    await db.selectFrom('emails').select(['user_id', 'email', 'email_key', 'is_primary', 'confirmed_at']).orderBy('id').execute(),
  ).toEqual([
    { user_id: 1, email: 'Ada@Example.com', email_key: 'ada@example.com', is_primary: true, confirmed_at: at },
    { user_id: 2, email: 'b@x', email_key: 'b@x', is_primary: true, confirmed_at: null },
  ])
  expect(await db.selectFrom('access_tokens').select(['last_used_at', 'project_id', 'revoked_at']).orderBy('id').execute()).toEqual([
    { last_used_at: '2020-01-02T00:00:00.000Z', project_id: null, revoked_at: null },
    { last_used_at: null, project_id: null, revoked_at: null },
  ])
  const kept = await db.selectFrom('projects').select(['name', 'import_status', 'forked_from_id']).where('id', '=', 7).executeTakeFirst()
  expect(kept).toEqual({ name: 'Needle 6', import_status: 'none', forked_from_id: null })
  const found = db.selectFrom('projects').select('id').where(contains('projects.name', 'needle 42'))
  const hint = mayHave(db, 'projects', ['needle 42'])
  expect(await (hint ? found.where(hint) : found).limit(1).execute()).toEqual([{ id: 43 }])
})

test('rows of schema 0007 survive the upgrade: jobs without an owner, and archives for administrators', async () => {
  const db = open()
  const before = { foundation, repository, roads, people, lists, redirects, askers }
  await migrate(db, Object.fromEntries(Object.entries(before).map(([name, migration], index) => [`000${index + 1}-${name}`, migration])))
  const at = '2020-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const insert = (table: keyof Tables, row: object) =>
    db
      .insertInto(table)
      .values(row as never)
      .execute()
  await insert('namespaces', { kind: 'group', name: 'G', path: 'g', ...times })
  for (const path of ['made', 'asked'])
    await insert('projects', { namespace_id: 1, name: path, path, runners_token: path, last_activity_at: at, ...times })
  await insert('project_exports', { project_id: 1, state: 'finished', store_key: 'exports/1', size: 1, updated_at: at })
  await insert('project_exports', { project_id: 2, state: 'queued', updated_at: at })
  await insert('jobs', { name: 'exports.export', payload: '{}', state: 'ready', run_at: at, attempts: 1, created_at: at })
  await migrate(db)
  expect(await db.selectFrom('project_exports').select(['with_addresses', 'has_addresses']).orderBy('project_id').execute()).toEqual([
    { with_addresses: false, has_addresses: true },
    { with_addresses: false, has_addresses: false },
  ])
  expect(await db.selectFrom('jobs').select(['name', 'attempts', 'owner']).orderBy('id').execute()).toEqual([
    { name: 'exports.export', attempts: 1, owner: null },
    { name: 'projects.repair_repositories', attempts: 0, owner: null },
    { name: 'namespaces.rename_reserved', attempts: 0, owner: null },
  ])
})

test('what 0012 left is there after the upgrade: shares under their ids, tags as topics, switches as levels', async () => {
  const db = open()
  const names = ['foundation', 'repository', 'roads', 'people', 'lists', 'redirects', 'askers', 'repairs', 'job-owners', 'backups']
  await migrate(db, migrationsNamed([...names.map((name, index) => `${String(index + 1).padStart(4, '0')}-${name}`), '0012-access']))
  const at = '2020-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const insert = (table: keyof Tables, row: object) =>
    db
      .insertInto(table)
      .values(row as never)
      .execute()
  for (const path of ['g', 'h']) await insert('namespaces', { kind: 'group', name: path, path, ...times })
  const project = (path: string) => ({ namespace_id: 1, name: path, path, runners_token: path, last_activity_at: at, ...times })
  await insert('projects', { ...project('on'), tag_list: '["Ruby","web"]' })
  await insert('projects', {
    ...project('off'),
    tag_list: '["ruby"]',
    issues_enabled: false,
    jobs_enabled: false,
    container_registry_enabled: true,
  })
  for (const project_id of [1, 2]) await insert('group_shares', { project_id, group_id: 2, access_level: 30, created_at: at })
  await db.deleteFrom('group_shares').where('id', '=', 2).execute()

  await migrate(db)

  const shares = db.selectFrom('group_shares').select(['id', 'project_id', 'namespace_id', 'group_id', 'access_level'])
  expect(await shares.execute()).toEqual([{ id: 1, project_id: 1, namespace_id: null, group_id: 2, access_level: 30 }])
  await insert('group_shares', { namespace_id: 1, group_id: 2, access_level: 20, created_at: at })
  expect(await shares.where('namespace_id', '=', 1).execute()).toMatchObject([{ id: 3, project_id: null }])
  await expect(insert('group_shares', { namespace_id: 1, group_id: 2, access_level: 20, created_at: at })).rejects.toThrow()
  await expect(insert('group_shares', { group_id: 2, access_level: 20, created_at: at })).rejects.toThrow()

  const topics = await db.selectFrom('topics').select(['name', 'name_key', 'title', 'managed']).orderBy('id').execute()
  expect(topics).toEqual([
    { name: 'Ruby', name_key: 'ruby', title: 'Ruby', managed: false },
    { name: 'web', name_key: 'web', title: 'web', managed: false },
  ])
  const written = db.selectFrom('project_topics').select(['project_id', 'topic_id', 'name']).orderBy('project_id').orderBy('topic_id')
  expect(await written.execute()).toEqual([
    { project_id: 1, topic_id: 1, name: 'Ruby' },
    { project_id: 1, topic_id: 2, name: 'web' },
    { project_id: 2, topic_id: 1, name: 'ruby' },
  ])
  const columns = ['issues', 'builds', 'container_registry', 'wiki', 'repository', 'forking'].map((name) => `${name}_access_level`)
  const levels = await db
    .selectFrom('projects')
    .select(columns as ['issues_access_level'])
    .orderBy('id')
    .execute()
  expect(levels.map((row) => Object.values(row))).toEqual([
    ['enabled', 'enabled', 'disabled', 'enabled', 'enabled', 'enabled'],
    ['disabled', 'disabled', 'enabled', 'enabled', 'enabled', 'enabled'],
  ])
})

test('what 0026 left is there after the upgrade: comments on commits as notes, and intents that are under way', async () => {
  const db = open()
  await migrate(db, migrationsNamed((await readdir(join(import.meta.dirname, 'migrations'))).map(withoutEnding).filter(isBefore('0027'))))
  const at = '2020-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const insert = (table: string, row: object) =>
    db
      .insertInto(table as keyof Tables)
      .values(row as never)
      .execute()
  const ada = { username: 'ada', username_key: 'ada', name: 'Ada', email: 'a@example.com', email_key: 'a@example.com' }
  await insert('users', { ...ada, ...times })
  await insert('namespaces', { kind: 'group', name: 'G', path: 'g', ...times })
  for (const path of ['p', 'q'])
    await insert('projects', { namespace_id: 1, name: path, path, runners_token: path, last_activity_at: at, ...times })
  const oid = 'a'.repeat(40)
  const comment = { project_id: 1, author_id: 1, commit_oid: oid, created_at: at }
  await insert('commit_comments', { ...comment, note: 'Of all of it' })
  await insert('commit_comments', { ...comment, note: 'Of a line', path: 'file', line: 3, line_type: 'old' })
  await insert('commit_comments', { ...comment, note: 'Of another project', project_id: 2 })
  for (const target_id of [1, 2, 3])
    await insert('events', { project_id: target_id === 3 ? 2 : 1, author_id: 1, action: 'commented', target_id, created_at: at })
  for (const process of ['dead', 'dying'])
    await insert('push_intents', { project_id: 1, user_id: 1, process, changes: '[]', created_at: at })
  await db.deleteFrom('push_intents').where('process', '=', 'dying').execute()

  await migrate(db)

  const notes = await db.selectFrom('notes').selectAll().orderBy('id').execute()
  const line = { old_path: 'file', new_path: 'file', old_line: 3, new_line: null, position_type: 'text', head_sha: oid }
  expect(notes).toMatchObject([
    { project_id: 1, author_id: 1, commit_oid: oid, body: 'Of all of it', type: null, position: null, created_at: at },
    { project_id: 1, commit_oid: oid, body: 'Of a line', type: 'DiffNote' },
    { project_id: 2, commit_oid: oid, body: 'Of another project', type: null },
  ])
  expect(JSON.parse(notes[1]?.position ?? '')).toMatchObject(line)
  expect(new Set(notes.map(({ discussion_id }) => discussion_id)).size).toBe(3)
  const events = await db.selectFrom('events').select('note_id').orderBy('id').execute()
  expect(events.map(({ note_id }) => note_id)).toEqual(notes.map(({ id }) => id))
  expect(await db.selectFrom('jobs').select('name').where('name', '=', 'notes.place_on_commits').execute()).toHaveLength(1)
  const intents = db.selectFrom('push_intents').select(['id', 'project_id', 'wiki_id', 'process']).orderBy('id')
  expect(await intents.execute()).toEqual([{ id: 1, project_id: 1, wiki_id: null, process: 'dead' }])
  await insert('push_intents', { project_id: 1, user_id: 1, process: 'new', changes: '[]', created_at: at })
  expect((await intents.execute()).map(({ id }) => id)).toEqual([1, 3])
})

test('rows of schema 0125 survive the upgrade: protected environments with their rules, and approvals that count for one', async () => {
  const db = open()
  await migrate(db, migrationsNamed((await readdir(join(import.meta.dirname, 'migrations'))).map(withoutEnding).filter(isBefore('0126'))))
  const at = '2026-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const insert = (table: string, row: object) =>
    db
      .insertInto(table as keyof Tables)
      .values(row as never)
      .execute()
  await insert('users', { username: 'ada', username_key: 'ada', name: 'Ada', email: 'a@example.com', email_key: 'a@example.com', ...times })
  await insert('namespaces', { kind: 'group', name: 'G', path: 'g', ...times })
  await insert('projects', { namespace_id: 1, name: 'p', path: 'p', runners_token: 'p', last_activity_at: at, ...times })
  for (const name of ['production', 'staging', 'gone']) await insert('ci_protected_environments', { project_id: 1, name, ...times })
  await db.deleteFrom('ci_protected_environments').where('name', '=', 'gone').execute()
  for (const protected_environment_id of [1, 2])
    for (const kind of ['deploy', 'approve']) await insert('ci_environment_rules', { protected_environment_id, kind, access_level: 40 })
  await insert('ci_environments', { project_id: 1, name: 'production', slug: 'production', ...times })
  await insert('ci_deployments', {
    ...{ iid: 1, project_id: 1, environment_id: 1, ref: 'main', tag: false, sha: 'a'.repeat(40), status: 'blocked' },
    ...times,
  })
  await insert('ci_deployment_approvals', { deployment_id: 1, user_id: 1, rule_id: 2, status: 'approved', created_at: at })
  const rules = () => db.selectFrom('ci_environment_rules').selectAll().orderBy('id').execute()
  const before = await rules()

  await migrate(db)

  expect([before.length, await rules()]).toEqual([4, before])
  expect(await db.selectFrom('ci_deployment_approvals').select(['id', 'rule_id']).execute()).toEqual([{ id: 1, rule_id: 2 }])
  await insert('ci_protected_environments', { group_id: 1, name: 'production', ...times })
  const all = await db.selectFrom('ci_protected_environments').select(['id', 'project_id', 'group_id', 'name']).orderBy('id').execute()
  expect(all).toEqual([
    { id: 1, project_id: 1, group_id: null, name: 'production' },
    { id: 2, project_id: 1, group_id: null, name: 'staging' },
    { id: 4, project_id: null, group_id: 1, name: 'production' },
  ])
  await expect(insert('ci_protected_environments', { project_id: 1, group_id: 1, name: 'both', ...times })).rejects.toThrow()
  await db.deleteFrom('ci_protected_environments').where('id', '=', 1).execute()
  expect((await rules()).map(({ id }) => id)).toEqual([3, 4])
})

test('rows of schema 0150 survive the upgrade: approval rules, with all that they name, and the rules that they replace', async () => {
  const db = open()
  await migrate(db, migrationsNamed((await readdir(join(import.meta.dirname, 'migrations'))).map(withoutEnding).filter(isBefore('0151'))))
  const at = '2026-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  const insert = (table: string, row: object) =>
    db
      .insertInto(table as keyof Tables)
      .values(row as never)
      .execute()
  await insert('users', { username: 'ada', username_key: 'ada', name: 'Ada', email: 'a@example.com', email_key: 'a@example.com', ...times })
  await insert('namespaces', { kind: 'group', name: 'G', path: 'g', ...times })
  await insert('projects', { namespace_id: 1, name: 'p', path: 'p', runners_token: 'p', last_activity_at: at, ...times })
  for (const name of ['Safety', 'Gone']) await insert('approval_rules', { project_id: 1, rule_type: 'regular', name, ...times })
  await insert('approval_rules', { project_id: 1, rule_type: 'regular', name: 'Last', source_rule_id: 1, ...times })
  await insert('approval_rules', { project_id: 1, rule_type: 'regular', name: 'Deleted', ...times })
  await db.deleteFrom('approval_rules').where('name', 'in', ['Gone', 'Deleted']).execute()
  await insert('approval_rule_users', { rule_id: 1, user_id: 1 })
  await insert('approval_rule_groups', { rule_id: 3, group_id: 1 })

  await migrate(db)

  await insert('approval_rules', { group_id: 1, rule_type: 'regular', name: 'Safety', ...times })
  const rules = db.selectFrom('approval_rules').select(['id', 'project_id', 'group_id', 'name', 'source_rule_id']).orderBy('id')
  expect(await rules.execute()).toEqual([
    { id: 1, project_id: 1, group_id: null, name: 'Safety', source_rule_id: null },
    { id: 3, project_id: 1, group_id: null, name: 'Last', source_rule_id: 1 },
    { id: 5, project_id: null, group_id: 1, name: 'Safety', source_rule_id: null },
  ])
  expect(await db.selectFrom('approval_rule_users').selectAll().execute()).toEqual([{ rule_id: 1, user_id: 1 }])
  expect(await db.selectFrom('approval_rule_groups').selectAll().execute()).toEqual([{ rule_id: 3, group_id: 1 }])
  await expect(insert('approval_rules', { project_id: 1, rule_type: 'regular', name: 'Safety', ...times })).rejects.toThrow()
  await expect(insert('approval_rules', { rule_type: 'regular', name: 'Nowhere', ...times })).rejects.toThrow()
})

// Builds the program, and starts it four times.
test('several processes that start at once migrate once', { ...onPostgresAlone('2 s of processor.'), timeout: 120_000 }, async () => {
  const [node, main] = await gitsteadProgram()
  const start = () =>
    promisify(execFile)(node, [main, 'migrate'], {
      env: {
        PATH: process.env.PATH,
        GITSTEAD_HOME: home,
        GITSTEAD_ROOT_PASSWORD: 'root-password',
        ...(database.url && { GITSTEAD_DATABASE_URL: database.url }),
      },
    })
  for (const { stdout } of await Promise.all([start(), start()])) expect(stdout).toBe('The database is up to date.\n')
  const db = open()
  expect(await migrate(db)).toEqual([])
  expect(await db.selectFrom('users').select('username').execute()).toEqual([{ username: 'root' }])
  expect((await db.selectFrom('access_tokens').select('id').execute()).length).toBe(1)
})

test('the upgrade enqueues the repair of repositories and the renaming of reserved names, once', async () => {
  const db = open()
  await migrate(db)
  await migrate(db)
  const jobs = await db.selectFrom('jobs').select(['name', 'state', 'attempts']).execute()
  expect(jobs).toEqual(
    ['projects.repair_repositories', 'namespaces.rename_reserved'].map((name) => ({ name, state: 'ready', attempts: 0 })),
  )
})
