/** The laws of access, for every endpoint there is and every one to come. */
import { expect, test } from 'vitest'
import { accessLevels, type Scope, scopes } from '../../src/access/levels.ts'
import { registrationToken } from '../../src/features/ci/runners/runners.ts'
import { beginSession } from '../../src/features/people/sessions/sessions.ts'
import { oauthErrors } from '../../src/http/reply/error-shapes.ts'
import type { Client } from '../support/client.ts'
import { engine } from '../support/database.ts'
import { runnerOf } from '../support/fixtures/runners.ts'
import { anApplication, oauthToken, postForm } from '../support/oauth.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { firstOfEach, isSampled, lotOf, ofEveryEndpoint, saySample } from './world/budgets.ts'
import {
  type ContractFixtures,
  call,
  contractFixtures,
  endsToken,
  expectMany,
  giveTokensBack,
  placeOf,
  type Served,
  served,
} from './world/fixtures.ts'

cpuBudget(11, 'Every endpoint is asked with tokens of every scope, and with credentials of every kind.')

/**
 * All of them; in the gate on PostgreSQL one of each access rule, for rules ask the database: on SQLite, and by `replies.test.ts`, each is
 * asked there, too.
 */
const asked =
  isSampled && engine === 'postgres'
    ? firstOfEach(served, ({ endpoint: { access, method, scopes }, path }) =>
        [access.description, method === 'GET', placeOf(path), [...scopes].sort()].join(' '),
      )
    : served
saySample('access', asked.length, served.length)

/** In the gate one of them for each endpoint, always the same. */
function oneOf<T>(all: T[], name: string): T[] {
  return isSampled ? all.slice(lotOf(name) % all.length).slice(0, 1) : all
}

test('anonymous callers get 401 or 404 from everything that is not public, and only 401 from writes', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const one of asked) {
    const { access, method, changesNothing } = one.endpoint
    if (access.own_credential) continue
    if ((method === 'GET' || changesNothing) && access.anonymous && placeOf(one.path) === null) continue
    const answer = await call(fixtures, fixtures.forge.anonymous, one)
    const lawful = method === 'GET' && access.anonymous ? [404] : method === 'GET' ? [401, 404] : [401]
    const worded = answer.status !== 401 || answer.body?.message === '401 Unauthorized'
    if (!lawful.includes(answer.status) || !worded) wrong.push([one.name, answer.status, answer.text])
  }
  expect(wrong).toEqual([])
})

test('endpoints with a credential of their own refuse callers without it', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const one of asked.filter(({ endpoint }) => endpoint.access.own_credential)) {
    const answer = await call(fixtures, fixtures.forge.anonymous, one)
    // The OAuth standard decides how its clients are refused; and revoking an unknown token is no error.
    const lawful = one.endpoint.errors === oauthErrors ? [400, 401, 404] : [403, 404]
    const isRevocation = one.name === 'POST /oauth/revoke' && answer.status === 200
    if (!lawful.includes(answer.status) && !isRevocation) wrong.push([one.name, answer.status, answer.text])
  }
  expect(wrong).toEqual([])
})

test('a stranger finds nothing below a private project or a private group, by its number or by its path', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const below = asked.filter(({ path }) => placeOf(path) !== null)
  const wrong: unknown[] = []
  for (const one of below) {
    const { id, full_path } = placeOf(one.path) === 'groups' ? fixtures.group : fixtures.project
    for (const address of oneOf([String(id), full_path, full_path.toUpperCase()], one.name)) {
      const answer = await call(fixtures, fixtures.forge.as(fixtures.stranger), one, address)
      if (answer.status !== 404 || !/^404 /.test(answer.body?.message)) wrong.push([one.name, address, answer.status, answer.text])
    }
  }
  expectMany(below.length, 10)
  expect(wrong).toEqual([])
})

test('a stranger gets the same answer for a private project as for one that does not exist', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const one of asked.filter(({ path }) => placeOf(path) !== null)) {
    const hidden = await call(fixtures, fixtures.forge.as(fixtures.stranger), one)
    const absent = await call(fixtures, fixtures.forge.as(fixtures.stranger), one, '999999')
    if (hidden.status !== absent.status || hidden.text !== absent.text) wrong.push([one.name, hidden.text, absent.text])
  }
  expect(wrong).toEqual([])
})

test('a token is refused wherever its scopes do not reach, and says which would', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { forge, insider } = fixtures
  const wrong: unknown[] = []
  const tokens: Array<[Scope, string]> = []
  for (const scope of scopes.filter((scope) => scope !== 'api')) tokens.push([scope, await forge.token(insider, { scopes: [scope] })])
  for (const one of asked) {
    const accepted = one.endpoint.scopes
    const reaches = ([scope]: [Scope, string]) => accepted.includes(scope)
    const tried = [tokens.filter(reaches), tokens.filter((token) => !reaches(token))]
    for (const [scope, token] of tried.flatMap((some) => oneOf(some, one.name))) {
      const answer = await call(fixtures, forge.as(insider, { token }), one)
      if (endsToken(one)) await giveTokensBack(forge)
      const refused = answer.status === 403 && answer.body?.error === 'insufficient_scope'
      if (refused === accepted.includes(scope)) wrong.push([one.name, scope, answer.status, answer.text])
      if (refused && answer.body.scope !== ['api', ...accepted].join(' ')) wrong.push([one.name, answer.text])
    }
  }
  expect(wrong).toEqual([])
})

test('the scope read_user reaches only what is told of users', () => {
  const reached = served.filter(({ endpoint }) => endpoint.scopes.includes('read_user')).map(({ name }) => name)
  const told =
    /^(GET \/(api\/v3\/user|user|users|version|metadata|events|personal_access_tokens\/self|oauth\/token\/info)\b|DELETE \/personal_access_tokens\/self$)/
  expect(reached.filter((name) => !told.test(name))).toEqual([])
})

test('the scope read_api reads everything, and writes nothing', () => {
  const reached = served.filter(({ endpoint }) => endpoint.scopes.includes('read_api'))
  // Any token may end itself.
  expect(reached.filter((one) => one.endpoint.method !== 'GET' && !endsToken(one))).toEqual([])
  expect(served.filter(({ endpoint }) => endpoint.method === 'GET' && !endpoint.scopes.includes('read_api'))).toEqual([])
})

test('a blocked user is denied by every endpoint, whatever their rights were', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const blocked = await fixtures.forge.user({ state: 'blocked', admin: true })
  const wrong: unknown[] = []
  for (const one of asked) {
    const answer = await call(fixtures, fixtures.forge.as(blocked), one)
    if (answer.status !== 403 || !/blocked/.test(answer.body?.message ?? answer.body?.error_description))
      wrong.push([one.name, answer.status, answer.text])
  }
  expect(wrong).toEqual([])
})

/**
 * For whoever sees the project: stars, subscriptions and notification settings are the user's own, guests open issues and discuss them, and an upload may go with
 * what they write there. Who may not move or clone an issue gets 400.
 */
const guests = [
  'POST /projects/:id/star',
  'POST /projects/:id/unstar',
  'PUT /projects/:id/notification_settings',
  'POST /projects/:id/uploads',
  'POST /projects/:id/issues/:issue_iid/subscribe',
  'POST /projects/:id/issues/:issue_iid/todo',
  'POST /projects/:id/issues/:issue_iid/unsubscribe',
  'POST /projects/:id/labels/:label_id/subscribe',
  'POST /projects/:id/labels/:label_id/unsubscribe',
  'POST /projects/:id/issues',
  'POST /projects/:id/issues/:issue_iid/clone',
  'POST /projects/:id/issues/:issue_iid/move',
  'POST /projects/:id/issues/:issue_iid/award_emoji',
  'POST /projects/:id/issues/:issue_iid/discussions',
  'POST /projects/:id/issues/:issue_iid/discussions/:discussion_id/notes',
  'POST /projects/:id/issues/:issue_iid/notes',
  'POST /projects/:id/issues/:issue_iid/notes/:note_id/award_emoji',
  'POST /projects/:id/snippets/:snippet_id/award_emoji',
  'POST /projects/:id/snippets/:snippet_id/discussions',
  'POST /projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes',
  'POST /projects/:id/snippets/:snippet_id/notes',
  'POST /projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji',
]

test('a guest of a private project changes nothing there and reads no code', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const guest = await fixtures.forge.user()
  await fixtures.forge.app.db
    .insertInto('members')
    .values({
      project_id: fixtures.project.id,
      namespace_id: null,
      user_id: guest.id,
      access_level: accessLevels.guest,
      expires_at: null,
      created_at: new Date().toISOString(),
    })
    .execute()
  const wrong: unknown[] = []
  for (const one of asked) {
    if (placeOf(one.path) !== 'projects') continue
    if (one.endpoint.access.own_credential) continue
    const code = one.path.includes('/repository/')
    if ((one.endpoint.method === 'GET' && !code) || guests.includes(one.name)) continue
    const answer = await call(fixtures, fixtures.forge.as(guest), one)
    // Users who can't read the code see no merge request, so they get 404; and clients know a refused merge by 401.
    const isHidden = answer.status === 404 && answer.body?.message === '404 Merge Request Not Found'
    const isRefusedMerge = answer.status === 401 && one.path.endsWith('/:merge_request_iid/merge')
    if (answer.status !== 403 && !isHidden && !isRefusedMerge) wrong.push([one.name, answer.status, answer.text])
  }
  expect(wrong).toEqual([])
})

test('a token that is wrong or expired is refused by every endpoint, the public ones too', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { forge, insider } = fixtures
  const expired = await forge.token(insider, { expires_on: '2020-01-01' })
  const wrong: unknown[] = []
  for (const one of asked) {
    for (const token of ['gst-unknown', expired]) {
      const answer = await call(fixtures, forge.as(insider, { token }), one)
      if (answer.status !== 401) wrong.push([one.name, answer.status, answer.text])
    }
  }
  expect(wrong).toEqual([])
})

/** In the gate: how a caller is known doesn't depend on the endpoint. */
function oneOfEachRule(all: readonly Served[]): readonly Served[] {
  if (!isSampled) return all
  return firstOfEach(all, ({ endpoint, path }) => [endpoint.access.description, placeOf(path), [...endpoint.scopes].sort()].join(' '))
}

/** About the token itself. */
const ofToken = 'GET /personal_access_tokens/self'

/** A client of each kind of credential that acts for the insider as their access token does. */
async function actingFor({ forge, insider }: ContractFixtures): Promise<Array<[kind: string, client: Client]>> {
  const { body: impersonation } = await forge
    .as(forge.root)
    .post(`/users/${insider.id}/impersonation_tokens`, { name: 'As them', scopes: ['api'] })
  const oauth = await oauthToken(forge, insider.id, ['api'], await anApplication(forge))
  const session = await beginSession(forge.app, insider)
  const bearing = (token: string) => forge.as(insider, { headers: { authorization: `Bearer ${token}`, 'private-token': '' } })
  return [
    ['access token as bearer', bearing(insider.token)],
    ['impersonation token', forge.as(insider, { token: impersonation.token })],
    ['OAuth token', bearing(oauth)],
    ['session', forge.as(insider, { headers: { cookie: `_service_session=${session}`, 'private-token': '' } })],
    ['sudo', forge.as(forge.root, { headers: { sudo: insider.username } })],
  ]
}

test('every kind of credential reads what the access token of its user reads, and no more', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { forge, insider } = fixtures
  const kinds = await actingFor(fixtures)
  const reads = asked.filter(({ name, endpoint: { method, access } }) => method === 'GET' && !access.own_credential && name !== ofToken)
  const wrong: unknown[] = []
  for (const one of oneOfEachRule(reads)) {
    const own = await call(fixtures, forge.as(insider), one)
    for (const [kind, client] of oneOf(kinds, one.name)) {
      const answer = await call(fixtures, client, one)
      if (answer.status !== own.status) wrong.push([one.name, kind, answer.status, own.status, answer.text.slice(0, 200)])
    }
  }
  expect(wrong).toEqual([])
})

/** Secrets that are no token of the API, sent as if they were one. */
async function noTokens({ forge, insider }: ContractFixtures): Promise<Array<[kind: string, secret: string]>> {
  // Earlier tests have changed that of the fixtures.
  const project = await forge.project({ owner: insider })
  const application = await anApplication(forge)
  const { client_id, client_secret } = application
  const { body: own } = await postForm(forge, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret, scope: 'api' })
  const deploy = { name: 'machine', scopes: ['read_repository'] }
  const { body: deployToken } = await forge.as(insider).post(`/projects/${project.id}/deploy_tokens`, deploy)
  const secrets: Array<[string, unknown]> = [
    ['deploy token', deployToken.token],
    ['feed token', insider.feed_token],
    ['runner', (await runnerOf(forge, project)).token],
    ['registration of runners', await registrationToken(forge.app, { kind: 'instance' })],
    ['application alone', own.access_token],
    ['secret of an application', client_secret],
    ['cookie of a session', await beginSession(forge.app, insider)],
  ]
  return secrets.map(([kind, secret]) => {
    if (typeof secret !== 'string' || secret.length < 16) throw new Error(`no secret of a ${kind}`)
    return [kind, secret]
  })
}

test('no other secret is a token: those of machines, applications and sessions are refused everywhere', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { forge, insider } = fixtures
  const kinds = await noTokens(fixtures)
  const wrong: unknown[] = []
  for (const one of asked.filter(({ endpoint }) => !endpoint.access.own_credential)) {
    for (const [kind, token] of oneOf(kinds, one.name)) {
      const answer = await call(fixtures, forge.as(insider, { token }), one)
      if (answer.status !== 401) wrong.push([one.name, kind, answer.status, answer.text])
    }
  }
  expect(wrong).toEqual([])
})

test('a session changes nothing without the token that only our pages send', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { forge, insider } = fixtures
  const cookie = `_service_session=${await beginSession(forge.app, insider)}`
  const client = forge.as(insider, { headers: { cookie, 'private-token': '' } })
  const wrong: unknown[] = []
  const writes = asked.filter(({ endpoint: { method, access, changesNothing } }) => {
    return method !== 'GET' && !access.own_credential && !(changesNothing && access.anonymous)
  })
  for (const one of oneOfEachRule(writes)) {
    const answer = await call(fixtures, client, one)
    if (answer.status !== 401) wrong.push([one.name, answer.status, answer.text])
  }
  expect(wrong).toEqual([])
})
