/** Access to a repository depends on the caller, never on the protocol. */
import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { type ApplicationScope, accessLevels, type Scope } from '../../src/access/levels.ts'
import { newToken } from '../../src/access/tokens.ts'
import { findUser } from '../../src/access/users.ts'
import type { User, Visibility } from '../../src/db/tables.ts'
import { type Settings, writeSettings } from '../../src/features/instance/settings/settings.service.ts'
import { storeLargeFile } from '../../src/features/repository/lfs/lfs.service.ts'
import { mintLfsToken } from '../../src/features/repository/lfs/tokens.service.ts'
import { insertMember } from '../../src/features/spaces/members/members.queries.ts'
import { actionNames } from '../../src/transport/lfs/lfs.ts'
import { basicOf } from '../support/fixtures/lfs.ts'
import { publicKey } from '../support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../support/forge.ts'
import { anApplication, oauthToken } from '../support/oauth.ts'
import { addKey, callerBy, enableKey } from '../support/ssh.ts'
import { type Client, large, type Outcome, type Protocol, protocols } from './protocols.ts'
import { ofEveryEndpoint, sampledOnPostgres } from './world/budgets.ts'

type Rights = [reading: Outcome, writing: Outcome]

const everything: Rights[] = [
  ['open', 'open'],
  ['open', 'open'],
  ['open', 'open'],
]
const reading: Rights[] = [
  ['open', 403],
  ['open', 403],
  ['open', 403],
]
const nothing: Rights[] = [
  [403, 403],
  [403, 403],
  [403, 403],
]

/** The rights of each caller in a private, an internal and a public project. */
const table: Record<string, Rights[]> = {
  nobody: [
    [401, 401],
    [401, 401],
    ['open', 401],
  ],
  'a wrong token': [
    [401, 401],
    [401, 401],
    [401, 401],
  ],
  'a stranger': [
    [404, 404],
    ['open', 403],
    ['open', 403],
  ],
  'an external stranger': [
    [404, 404],
    [404, 404],
    ['open', 403],
  ],
  'a member whose time is over': [
    [404, 404],
    ['open', 403],
    ['open', 403],
  ],
  'a guest': [
    [403, 403],
    ['open', 403],
    ['open', 403],
  ],
  'a reporter': reading,
  'a developer': everything,
  'a developer who is blocked': nothing,
  'an administrator': everything,
  'a developer’s token for reading users': nothing,
  'a developer’s token for reading repositories': reading,
  'a developer’s token for writing repositories': everything,
  'a developer’s token for reading the API': nothing,
  'an application that may push for a developer': everything,
  'an application that may write repositories for a developer': everything,
  'an application that may read repositories for a developer': reading,
  'an application that may read a developer': nothing,
  'an application that a blocked developer let in': nothing,
  'a bot that may push': everything,
  'a bot with a token for reading repositories': reading,
  'a bot that is a reporter': reading,
  'a bot of another project': [
    [404, 404],
    ['open', 403],
    ['open', 403],
  ],
  'a deploy token': reading,
  'a deploy token for a registry': nothing,
  'a deploy token of another project': [
    [404, 404],
    [404, 404],
    ['open', 403],
  ],
  'a read-only deploy key': reading,
  'a writable deploy key': everything,
  'a writable deploy key of a blocked maker': reading,
  'a writable deploy key of a maker who is a reporter now': reading,
  'a writable deploy key of a maker who has left': reading,
  'a writable deploy key of another project': [
    [404, 404],
    [404, 404],
    ['open', 403],
  ],
  'a developer’s pass for large files': everything,
  'a developer’s pass for downloads': reading,
  'a developer’s pass for another project': nothing,
}

const visibilities: Visibility[] = ['private', 'internal', 'public']

let forge: Forge
let projects: TestProject[]
let developer: TestUser
let maker: TestUser
/** The client of each caller in the table, for a project. */
let cast: Record<string, (project: TestProject) => Promise<Client>>

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  maker = await forge.user()
  const [guest, reporter, former] = [await forge.user(), await forge.user(), await forge.user()]
  const blocked = await forge.user({ state: 'blocked' })
  const another = await forge.project({ owner: maker, developer })
  projects = await Promise.all(visibilities.map((visibility) => forge.project({ owner: maker, visibility, guest, reporter, developer })))
  for (const project of projects) {
    await storeLargeFile(forge.app, project.id, Readable.from([large.content]), large)
    const levels = { access_level: accessLevels.developer, expires_at: null }
    await insertMember(forge.app.db, { project_id: project.id }, { ...levels, user_id: blocked.id })
    await insertMember(forge.app.db, { project_id: project.id }, { ...levels, user_id: former.id, expires_at: '2020-01-01' })
  }
  const own = await addKey(publicKey(), developer)
  cast = {
    nobody: async () => ({ user: maker, header: null }),
    'a wrong token': async () => ({ user: maker, header: basicOf(maker.username, newToken()) }),
    'a stranger': await inPerson(await forge.user()),
    'an external stranger': await inPerson(await forge.user({ external: true })),
    'a member whose time is over': await inPerson(former),
    'a guest': await inPerson(guest),
    'a reporter': await inPerson(reporter),
    'a developer': await inPerson(developer),
    'a developer who is blocked': await withToken(blocked),
    'an administrator': await inPerson(forge.root),
    'a developer’s token for reading users': await withToken(developer, 'read_user'),
    'a developer’s token for reading repositories': await withToken(developer, 'read_repository'),
    'a developer’s token for writing repositories': await withToken(developer, 'write_repository'),
    'a developer’s token for reading the API': await withToken(developer, 'read_api'),
    'an application that may push for a developer': await throughApplication(developer, 'api'),
    'an application that may write repositories for a developer': await throughApplication(developer, 'write_repository'),
    'an application that may read repositories for a developer': await throughApplication(developer, 'read_repository'),
    'an application that may read a developer': await throughApplication(developer, 'read_user'),
    'an application that a blocked developer let in': await throughApplication(blocked, 'api'),
    'a bot that may push': (project) => asBot(project, 30, 'write_repository'),
    'a bot with a token for reading repositories': (project) => asBot(project, 40, 'read_repository'),
    'a bot that is a reporter': (project) => asBot(project, 20, 'api'),
    'a bot of another project': () => asBot(another, 40, 'api'),
    'a deploy token': (project) => byDeployToken(project, 'read_repository'),
    'a deploy token for a registry': (project) => byDeployToken(project, 'read_registry'),
    'a deploy token of another project': () => byDeployToken(another, 'read_repository'),
    'a read-only deploy key': await byDeployKey(maker, projects, false),
    'a writable deploy key': await byDeployKey(maker, projects, true),
    'a writable deploy key of a blocked maker': await byDeployKey(blocked, projects, true),
    'a writable deploy key of a maker who is a reporter now': await byDeployKey(reporter, projects, true),
    'a writable deploy key of a maker who has left': await byDeployKey(former, projects, true),
    'a writable deploy key of another project': await byDeployKey(maker, [another], true),
    'a developer’s pass for large files': (project) => byPass(own, developer, project, 'upload'),
    'a developer’s pass for downloads': (project) => byPass(own, developer, project, 'download'),
    'a developer’s pass for another project': () => byPass(own, developer, another, 'upload'),
  }
})

async function withToken(user: TestUser, ...scopes: Scope[]): Promise<() => Promise<Client>> {
  const header = basicOf(user.username, await forge.token(user, scopes.length > 0 ? { scopes } : {}))
  return async () => ({ user, header })
}

/** As git sends it, under the name that clients know. */
async function throughApplication(user: TestUser, scope: ApplicationScope): Promise<() => Promise<Client>> {
  const access_token = await oauthToken(forge, user.id, [scope], await anApplication(forge))
  return async () => ({ user, header: basicOf('oauth2', access_token) })
}

async function asBot({ id }: TestProject, access_level: number, scope: Scope): Promise<Client> {
  const { body } = await forge.as(forge.root).post(`/projects/${id}/access_tokens`, { name: 'bot', scopes: [scope], access_level })
  const bot = await findUser(forge.app.db, String(body.user_id))
  return { user: bot as User, header: basicOf('any-name', body.token) }
}

async function byDeployToken({ id }: TestProject, scope: string): Promise<Client> {
  const { body } = await forge.as(maker).post(`/projects/${id}/deploy_tokens`, { name: 'machine', scopes: [scope] })
  return { user: maker, header: basicOf(body.username, body.token) }
}

/** With username and token, and with an SSH key. */
async function inPerson(user: TestUser): Promise<() => Promise<Client>> {
  const caller = await callerBy(await addKey(publicKey(), user))
  const visit = await withToken(user)
  return async () => ({ ...(await visit()), caller })
}

/** Over SSH, and to large files with the pass it would get for uploads. */
async function byDeployKey(user: TestUser, opens: TestProject[], can_push: boolean): Promise<(project: TestProject) => Promise<Client>> {
  const id = await addKey(publicKey(), null, user)
  for (const project of opens) await enableKey(id, project, can_push)
  const caller = await callerBy(id)
  return async (project) => ({ ...(await byPass(id, user, project, 'upload')), caller })
}

/** With what `git-lfs-authenticate` hands out. */
async function byPass(key_id: number, user: TestUser, { id }: TestProject, operation: 'upload' | 'download'): Promise<Client> {
  return { user, pass: basicOf('git-lfs', await mintLfsToken(forge.app.db, { project_id: id, key_id, operation })) }
}

function canUse({ kind }: Protocol, client: Client): boolean {
  if (kind === 'ssh') return client.caller !== undefined
  return client.header !== undefined || (kind === 'large files' && client.pass !== undefined)
}

/** Lists the outcomes that differ from `lawful`. */
async function breaches(who: string, project: TestProject, lawful: (protocol: Protocol) => Outcome): Promise<unknown[]> {
  const client = await (cast[who] as (typeof cast)[string])(project)
  const used = protocols.filter((protocol) => canUse(protocol, client))
  if (used.length === 0) throw new Error(`${who} has no request to make`)
  const outcomes = await Promise.all(used.map(async (protocol) => [protocol, await protocol.request(project, client)] as const))
  return outcomes.flatMap(([protocol, outcome]) =>
    outcome === lawful(protocol) ? [] : [[who, protocol.name, protocol.purpose, outcome, lawful(protocol)]],
  )
}

test('every LFS action is among the requests', () => {
  const used = protocols.filter(({ kind }) => kind === 'large files').map(({ name }) => name)
  expect([...new Set(used)].sort()).toEqual([...actionNames].sort())
})

/** In the gate, on PostgreSQL, one caller in four: rights are found by the same queries, whatever the protocol. */
for (const [who, rights] of sampledOnPostgres(Object.entries(table), 4, ([who]) => who)) {
  test(`${who} may do the same over every protocol`, ofEveryEndpoint, async () => {
    const wrong: unknown[] = []
    for (const [index, project] of projects.entries()) {
      const [read, write] = rights[index] as Rights
      wrong.push(...(await breaches(who, project, ({ purpose }) => (purpose === 'read' ? read : write))))
    }
    expect(wrong).toEqual([])
  })
}

const clientNames = ['a developer', 'a writable deploy key', 'a bot that may push', 'an administrator']

test('an archived project is read over every protocol and written over none', ofEveryEndpoint, async () => {
  const project = await changed({ archived: true })
  const all = [...clientNames, 'a deploy token']
  const wrong = await Promise.all(all.map((who) => breaches(who, project, ({ purpose }) => (purpose === 'read' ? 'open' : 403))))
  expect(wrong.flat()).toEqual([])
})

test('where large files are disabled, LFS requests and tokens are denied, and git is allowed', ofEveryEndpoint, async () => {
  const project = await changed({ lfs_enabled: false })
  const closed = ({ name, kind }: Protocol) => (kind === 'large files' || name.startsWith('git-lfs-') ? 403 : 'open')
  const wrong = await Promise.all([...clientNames, 'a developer’s pass for large files'].map((who) => breaches(who, project, closed)))
  expect(wrong.flat()).toEqual([])
})

test('a disabled protocol is disabled for everybody; clients of the other one get their large files', ofEveryEndpoint, async () => {
  const [, , open] = projects as [TestProject, TestProject, TestProject]
  await settings({ enabled_git_access_protocol: 'ssh' })
  const overHttp = await Promise.all(
    ['nobody', 'a developer', 'an administrator'].map((who) => breaches(who, open, ({ kind }) => (kind === 'ssh' ? 'open' : 403))),
  )
  expect(overHttp.flat()).toEqual([])
  expect(await breaches('a developer’s pass for large files', open, () => 'open')).toEqual([])
  await settings({ enabled_git_access_protocol: 'http' })
  const overSsh = await Promise.all(clientNames.map((who) => breaches(who, open, ({ kind }) => (kind === 'ssh' ? 403 : 'open'))))
  await settings({ enabled_git_access_protocol: null })
  expect(overSsh.flat()).toEqual([])
})

/** A private project of its own, with the large file, that the developer and a writable deploy key could write to. */
async function changed(change: { archived?: boolean; lfs_enabled?: boolean }): Promise<TestProject> {
  const project = await forge.project({ owner: maker, developer })
  await storeLargeFile(forge.app, project.id, Readable.from([large.content]), large)
  const { caller } = await (cast['a writable deploy key'] as (typeof cast)[string])(project)
  await enableKey(caller?.key.id as number, project, true)
  await forge.app.db.updateTable('projects').set(change).where('id', '=', project.id).execute()
  return project
}

function settings(change: Partial<Settings>): Promise<void> {
  return writeSettings(forge.app.db, change)
}

test('only a push creates a missing project', ofEveryEndpoint, async () => {
  const makers: string[] = []
  for (const protocol of protocols.filter(({ purpose, name }) => purpose === 'write' && name !== 'POST locks/:id/unlock')) {
    const nowhere = {
      full_path: `${developer.username}/from-${protocol.name.replace(/\W+/g, '-')}-${protocol.kind.slice(0, 1)}`,
    } as TestProject
    const outcome = await protocol.request(nowhere, await (cast['a developer'] as (typeof cast)[string])(nowhere))
    const { status } = await forge.as(developer).get(`/projects/${encodeURIComponent(nowhere.full_path)}`)
    expect([protocol.name, outcome, status]).toEqual(outcome === 'open' ? [protocol.name, 'open', 200] : [protocol.name, 404, 404])
    if (outcome === 'open') makers.push(`${protocol.kind}: ${protocol.name}`)
  }
  expect(makers).toEqual(['git: refs of git-receive-pack', 'ssh: git-receive-pack'])
})

test('groups may be named like the protocol paths: the last part of the path counts', ofEveryEndpoint, async () => {
  const top = await forge.group({ path: 'above', owner: developer })
  const info = await forge.group({ parent: await forge.group({ parent: top }), path: 'info' })
  const project = await forge.project({ group: await forge.group({ parent: info, path: 'lfs' }), path: 'objects' })
  await storeLargeFile(forge.app, project.id, Readable.from([large.content]), large)
  expect(await breaches('a developer', project, () => 'open')).toEqual([])
})

test(
  'a pass opens its project under each spelling of its address, and no other that contains or resembles it',
  ofEveryEndpoint,
  async () => {
    const [project, other] = [await forge.project({ owner: developer }), await forge.project({ owner: developer })]
    const { pass } = await byPass(await addKey(publicKey(), developer), developer, project, 'upload')
    const { full_path, id } = project
    const statusAt = async (address: string) =>
      (await forge.anonymous.get(`//${address}/info/lfs/locks`, { headers: { authorization: pass as string } })).status
    for (const address of [full_path, `${full_path}.git`, `${full_path.toUpperCase()}.git`])
      expect([address, await statusAt(address)]).toEqual([address, 200])
    for (const [address, status] of [
      [`${other.full_path}.git`, 403],
      [`${full_path}/../${other.path}.git`, 403],
      [`${full_path}%2f..%2f${other.path}.git`, 404],
      [`${full_path}.git.git`, 404],
      [`${full_path}.git/${other.full_path}.git`, 404],
      [`${full_path}%00`, 404],
      [`${full_path}%20`, 404],
      [encodeURIComponent(full_path), 404],
      [`${developer.username}/${id}`, 404],
      [String(id), 404],
    ] as const) {
      expect([address, await statusAt(address)]).toEqual([address, status])
    }
  },
)
