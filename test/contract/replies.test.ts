/** Every reply is what its endpoint declares: before it is serialised, so that nothing is quietly bent into shape, and after. */
import { Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import { Outcome } from '../../src/http/declare/outcome.ts'
import type { Answer, Client } from '../support/client.ts'
import { engine } from '../support/database.ts'
import type { TestUser } from '../support/forge.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { isGate } from '../support/run/tiers.ts'
import { kindsOf, untoldIn } from './reference-fields.ts'
import { ofEveryEndpoint } from './world/budgets.ts'
import {
  addressOf,
  type ContractFixtures,
  call,
  contractFixtures,
  contractWorld,
  everyServed,
  queryOf,
  type Served,
  served,
} from './world/fixtures.ts'
import { preparedWrites, unprepared } from './world/writes.ts'

cpuBudget(28, 'Every endpoint is called on either engine.')

/** Endpoints with a credential of their own have tests of their own. */
const reading = served.filter(({ endpoint }) => endpoint.method === 'GET' && !endpoint.access.own_credential)

let fixtures: ContractFixtures
let handed: unknown
/** Whose handlers have answered a request. */
const reached = new Set<Served['endpoint']>()

beforeAll(async () => {
  // Before there is a server: what a handler gave, untouched.
  reached.clear()
  for (const { endpoint } of served) endpoint.handle = noted(endpoint)
  fixtures = await contractFixtures()
})

function noted(endpoint: Served['endpoint']): Served['endpoint']['handle'] {
  const { kind, handle } = endpoint
  return async (context) => {
    reached.add(endpoint)
    const given = await handle(context)
    handed = kind === 'list' ? (given as { rows: unknown[] }).rows : given instanceof Outcome ? given.reply : given
    return given
  }
}

test('every GET endpoint finds something in the fixtures, as its declared schema says', ofEveryEndpoint, async () => {
  const wrong: unknown[] = []
  for (const one of reading) {
    for (const user of readersOf(one)) {
      const fieldError = await fieldErrorOf(one, user, fixtures.project.id)
      if (fieldError) wrong.push([one.name, user.username, fieldError])
      wrong.push(...untoldOf(one).map((field) => [one.name, user.username, 'is not told to be missing', field]))
    }
  }
  expect(wrong, 'a 400 or 404 wants a line in `values` or `lists` of test/contract/world/fixtures.ts').toEqual([])
})

/** In the gate each reply is asked for once on PostgreSQL: by a member, who is found by the larger queries. */
function readersOf({ path, endpoint }: Served): TestUser[] {
  const { root } = fixtures.forge
  // Drafts are for their author alone.
  if (path.includes('/draft_notes')) return [fixtures.insider]
  if (isGate && engine === 'postgres') return [isForAdministrators(endpoint) ? root : fixtures.insider]
  return [root, fixtures.insider]
}

const isForAdministrators = (endpoint: Served['endpoint']) => /Administrators/.test(endpoint.access.description)

test('what anonymous callers read of a public project keeps the same word', ofEveryEndpoint, async () => {
  const open = (await contractWorld()).fixtures.public
  const wrong: unknown[] = []
  for (const one of reading.filter(({ endpoint, path }) => endpoint.access.anonymous && path.startsWith('/projects'))) {
    const fieldError = await fieldErrorOf(one, null, open.project.id, open)
    if (fieldError) wrong.push([one.name, fieldError])
  }
  expect(wrong).toEqual([])
})

/** Deletions come last, and the deletion of the project or group itself after all others. */
const order = ['POST', 'PUT', 'PATCH', 'DELETE']
const writing = served
  .filter(({ endpoint }) => endpoint.method !== 'GET')
  .sort((a, b) => order.indexOf(a.endpoint.method) - order.indexOf(b.endpoint.method) || b.path.length - a.path.length)

test('every write is answered with its declared status, and as its declared schema says', ofEveryEndpoint, async () => {
  const { forge } = fixtures
  const own = (await contractWorld()).fixtures.public
  await forge.app.db.updateTable('namespaces').set({ request_access_enabled: true }).where('id', '=', own.group.id).execute()
  await forge.app.db.updateTable('projects').set({ request_access_enabled: true }).where('id', '=', own.project.id).execute()
  const prepared = preparedWrites(own)
  const wrong: unknown[] = []
  for (const one of writing) {
    const { as = forge.root, token, body, values, after } = (await prepared[one.name]?.()) ?? {}
    const place = { ...own, values: { ...own.values, ...values } }
    // A new one each time: some of them are revoked.
    const client = forge.as(as, { token: token ?? (await forge.token(as)) })
    handed = undefined
    const answer = await (body
      ? client.request(one.endpoint.method, addressOf(place, one.path) + queryOf(place, one.endpoint), body)
      : call(place, client, one))
    const isAnswered = answer.status === one.endpoint.status
    if (isAnswered === one.name in unprepared) wrong.push([one.name, answer.status, answer.text])
    else if (isAnswered)
      wrong.push(...schemaErrorsOf(one, answer.status === 204 ? null : answer.body).map((fieldError) => [one.name, fieldError]))
    if (isAnswered) wrong.push(...untoldOf(one).map((field) => [one.name, 'is not told to be missing', field]))
    await after?.()
  }
  const gone = Object.keys(prepared).filter((name) => !everyServed.some((one) => one.name === name))
  expect(gone, 'no such endpoint: take it out of test/contract/world').toEqual([])
  expect(wrong, 'prepare a write that fails in test/contract/world (`writes.ts`)').toEqual([])
})

/** Endpoints that none of these tests has got an answer from; with a credential of their own they are asked by `access.test.ts`. */
const unasked = (all: Served[]): string[] =>
  all
    .filter(({ endpoint }) => !reached.has(endpoint) && !(endpoint.method === 'GET' && endpoint.access.own_credential))
    .map(({ name }) => name)
    .filter((name) => !(name in unprepared))

test('every endpoint is asked for here; one that nobody asks for is told', ({ skip }) => {
  if (reached.size === 0) skip('run alone, it knows of no request')
  expect(unasked(served)).toEqual([])
  const [one] = reading as [Served]
  expect(unasked([...served, { ...one, endpoint: { ...one.endpoint }, name: 'GET /new' }])).toEqual(['GET /new'])
})

/** Fields of the reference that the last reply lacks. A search has one kind of many. */
function untoldOf({ name }: Served): string[] {
  const kinds = kindsOf(name)
  return kinds.length === 1 && handed !== undefined ? untoldIn(kinds[0] as string, handed) : []
}

/** Describes the fault of a reply; null if it is as declared. */
async function fieldErrorOf({ endpoint, path, name }: Served, user: TestUser | null, projectId: number, at = fixtures): Promise<unknown> {
  const client = user ? at.forge.as(user) : at.forge.anonymous
  handed = undefined
  const id = path.startsWith('/projects/:') ? String(projectId) : undefined
  const url = addressOf(at, path, id) + queryOf(at, endpoint)
  const answer = await client.get(url)
  // Some things are for administrators alone; anybody may learn that.
  if (answer.status === 403 && user && !user.admin && isForAdministrators(endpoint)) return null
  // Personal resources exist for their owner only.
  if (answer.status === 404 && user?.admin && path.startsWith('/user/')) return null
  if (answer.status !== endpoint.status) return [answer.status, answer.text]
  if (endpoint.kind === 'stream' || !endpoint.reply) return answer.bytes.length > 0 ? null : 'no bytes'
  const stale = isTagged(endpoint) ? await staleErrorOf(name, client, answer, url) : null
  if (stale) return stale
  const isEmpty = endpoint.kind === 'list' && answer.body.length === 0
  // There are no merge requests yet.
  if (isEmpty && user?.admin && !/(?:merge_requests|closed_by|merge_requests\/[^/]+\/pipelines)$/.test(path))
    return 'an empty list proves nothing'
  return schemaErrorsOf({ endpoint }, answer.body)[0] ?? null
}

/** In the gate, PostgreSQL isn't asked again: it has no say in tags. */
function isTagged({ status, fromDatabase, fromRepository }: Served['endpoint']): boolean {
  return status === 200 && (!(isGate && engine === 'postgres') || fromDatabase || fromRepository)
}

/** These tell the time, how long a job has been running or waiting, or counts of the queue: they may differ each time. */
const mayDiffer = /\/(?:jobs|bridges|upcoming_jobs|current_job)(?:\/:job_id)?$|\/repository\/health$|^GET \/sidekiq\//

/** Sends the entity tag of a reply again, which must give 304 and no body. Null if it does. */
async function staleErrorOf(name: string, client: Client, { headers }: Answer, url: string): Promise<unknown> {
  const { etag } = headers
  if (!/^W\/"[0-9a-f]{40}"$/.test(etag ?? '')) return ['no entity tag', headers]
  const again = await client.get(url, { headers: { 'if-none-match': etag as string } })
  if (again.status === 200 && again.headers.etag !== etag && mayDiffer.test(name)) return null
  const isBare = again.status === 304 && again.bytes.length === 0 && again.headers.etag === etag && !again.headers['content-type']
  return isBare && again.headers.link === headers.link ? null : [again.status, again.headers]
}

/** To compile one takes longer than a request. */
const compiled = new Map<Served['endpoint'], Validator>()

/** Compares two values with the schema: the one that the handler returned, and the one that the client received. */
function schemaErrorsOf({ endpoint }: Pick<Served, 'endpoint'>, body: unknown): unknown[] {
  if (endpoint.kind === 'stream' || !endpoint.reply) return []
  const schema = compiled.get(endpoint) ?? Compile(endpoint.kind === 'list' ? Type.Array(endpoint.reply) : endpoint.reply)
  compiled.set(endpoint, schema)
  // An answer without a body is never given to be serialized.
  return Object.entries({ handed: handed ?? null, served: body })
    .filter(([, value]) => !schema.Check(value))
    .map(([stage, value]) => [stage, schema.Errors(value).slice(0, 5)])
}
