/**
 * Proves deny by default: which callers each endpoint serves, against one table that a reader can check by eye. Each test file beside this
 * one takes some chapters of the table, so that workers share them.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type ApplicationScope, applicationScopes, type Scope, scopes } from '../../../src/access/levels.ts'
import type { Visibility } from '../../../src/db/tables.ts'
import { registrationToken } from '../../../src/features/ci/runners/runners.ts'
import { oauthErrors } from '../../../src/http/reply/error-shapes.ts'
import type { Answer, Client } from '../../support/client.ts'
import { engine } from '../../support/database.ts'
import { runnerOf } from '../../support/fixtures/runners.ts'
import { anApplication, oauthToken, type TestApplication } from '../../support/oauth.ts'
import { firstOfEach, isSampled, lotOf, saySample } from '../world/budgets.ts'
import { call, endsToken, everyServed, giveTokensBack, placeOf, type Served, served } from '../world/fixtures.ts'
import { visibilities } from '../world/world.ts'
import { clearStage, placeWith, type Rank, ranks, stage } from './places.ts'

type Outcome = 'served' | '401' | '403' | '404'

/** The lines of the table: `GET /projects/:id guest user anybody`; three words by visibility, or one if there is no place. */
interface Line {
  name: string
  expected: string
  chapter: string
}

export const table: Line[] = []
let chapter = ''
for (const line of readFileSync(new URL('../access-table.txt', import.meta.url), 'utf8').split('\n')) {
  chapter = /^# (\w[\w ]*?)( {2,}|$)/.exec(line)?.[1] ?? chapter
  const name = /^[A-Z]+ \/\S*/.exec(line)?.[0]
  if (name) table.push({ name, expected: line.slice(name.length).trim().split(/ {2,}/).join('  '), chapter })
}

/** The chapters of each test file. */
export const parts = {
  people: ['People', 'The instance'],
  groups: ['Groups'],
  projects: ['Projects'],
  repositories: ['Repositories'],
} as const

/** The answer to the call for the place with this visibility. The client is created after the place, which may be on another stage then. */
async function ask(visibility: Visibility, clientOf: () => Promise<Client>, one: Served): Promise<Answer> {
  const place = await placeWith(visibility)
  // For a protected tag, and its releases, the protection decides.
  const asked = /\/repository\/tags|\/releases$/.test(one.path) ? { ...place, values: { ...place.values, tag_name: 'unprotected' } } : place
  const answer = await call(asked, await clientOf(), one)
  // A place is reused until something may have changed it. Refused calls change nothing (`hostile.test.ts`), and checking would be slower.
  place.touched ||= one.endpoint.method !== 'GET' && answer.status < 400
  return answer
}

/** For merging, clients expect 401 as the refusal, signed in or not; and 404 for a merge request whose code is hidden. */
const ofMerging = /\/merge_requests\/:merge_request_iid\/(?:merge|rebase|cancel_merge_when_pipeline_succeeds)$/

function isRefusedMerge({ name }: Served, { status, body }: Answer, rank: Rank): boolean {
  if (!ofMerging.test(name) || rank === 'anybody') return false
  return status === 401 || (status === 404 && body?.message === '404 Merge Request Not Found')
}

/** Reads the decision about access from a reply. Errors of the request itself come after the access check, so access was granted then. */
function outcomeOf({ path, endpoint }: Served, { status, body }: Answer): Outcome {
  if (status === 401) return '401'
  // After the one before: of a job, or of an account.
  if (status === 403) return /Job is not \w+able|^You cannot \w+ \w+ users\./.test(body?.message) ? 'served' : '403'
  // A wrong credential of a machine finds nothing, for every caller.
  if (status === 404 && endpoint.access.own_credential && placeOf(path) !== null) return '404'
  // Users who can't read the code see no merge request, so this is a refusal.
  if (status === 404 && body?.message === '404 Merge Request Not Found') return '403'
  const resource = placeOf(path) === 'groups' ? 'Group' : 'Project'
  return status === 404 && placeOf(path) !== null && body?.message === `404 ${resource} Not Found` ? '404' : 'served'
}

/** The refusal that the law requires for a caller below the lowest level that is served. */
function refusalOf({ endpoint, path }: Served, visibility: Visibility, rank: Rank): Outcome {
  // A client without its secret, and a caller without a token of an application.
  if (endpoint.errors === oauthErrors) return '401'
  const hidden = placeOf(path) !== null && (visibility === 'private' || (visibility === 'internal' && rank === 'anybody'))
  if (endpoint.access.own_credential && placeOf(path) !== null) return '404'
  if (rank === 'anybody') {
    const asked = endpoint.access.own_credential || (endpoint.method === 'GET' && endpoint.access.anonymous)
    return !asked ? '401' : hidden ? '404' : '403'
  }
  return rank === 'user' && hidden ? '404' : '403'
}

/** The callers that each word of the table stands for. */
const servedBy = new Map<string, readonly Rank[]>([
  ['nobody', []],
  ['runner', []],
  ['registrar', []],
  ['newcomer', ['user']],
  ...ranks.map((rank, index) => [rank, ranks.slice(index)] as const),
])

/** The callers that the gate tests: the lowest level that is served, and the one below. */
function boundaryOf(word: string): readonly Rank[] {
  if (servedBy.get(word)?.length === 0) return ranks.slice(-1)
  if (word === 'newcomer') return ranks.slice(0, 3)
  const least = ranks.indexOf(word as Rank)
  return ranks.slice(Math.max(0, least - 1), least + 1)
}

/**
 * The word for the callers that were served, if the others were refused as the law requires: the expected one if it fits; otherwise the
 * outcome of each.
 */
async function wordFor(one: Served, visibility: Visibility, asked: readonly Rank[], expected: string): Promise<string> {
  const told = new Map<Rank, Outcome>()
  for (const rank of asked) {
    const answer = await ask(visibility, async () => (await stage()).cast[rank], one)
    if (endsToken(one)) await giveTokensBack((await stage()).forge)
    if (answer.status >= 500) throw new Error(`${one.name} as ${rank}: ${answer.status} ${answer.text}`)
    told.set(rank, isRefusedMerge(one, answer, rank) ? '403' : outcomeOf(one, answer))
  }
  const fits = (word: string) =>
    asked.every((rank) => told.get(rank) === (servedBy.get(word)?.includes(rank) ? 'served' : refusalOf(one, visibility, rank)))
  return [expected, ...servedBy.keys()].find(fits) ?? [...told.values()].join(' ')
}

/** The first scope that doesn't suffice; undefined if all do. */
function shortOf<S extends Scope>(one: Served, all: readonly S[]): S | undefined {
  return all.find((scope) => scope !== 'api' && !one.endpoint.scopes.includes(scope))
}

let stranger: TestApplication | null = null

/** A token of root for an application. */
async function ofApplication(scope: ApplicationScope): Promise<string> {
  const { forge } = await stage()
  stranger ??= await anApplication(forge)
  return oauthToken(forge, forge.root.id, [scope], stranger)
}

/** A blocked user, and tokens without a sufficient scope, are refused whatever the user may do. */
async function refusedOutright(one: Served): Promise<unknown[]> {
  const scope = shortOf(one, scopes)
  const applicationScope = shortOf(one, applicationScopes)
  const byBlocked = async () => {
    const { forge, blocked } = await stage()
    return forge.as(blocked)
  }
  const byScope = async () => {
    const { forge } = await stage()
    return forge.as(forge.root, { token: await forge.token(forge.root, { scopes: scope ? [scope] : [] }) })
  }
  const answers = [await ask('public', byBlocked, one)]
  if (scope) answers.push(await ask('public', byScope, one))
  if (applicationScope) {
    const token = await ofApplication(applicationScope)
    answers.push(await ask('public', async () => (await stage()).forge.as((await stage()).forge.root, { token }), one))
  }
  return answers.map(({ status, body }) => {
    const isBlocked = /blocked/.test(body?.message ?? body?.error_description)
    return [status, isBlocked ? 'blocked' : (body?.error ?? body)]
  })
}

/** Internal places are hidden from external users as if they were private. */
async function toldExternal(one: Served): Promise<Outcome> {
  const byExternal = async () => {
    const { forge, external } = await stage()
    return forge.as(external)
  }
  return outcomeOf(one, await ask('internal', byExternal, one))
}

/** The access rule of an endpoint decides: all callers test one endpoint of each rule and line. */
function ruleOf({ name, expected }: Line): string {
  const one = served.find((one) => one.name === name)
  return `${one?.endpoint.access.description} ${one?.endpoint.method === 'GET'} ${expected}`
}

/** Whether an endpoint isn't tested in this run. */
const isSetAside = (name: string) => !served.some((one) => one.name === name) && everyServed.some((one) => one.name === name)

/** Endpoints that remove the place come last, as it has to be built again. */
const removes = ({ name }: Line) => Number(/^DELETE \/(groups|projects)\/:id$/.test(name))

/** A test for each endpoint of these chapters. */
export function testAccess(part: keyof typeof parts): void {
  beforeAll(async () => {
    clearStage()
    stranger = null
    await stage()
  })
  const chapters: readonly string[] = parts[part]
  const own = table.filter(({ chapter, name }) => chapters.includes(chapter) && !isSetAside(name))
  const ofEachRule = firstOfEach(own, ruleOf)
  // Rules query the database: on PostgreSQL one endpoint of each suffices. Other statements are tested by `replies.test.ts` and by tests of
  // the endpoint.
  const chosen = engine === 'postgres' ? ofEachRule : own
  const whole = new Set(!isSampled ? own : engine === 'postgres' ? [] : ofEachRule)
  if (chosen.length === 0) test.skip('none of these endpoints has changed', () => {})
  saySample(`endpoints of ${part} asked by every rank`, chosen.filter((line) => whole.has(line)).length, chosen.length)
  for (const line of chosen.toSorted((a, b) => removes(a) - removes(b))) test(line.name, () => holdAgainst(line, whole.has(line)))
}

/**
 * Partly: only at the boundary, and in a place of one visibility, as an endpoint of its rule is tested in all three. In the gate that one is
 * asked by every rank in one of them, and at the boundary in the others.
 */
async function holdAgainst({ name, expected }: Line, isWhole: boolean): Promise<void> {
  const one = served.find((one) => one.name === name)
  if (!one) throw new Error('no such endpoint')
  const places = placeOf(one.path) === null ? (['public'] as const) : visibilities
  if (isWhole) {
    const short = [scopes, applicationScopes].flatMap((all) => (shortOf(one, all) ? [[403, 'insufficient_scope']] : []))
    expect(await refusedOutright(one)).toEqual([[403, 'blocked'], ...short])
    if (placeOf(one.path) !== null) expect(await toldExternal(one)).toBe('404')
  }
  const columns = expected.split('  ')
  const words: string[] = []
  const drawn = lotOf(name) % places.length
  for (const [index, visibility] of places.entries()) {
    const column = columns[index] ?? ''
    const asked = isWhole && (!isSampled || index === drawn) ? ranks : boundaryOf(column)
    words.push(isWhole || index === drawn ? await wordFor(one, visibility, asked, column) : column)
  }
  expect(words.join('  ')).toBe(expected)
  if (expected === 'runner' || expected === 'registrar') expect(await toldMachine(one, expected)).toBe('served')
}

/** The outcome for a machine with its token in the body; a new token, since the call may end it. */
async function toldMachine(one: Served, machine: 'runner' | 'registrar'): Promise<Outcome> {
  const place = await placeWith('public')
  const { forge } = place
  const token = machine === 'runner' ? (await runnerOf(forge, null)).token : await registrationToken(forge.app, { kind: 'instance' })
  return outcomeOf(one, await call({ ...place, values: { ...place.values, token } }, forge.anonymous, one))
}
