/** A complete Gitstead for tests: real database, real git, real HTTP; one instance for all tests of a file. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { findGroup, findProject, type LocatedGroup, type LocatedProject } from '../../src/access/find.ts'
import { accessLevels, type Role, type Scope, scopes } from '../../src/access/levels.ts'
import { createToken } from '../../src/access/tokens.ts'
import { findUser } from '../../src/access/users.ts'
import { type App, closeApp, openApp } from '../../src/app.ts'
import { ensureRoot } from '../../src/bootstrap.ts'
import type { Config } from '../../src/config.ts'
import type { User, UserState, Visibility } from '../../src/db/tables.ts'
import { connectSubscribers } from '../../src/domain-events/domain-events.ts'
import { endpoints, subscribers } from '../../src/features/index.ts'
import { findNamespace } from '../../src/features/namespaces/namespaces.queries.ts'
import { createUser, type NewUser } from '../../src/features/people/users/users.service.ts'
import { recordPush } from '../../src/features/repository/pushes/record.ts'
import { createGroup } from '../../src/features/spaces/groups/groups.service.ts'
import { insertMember } from '../../src/features/spaces/members/members.queries.ts'
import { createProject } from '../../src/features/spaces/projects/projects.service.ts'

import type { LimitConfig } from '../../src/limits/settings.ts'
import { buildServer } from '../../src/server.ts'
import { type Client, clientOf } from './client.ts'
import { type Counts, nextInstant, settledRefs } from './counts.ts'
import { copiedDatabase, engine, type FreshDatabase, freshDatabase } from './database.ts'
import { names } from './fixtures/names.ts'
import { type PlanningFactories, planningFactories } from './fixtures/planning.ts'
import { type Files, type SeedCommit, seed } from './git.ts'
import { atEndOfFile } from './run/cleanup.ts'
import { watchStatuses } from './run/declared-statuses.ts'
import { watchRequests } from './run/hanging.ts'
import { noteStatement } from './run/statements.ts'
import { configAt, defaultLimits } from './test-config.ts'
import { testQueue } from './test-queue.ts'

export type TestUser = User & { token: string; password: string | undefined }
export type TestProject = LocatedProject & { dir: string }

type Roles = { [R in Role]?: TestUser }

export interface ProjectOptions extends Omit<Roles, 'owner'> {
  owner?: TestUser
  group?: LocatedGroup
  visibility?: Visibility
  name?: string
  path?: string
  /** The files of one commit on main; a README by default. Null leaves the repository empty. */
  files?: Files | null
  commits?: SeedCommit[]
}

export interface Forge extends PlanningFactories {
  app: App
  server: FastifyInstance
  root: TestUser
  anonymous: Client
  /** A client that signs its requests with the user's token. */
  as: (user: TestUser, options?: { token?: string; headers?: Record<string, string> }) => Client
  user: (input?: Partial<NewUser> & { state?: UserState }) => Promise<TestUser>
  group: (options?: Roles & { visibility?: Visibility; parent?: LocatedGroup; name?: string; path?: string }) => Promise<LocatedGroup>
  project: (options?: ProjectOptions) => Promise<TestProject>
  token: (user: User, options?: { scopes?: readonly Scope[]; expires_on?: string }) => Promise<string>
  /** The URL of the server, which is started at the first call. */
  url: () => Promise<string>
  /** `http://user:token@host/path.git` */
  remote: (project: { full_path: string } | string, user?: TestUser) => Promise<string>
  /** The number of SQL statements and git processes that the work takes. */
  cost: (work: () => Promise<unknown>) => Promise<{ statements: number; processes: number }>
  /** Runs the queue until no job is due. Otherwise no job runs: most tests don't need what follows a push. */
  drain: () => Promise<void>
  /** Runs the queue in the background from now on, as a server does. */
  startQueue: () => Promise<void>
  /** A folder for this file's tests; removed with the forge. */
  folder: () => Promise<string>
  close: () => Promise<void>
}

export interface ForgeOptions {
  config?: Partial<Omit<Config, 'limits'>>
  limits?: Partial<LimitConfig>
  max_pages?: number
  /** If it throws, the statement fails with that error. */
  beforeStatement?: (statement: string) => void
  /** Name of the data folder, for tests of names that are difficult for programs. */
  folder_name?: string
  /** Fills the data folder, and provides its database: by default those of an unused instance. */
  prepare?: (home: string) => Promise<FreshDatabase>
}

/** More than a test may take. */
const long_ms = 3_600_000

let shared: Promise<Forge> | null = null

/** The forge of this test file, started at the first call. */
export function testForge(): Promise<Forge> {
  if (!shared) atEndOfFile(() => (shared = null))
  shared ??= openForge()
  return shared
}

/** A separate forge, for tests that break it. It is closed with its test file. */
export async function openForge(options: ForgeOptions = {}): Promise<Forge> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-test-'))
  const home = options.folder_name ? join(folder, options.folder_name) : folder
  await mkdir(home, { recursive: true })
  const isUsual = !('root_password' in (options.config ?? {}) || 'root_token' in (options.config ?? {}))
  const database = await (options.prepare ?? (isUsual ? forgeDatabase : freshDatabase))(home)
  const counts = { statements: 0, processes: 0, from_ms: null }
  const config: Config = { ...configAt(home, database), ...options.config, limits: { ...defaultLimits, ...options.limits } }
  connectSubscribers(subscribers, config)
  const app = await openApp(config, {
    onStatement(text) {
      counts.statements += 1
      noteStatement(text)
    },
    onGitProcess: () => counts.processes++,
    git: { by_fork_server: true, ...settledRefs(counts) },
    ...(options.max_pages && { max_pages: options.max_pages }),
    ...(options.beforeStatement && { beforeStatement: options.beforeStatement }),
  })
  // Runners see a job as soon as a test has queued it.
  app.limits.sharedLook_ms = 0
  // The cost and content of a page don't depend on how busy the machine is, or on how long the file has been running.
  app.limits.headerCounts_ms = long_ms
  app.limits.pagePatience_ms = { header_counts: long_ms, last_commits: long_ms, languages: long_ms, graphs: long_ms }
  await ensureRoot(app)
  const server = await buildServer(app)
  watchStatuses(server, endpoints)
  watchRequests(server)
  const root: TestUser = {
    ...((await findUser(app.db, 'root')) as User),
    token: config.root_token as string,
    password: config.root_password as string,
  }
  const forge = assemble({ app, server, root, folder, database, counts })
  atEndOfFile(forge.close)
  return forge
}

/** A migrated database, with root and the password and token of all tests. `home` is the folder of SQLite's file. */
export const forgeDatabase = (home: string): Promise<FreshDatabase> => copiedDatabase(home, fillTemplate)

async function fillTemplate(database: FreshDatabase, home: string): Promise<void> {
  const config = configAt(home, database)
  connectSubscribers(subscribers, config)
  const app = await openApp(config, { git: { by_fork_server: true } })
  await ensureRoot(app)
  // Each copy has a key of its own.
  await app.db.deleteFrom('settings').where('name', '=', 'secret_key_check').execute()
  await closeApp(app)
}

interface Parts {
  app: App
  server: FastifyInstance
  root: TestUser
  folder: string
  database: FreshDatabase
  counts: Counts
}

function assemble({ app, server, root, folder, database, counts }: Parts): Forge {
  const queue = testQueue(app)
  let listening: Promise<string> | null = null
  let closed = false
  const url = () => {
    listening ??= server
      .listen({ host: '127.0.0.1', port: app.config.port })
      .then(() => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    return listening
  }
  const token = (user: User, options: { scopes?: readonly Scope[]; expires_on?: string } = {}) =>
    createToken(app.db, { user_id: user.id, name: 'test', scopes: options.scopes ?? scopes, expires_on: options.expires_on ?? null })
  const forge: Forge = {
    app,
    server,
    root,
    anonymous: clientOf(server, {}),
    as: (user, options = {}) => clientOf(server, { 'private-token': options.token ?? user.token, ...options.headers }),
    user: (input) => makeUser(app, token, input),
    group: (options) => makeGroup(app, root, options),
    project: (options) => makeProject(app, root, options),
    ...planningFactories(app),
    token,
    url,
    async remote(project, user) {
      const path = typeof project === 'string' ? project : project.full_path
      return `${(await url()).replace('://', user ? `://${user.username}:${user.token}@` : '://')}/${path}.git`
    },
    async cost(work) {
      // Work of the queue must not count meanwhile.
      await queue.stop()
      // Refs written earlier are cached, those that the work writes are not, regardless of speed.
      counts.from_ms = await nextInstant(folder)
      // A write that doesn't name its table invalidates all caches of statements.
      await sql`update users set id = id`.execute(app.db)
      if (engine === 'postgres') await sql`select nextval(oid::regclass) from pg_class where relname like 'writes_to_%'`.execute(app.db)
      const before = { ...counts }
      try {
        await work()
        return { statements: counts.statements - before.statements, processes: counts.processes - before.processes }
      } finally {
        counts.from_ms = null
        queue.resume()
      }
    },
    drain: queue.drain,
    startQueue: queue.start,
    folder: () => mkdtemp(join(folder, 'work-')),
    async close() {
      if (closed) return
      closed = true
      await server.close()
      await queue.stop()
      await closeApp(app)
      await database.drop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return forge
}

async function makeUser(app: App, token: Forge['token'], input: Partial<NewUser> & { state?: UserState } = {}): Promise<TestUser> {
  const { state, ...rest } = input
  const username = input.username ?? `user${++names.taken}`
  const user = await createUser(app, { username, name: `Name of ${username}`, email: `${username}@example.com`, confirmed: true, ...rest })
  if (state) await app.db.updateTable('users').set({ state }).where('id', '=', user.id).execute()
  return { ...user, token: await token(user), password: input.password }
}

async function makeGroup(app: App, root: User, options: Parameters<Forge['group']>[0] = {}): Promise<LocatedGroup> {
  const { visibility = 'private', parent, name, path = `group${++names.taken}`, ...roles } = options
  const above = parent ? await findGroup(app.db, String(parent.id), root) : null
  const group = await createGroup(
    app,
    root,
    { name: name ?? path, path, visibility, lfs_enabled: true, request_access_enabled: false },
    above,
  )
  await enrol(app, { namespace_id: group.id }, roles)
  return group
}

async function makeProject(app: App, root: User, options: ProjectOptions = {}): Promise<TestProject> {
  const {
    owner,
    group,
    visibility = 'private',
    path = `project${++names.taken}`,
    name = path,
    files = { 'README.md': `# ${path}\n` },
    commits,
    ...roles
  } = options
  const namespace = group ?? (await findNamespace(app.db, { path: (owner ?? root).username }))
  if (!namespace) throw new Error('the owner has no namespace')
  const project = await createProject(app, owner ?? root, { ...namespace, owner_id: namespace.owner_id }, { name, path, visibility })
  await enrol(app, { project_id: project.id }, roles)
  const repo = app.git.open(project.id)
  const history = commits ?? (files ? [{ message: 'First commit', files }] : [])
  if (history.length > 0) {
    const refs = await seed(repo.dir, history)
    const changes = [...refs].sort().map(([ref, after]) => ({ before: '0'.repeat(40), after, ref }))
    await recordPush(app, { project, user: owner ?? root }, changes, null)
  }
  return { ...(await findProject(app.db, String(project.id), root)).project, dir: repo.dir }
}

async function enrol(app: App, place: { project_id: number } | { namespace_id: number }, roles: Roles): Promise<void> {
  for (const [role, user] of Object.entries(roles) as Array<[Role, TestUser]>) {
    await insertMember(app.db, place, { user_id: user.id, access_level: accessLevels[role], expires_at: null })
  }
}
