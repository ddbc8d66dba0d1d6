/** A credential gives no access that its creator has lost, which is checked on every use. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobOf } from '../../../test/support/fixtures/jobs.ts'
import { basicOf, lfsClient } from '../../../test/support/fixtures/lfs.ts'
import { runnerOf, tokenOf } from '../../../test/support/fixtures/runners.ts'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { anApplication, oauthToken } from '../../../test/support/oauth.ts'
import { onPostgresAlone } from '../../../test/support/run/tiers.ts'
import { addKey, callerBy, enableKey } from '../../../test/support/ssh.ts'
import { digestOfSession } from '../../access/sessions.ts'
import type { UserState } from '../../db/tables.ts'
import { instanceIdOf } from '../../features/ci/project-flags/project-flags.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { beginSession, startImpersonation } from '../../features/people/sessions/sessions.ts'
import { admit } from '../../transport/access/access.ts'
import { authenticateLfs } from '../../transport/lfs/authenticate.ts'

let forge: Forge
/** Made all the credentials: a maintainer of the project, without a role elsewhere. */
let maker: TestUser
let admin: TestUser
let project: TestProject
const password = 'a long password'

beforeAll(async () => {
  forge = await testForge()
  maker = await forge.user({ password })
  admin = await forge.user({ admin: true })
  project = await forge.project({ maintainer: maker, files: { '.gitlab-ci.yml': 'test:\n  script: make\n' } })
})
afterAll(() => forge.app.db.deleteFrom('settings').execute())

const members = () => ({ access_level: 40, expires_at: null })
const setMaker = (change: Record<string, unknown>) => forge.app.db.updateTable('users').set(change).where('id', '=', maker.id).execute()
const setAdmin = (change: Record<string, unknown>) => forge.app.db.updateTable('users').set(change).where('id', '=', admin.id).execute()
const setMembership = (change: Record<string, unknown>) =>
  forge.app.db.updateTable('members').set(change).where('user_id', '=', maker.id).where('project_id', '=', project.id).execute()
const setProject = (change: Record<string, unknown>) =>
  forge.app.db.updateTable('projects').set(change).where('id', '=', project.id).execute()
const state = (lost: UserState) => ({ lose: () => setMaker({ state: lost }), restore: () => setMaker({ state: 'active' }) })

/** In the order of the columns. */
const losses: Record<string, { lose: () => Promise<unknown>; restore: () => Promise<unknown> }> = {
  none: { lose: async () => {}, restore: async () => {} },
  blocked: state('blocked'),
  banned: state('banned'),
  inactive: state('deactivated'),
  guest: { lose: () => setMembership({ access_level: 10 }), restore: () => setMembership(members()) },
  expired: { lose: () => setMembership({ expires_at: '2020-01-01' }), restore: () => setMembership(members()) },
  terms: {
    lose: () => writeSettings(forge.app.db, { enforce_terms: true, terms: 'Be kind' }),
    restore: () => writeSettings(forge.app.db, { enforce_terms: false }),
  },
  password: {
    lose: () => setMaker({ password_expires_at: '2020-01-01T00:00:00.000Z' }),
    restore: () => setMaker({ password_expires_at: null }),
  },
  factor: {
    lose: () => writeSettings(forge.app.db, { require_two_factor_authentication: true, two_factor_grace_period: 0 }),
    restore: () => writeSettings(forge.app.db, { require_two_factor_authentication: false }),
  },
  archived: { lose: () => setProject({ archived: true }), restore: () => setProject({ archived: false }) },
  noadmin: { lose: () => setAdmin({ admin: false }), restore: () => setAdmin({ admin: true }) },
}

/** Whether the credential opens what it is for. */
type Probe = () => Promise<boolean>

/** One probe for each kind of credential: a request that succeeds as long as it is valid. */
async function credentials(): Promise<Record<string, Probe>> {
  const { app, anonymous } = forge
  const api = `/projects/${project.id}`
  const git = (service: string) => `//${project.full_path}.git/info/refs?service=git-${service}-pack`
  const opens = async (path: string, headers: Record<string, string> = {}) => (await anonymous.get(path, { headers })).status === 200
  const admits = async (key: number, purpose: 'read' | 'write') => {
    try {
      return (await admit(app, (await callerBy(key)).principal, project.full_path, purpose, 'ssh')).project?.id === project.id
    } catch {
      return false
    }
  }
  const minted = async (by: TestUser, path: string, body: Record<string, unknown>) => {
    const { status, body: made, text } = await forge.as(by).post(path, body)
    if (status !== 201) throw new Error(text)
    return made
  }
  const cookieOf = (secret: string) => ({ cookie: `_service_session=${secret}` })

  const token = await forge.token(maker)
  const impersonation = await minted(admin, `/users/${maker.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] })
  const session = await beginSession(app, maker)
  const acting = await startImpersonation(app, admin, maker, digestOfSession(await beginSession(app, admin)))
  const granted = await oauthToken(forge, maker.id, ['api'], await anApplication(forge))
  const job = await jobOf(forge, project, maker)
  const [key, deployKey] = [await addKey(publicKey(), maker), await addKey(publicKey(), null, maker)]
  await enableKey(deployKey, project, true)
  const large = await authenticateLfs(app, await callerBy(key), project.full_path, 'upload')
  const trigger = await minted(maker, `${api}/triggers`, { description: 'x' })
  const deploy = await minted(maker, `${api}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] })
  const bot = await minted(maker, `${api}/access_tokens`, { name: 'x', scopes: ['api'], access_level: 40 })
  const service = await minted(maker, `${api}/service_accounts`, {})
  const serving = await minted(maker, `${api}/service_accounts/${service.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })
  await minted(maker, `${api}/members`, { user_id: service.id, access_level: 40 })
  const runner = await runnerOf(forge, project)
  const registration = tokenOf(forge, project)
  const flags = await instanceIdOf(app, project.id)
  expect((await forge.as(maker).put(`${api}/services/slack-slash-commands`, { token: 'chat-token' })).status).toBe(200)
  const { id: integration_id } = await app.db
    .selectFrom('integrations')
    .select('id')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  const chat = { team_id: 'T', team_domain: 'team' }
  const connected = { integration_id, user_id: maker.id, ...chat, chat_id: 'U', chat_name: 'maker', created_at: '2026-01-01T00:00:00.000Z' }
  await app.db.insertInto('chat_names').values(connected).execute()
  const typed = { token: 'chat-token', ...chat, user_id: 'U', user_name: 'maker', command: '/forge', text: 'help' }
  const private_token = (secret: string) => ({ 'private-token': secret })

  return {
    'access token': () => opens(api, private_token(token)),
    'access token, push': () => opens(git('receive'), { authorization: basicOf('x', token) }),
    'impersonation token': () => opens(api, private_token(impersonation.token)),
    sudo: () => opens(api, { ...private_token(admin.token), sudo: maker.username }),
    session: () => opens(api, cookieOf(session)),
    'impersonation session': () => opens(api, cookieOf(acting)),
    'password, fetch': () => opens(git('upload'), { authorization: basicOf(maker.username, password) }),
    'OAuth token': () => opens(api, { authorization: `Bearer ${granted}` }),
    'job token': () => opens(`${api}/packages`, { 'job-token': job.token }),
    'job token, fetch': () => opens(git('upload'), { authorization: basicOf('gitlab-ci-token', job.token) }),
    'SSH key, fetch': () => admits(key, 'read'),
    'SSH key, push': () => admits(key, 'write'),
    'LFS token': async () =>
      (await lfsClient(forge, project, large.header.Authorization as string).batch('upload', { oid: '0'.repeat(64), size: 0 })).status ===
      200,
    'feed token': () => opens(`//${project.full_path}/commits/main.atom?feed_token=${maker.feed_token}`),
    'slash command': async () =>
      (await anonymous.post(`${api}/services/slack_slash_commands/trigger`, typed)).body.text.startsWith('Available commands'),
    trigger: async () => (await anonymous.post(`${api}/trigger/pipeline`, { token: trigger.token, ref: 'main' })).status === 201,
    'deploy key, push': () => admits(deployKey, 'write'),
    'deploy key, fetch': () => admits(deployKey, 'read'),
    'deploy token, fetch': () => opens(git('upload'), { authorization: basicOf(deploy.username, deploy.token) }),
    'project token': () => opens(api, private_token(bot.token)),
    'service account': () => opens(api, private_token(serving.token)),
    runner: async () => (await anonymous.post('/runners/verify', { token: runner.token })).status === 200,
    'registration token': async () => (await anonymous.post('/runners', { token: registration })).status === 201,
    'flags of Unleash': () => opens(`/feature_flags/unleash/${project.id}/client/features?instance_id=${flags}`),
  }
}

/**
 * The credentials down to the pushes of a deploy key are of a user, and end with what they may do. Those below belong to the project: otherwise
 * builds would stop when somebody leaves. A deploy key is of a machine, which accepts no terms. Second factors are asked of sessions.
 */
const table = `
                      none blocked banned inactive guest expired terms password factor archived noadmin
access token          yes  -       -      -        yes   -       -     yes      yes    yes      yes
access token, push    yes  -       -      -        -     -       -     yes      yes    -        yes
impersonation token   yes  -       -      -        yes   -       -     yes      yes    yes      -
sudo                  yes  -       -      -        yes   -       -     yes      yes    yes      -
session               yes  -       -      -        yes   -       -     -        -      yes      yes
impersonation session yes  -       -      -        yes   -       yes   yes      yes    yes      -
password, fetch       yes  -       -      -        -     -       -     -        yes    yes      yes
OAuth token           yes  -       -      -        yes   -       -     yes      yes    yes      yes
job token             yes  -       -      -        -     -       -     yes      yes    yes      yes
job token, fetch      yes  -       -      -        -     -       -     yes      yes    yes      yes
SSH key, fetch        yes  -       -      -        -     -       -     yes      yes    yes      yes
SSH key, push         yes  -       -      -        -     -       -     yes      yes    -        yes
LFS token             yes  -       -      -        -     -       -     yes      yes    -        yes
feed token            yes  -       -      -        -     -       -     -        yes    yes      yes
slash command         yes  -       -      -        yes   -       -     yes      yes    yes      yes
trigger               yes  -       -      -        -     -       -     yes      yes    -        yes
deploy key, push      yes  -       -      -        -     -       yes   yes      yes    -        yes
deploy key, fetch     yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
deploy token, fetch   yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
project token         yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
service account       yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
runner                yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
registration token    yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
flags of Unleash      yes  yes     yes    yes      yes   yes     yes   yes      yes    yes      yes
`

test(
  'what a credential opens is what its maker may do now; those of a project are its own',
  onPostgresAlone('1.3 s of processor.'),
  async () => {
    const probes = await credentials()
    const names = Object.keys(losses)
    const width = Math.max(...Object.keys(probes).map((name) => name.length))
    const opened = Object.fromEntries(Object.keys(probes).map((name) => [name, [] as string[]]))
    for (const name of names) {
      await losses[name]?.lose()
      for (const [kind, probe] of Object.entries(probes)) opened[kind]?.push(((await probe()) ? 'yes' : '-').padEnd(name.length))
      await losses[name]?.restore()
    }
    const lines = Object.entries(opened).map(([kind, cells]) => [kind.padEnd(width), ...cells].join(' ').trimEnd())
    expect([[' '.repeat(width), ...names].join(' ').trimEnd(), ...lines].join('\n')).toBe(table.replace(/^\n|\n$/g, ''))
  },
)
