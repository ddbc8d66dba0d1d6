/**
 * Deny by default, proved: who is served by what, for every endpoint, against one table a reader can check by eye. Each file beside
 * this one takes some chapters of the table, so that workers share them.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { scopes } from '../../../src/access/levels.ts'
import type { Visibility } from '../../../src/db/tables.ts'
import { insertMember } from '../../../src/features/spaces/members/members.queries.ts'
import type { Answer, Client } from '../../support/client.ts'
import { engine } from '../../support/database.ts'
import { type Forge, type TestUser, testForge } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import {
  buildFixtures,
  type ContractFixtures,
  call,
  endsToken,
  everyServed,
  giveTokensBack,
  placeOf,
  type Served,
  served,
} from '../fixtures.ts'
import { putBack, type Rows, readRows } from './rows.ts'

const visibilities = ['private', 'internal', 'public'] as const
/** Callers in the order of their rights: each may do at least what those before may. */
const ranks = ['anybody', 'user', 'guest', 'reporter', 'developer', 'maintainer', 'owner', 'administrator'] as const
const roles = ['guest', 'reporter', 'developer', 'maintainer', 'owner'] as const
type Rank = (typeof ranks)[number]
type Outcome = 'served' | '401' | '403' | '404'

interface Place extends ContractFixtures {
  /** Whom requests are about; a plain member of the group and the project. */
  bystander: TestUser
  /** What it looked like when it was built. */
  print: string
  /** And every row of the database then. */
  rows: Rows
  /** Whether it has been asked for more than an answer since it was last looked at. */
  touched: boolean
}

/** The lines of the table: `GET /projects/:id   guest   user   anybody`; one word where there is no place, three by its visibility. */
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

/** Which file takes the chapters. */
export const parts = {
  people: ['People', 'The instance'],
  spaces: ['Groups', 'Projects'],
  repositories: ['Repositories'],
} as const

let forge: Forge
let cast: Record<Rank, Client>
let members: Record<(typeof roles)[number], TestUser>
let blocked: TestUser
let external: TestUser
const places = new Map<Visibility, Place>()

async function gatherCast(): Promise<void> {
  places.clear()
  forge = await testForge()
  const user = () => forge.user()
  members = { guest: await user(), reporter: await user(), developer: await user(), maintainer: await user(), owner: await user() }
  blocked = await forge.user({ state: 'blocked', admin: true })
  external = await forge.user({ external: true })
  const named = Object.fromEntries(roles.map((role) => [role, forge.as(members[role])])) as Record<(typeof roles)[number], Client>
  cast = { anybody: forge.anonymous, user: forge.as(await user()), ...named, administrator: forge.as(forge.root) }
}

/** The place of this visibility: as it was before the last call, or built anew. */
async function placeWith(visibility: Visibility): Promise<Place> {
  const known = places.get(visibility)
  if (known && (await isAsBuilt(known))) return known
  if (known) await restore(known)
  if (known && (await isAsBuilt(known))) return known
  const built = await build(visibility)
  places.set(visibility, built)
  return built
}

async function isAsBuilt(place: Place): Promise<boolean> {
  if (place.touched && (await printOf(place)) !== place.print) return false
  place.touched = false
  return true
}

/** The answer to the call, about the place of this visibility. */
async function ask(visibility: Visibility, client: Client, one: Served): Promise<Answer> {
  const place = await placeWith(visibility)
  place.touched ||= one.endpoint.method !== 'GET'
  // Of a protected tag it is the protection that decides.
  return call(/\/repository\/tags/.test(one.path) ? { ...place, values: { ...place.values, tag_name: 'unprotected' } } : place, client, one)
}

async function build(visibility: Visibility): Promise<Place> {
  const fixtures = await buildFixtures(forge, visibility)
  await git(fixtures.project.dir, 'tag', 'unprotected', 'main')
  const bystander = await forge.user()
  const { db } = forge.app
  for (const [table, { id }] of [
    ['projects', fixtures.project],
    ['namespaces', fixtures.group],
  ] as const)
    await db.updateTable(table).set({ request_access_enabled: true }).where('id', '=', id).execute()
  const enrol = (user: TestUser, role: keyof typeof levels) =>
    insertMember(db, { namespace_id: fixtures.group.id }, { user_id: user.id, access_level: levels[role], expires_at: null })
  for (const role of roles) await enrol(members[role], role)
  await enrol(bystander, 'guest')
  await insertMember(db, { project_id: fixtures.project.id }, { user_id: bystander.id, access_level: levels.guest, expires_at: null })
  // Not the default branch, which nobody may delete.
  const values = { ...fixtures.values, user_id: String(bystander.id), branch: 'feature/one' }
  const place = { ...fixtures, bystander, insider: bystander, values }
  return { ...place, touched: false, print: await printOf(place), rows: await readRows(db) }
}

/** Puts back what a call can change alone: what it deleted, who is a member, and what is a column. */
async function restore({ project, group, bystander, print, rows }: Place): Promise<void> {
  const { db } = forge.app
  const [projectRow, groupRow, userRow, memberRows] = JSON.parse(print) as [object, object, object, Array<Record<string, number>>]
  try {
    await putBack(db, rows)
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('projects').set(projectRow).where('id', '=', project.id).execute()
      await tx.updateTable('namespaces').set(groupRow).where('id', '=', group.id).execute()
      await tx.updateTable('users').set(userRow).where('id', '=', bystander.id).execute()
      await tx
        .deleteFrom('members')
        .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
        .execute()
      await tx
        .insertInto('members')
        .values(memberRows as never)
        .execute()
    })
  } catch {
    // What the rows refer to is gone: then the place is built anew.
  }
}

const levels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

/** What must be as it was for the next caller to find the same. */
async function printOf({ project, group, bystander, values }: Omit<Place, 'print' | 'rows' | 'touched'>): Promise<string> {
  const { db } = forge.app
  const awards = [
    'award_id',
    'note_award_id',
    'merge_request_award_id',
    'merge_request_note_award_id',
    'snippet_award_id',
    'snippet_note_award_id',
    'commit_note_award_id',
  ].map((name) => Number(values[name]))
  const snippets = ['snippet_id', 'personal_snippet_id'].map((name) => Number(values[name]))
  const rows = [
    await db
      .selectFrom('projects')
      .select(['archived', 'visibility', 'namespace_id', 'path', 'forked_from_id', 'default_branch', 'import_status'])
      .where('id', '=', project.id)
      .executeTakeFirst(),
    await db.selectFrom('namespaces').select(['visibility', 'path', 'parent_id']).where('id', '=', group.id).executeTakeFirst(),
    await db.selectFrom('users').select(['state', 'admin', 'username', 'external']).where('id', '=', bystander.id).executeTakeFirst(),
    await db
      .selectFrom('members')
      .select(['id', 'project_id', 'namespace_id', 'user_id', 'access_level', 'created_at'])
      .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
      .orderBy('id')
      .execute(),
    await db.selectFrom('snippets').select('id').where('id', 'in', snippets).orderBy('id').execute(),
    await db.selectFrom('ci_schedules').select('id').where('id', '=', Number(values.pipeline_schedule_id)).execute(),
    await db.selectFrom('ci_environments').select('id').where('id', '=', Number(values.environment_id)).execute(),
    // They go with what they are on: an issue, a note.
    await db.selectFrom('award_emoji').select('id').where('id', 'in', awards).orderBy('id').execute(),
    await db
      .selectFrom('ci_runner_projects')
      .selectAll()
      .where('runner_id', 'in', [Number(values.runner_id), Number(values.second_runner_id)])
      .orderBy('project_id')
      .execute(),
    // Under two addresses.
    await db.selectFrom('notes').select('id').where('id', '=', Number(values.commit_note_id)).execute(),
  ]
  return JSON.stringify(rows)
}

/** Of merging clients know a refusal by 401, signed in or not; and a merge request by 404, where its code is hidden. */
const ofMerging = /\/merge_requests\/:merge_request_iid\/(?:merge|rebase|cancel_merge_when_pipeline_succeeds)$/

function isRefusedMerge({ name }: Served, { status, body }: Answer, rank: Rank): boolean {
  if (!ofMerging.test(name) || rank === 'anybody') return false
  return status === 401 || (status === 404 && body?.message === '404 Merge Request Not Found')
}

/** What the answer says of access. What is wrong with the request itself comes after it: then it was granted. */
function outcomeOf({ path, endpoint }: Served, { status, body }: Answer): Outcome {
  if (status === 401) return '401'
  if (status === 403) return /Job is not \w+able/.test(body?.message) ? 'served' : '403' // after the one before
  // Whoever asks, nothing is there for a wrong credential of a machine.
  if (status === 404 && endpoint.access.own_credential && placeOf(path) !== null) return '404'
  // Who can't read the code sees no merge request: that refuses them.
  if (status === 404 && body?.message === '404 Merge Request Not Found') return '403'
  const resource = placeOf(path) === 'groups' ? 'Group' : 'Project'
  return status === 404 && placeOf(path) !== null && body?.message === `404 ${resource} Not Found` ? '404' : 'served'
}

/** What the law says to a caller below the least that is served. */
function refusalOf({ endpoint, path }: Served, visibility: Visibility, rank: Rank): Outcome {
  const hidden = placeOf(path) !== null && (visibility === 'private' || (visibility === 'internal' && rank === 'anybody'))
  if (endpoint.access.own_credential && placeOf(path) !== null) return '404'
  if (rank === 'anybody') {
    const asked = endpoint.access.own_credential || (endpoint.method === 'GET' && endpoint.access.anonymous)
    return !asked ? '401' : hidden ? '404' : '403'
  }
  return rank === 'user' && hidden ? '404' : '403'
}

/** The least rank that is served, when all below it are refused as the law says; otherwise what each was told. */
async function minServed(one: Served, visibility: Visibility): Promise<string> {
  const told: Outcome[] = []
  for (const rank of ranks) {
    const answer = await ask(visibility, cast[rank], one)
    if (endsToken(one)) await giveTokensBack(forge)
    if (answer.status >= 500) throw new Error(`${one.name} as ${rank}: ${answer.status} ${answer.text}`)
    told.push(isRefusedMerge(one, answer, rank) ? '403' : outcomeOf(one, answer))
  }
  /** Whether these are served, and everybody else is refused as the law says. */
  const serves = (chosen: readonly Rank[]) =>
    ranks.every((rank, index) => told[index] === (chosen.includes(rank) ? 'served' : refusalOf(one, visibility, rank)))
  if (serves([])) return 'nobody'
  if (serves(['user'])) return 'newcomer'
  return ranks.find((_, index) => serves(ranks.slice(index))) ?? told.join(' ')
}

/** A blocked user, and a token without a scope that reaches, are refused whatever the user could do. */
async function refusedOutright(one: Served): Promise<unknown[]> {
  const scope = scopes.find((scope) => scope !== 'api' && !one.endpoint.scopes.includes(scope))
  const answers = [await ask('public', forge.as(blocked), one)]
  if (scope) answers.push(await ask('public', forge.as(forge.root, { token: await forge.token(forge.root, { scopes: [scope] }) }), one))
  return answers.map(({ status, body }) => [status, body?.error ?? (/blocked/.test(body?.message) ? 'blocked' : body)])
}

/** What is internal is hidden from users from outside as if it were private. */
async function toldExternal(one: Served): Promise<Outcome> {
  return outcomeOf(one, await ask('internal', forge.as(external), one))
}

/**
 * What decides is the access rule of an endpoint, and rules ask the database: one endpoint of each rule and line will do on
 * the second engine. What else an endpoint asks is asked there by `replies.test.ts` and by its own tests.
 */
function oneOfEachRule(lines: Line[]): Line[] {
  const ruleOf = ({ name, expected }: Line) => {
    const one = served.find((one) => one.name === name)
    return `${one?.endpoint.access.description} ${one?.endpoint.method === 'GET'} ${expected}`
  }
  return [...new Map(lines.map((line) => [ruleOf(line), line])).values()]
}

/** An endpoint that the laws are not held against in this run. */
const isSetAside = (name: string) => !served.some((one) => one.name === name) && everyServed.some((one) => one.name === name)

/** What removes the place itself comes last: it is built anew for whoever comes after it. */
const removes = ({ name }: Line) => Number(/^DELETE \/(groups|projects)\/:id$/.test(name))

/** A test for each endpoint of these chapters. */
export function testAccess(part: keyof typeof parts): void {
  beforeAll(gatherCast)
  const chapters: readonly string[] = parts[part]
  const own = table.filter(({ chapter, name }) => chapters.includes(chapter) && !isSetAside(name))
  const chosen = engine === 'postgres' ? oneOfEachRule(own) : own
  if (chosen.length === 0) test.skip('none of these endpoints has changed', () => {})
  for (const { name, expected } of chosen.toSorted((a, b) => removes(a) - removes(b))) {
    test(name, async () => {
      const one = served.find((one) => one.name === name)
      if (!one) throw new Error('no such endpoint')
      const everyScope = scopes.every((scope) => scope === 'api' || one.endpoint.scopes.includes(scope))
      expect(await refusedOutright(one)).toEqual([[403, 'blocked'], ...(everyScope ? [] : [[403, 'insufficient_scope']])])
      if (placeOf(one.path) !== null) expect(await toldExternal(one)).toBe('404')
      const words: string[] = []
      const asked = placeOf(one.path) === null ? (['public'] as const) : visibilities
      for (const visibility of asked) words.push(await minServed(one, visibility))
      expect(words.join('  ')).toBe(expected)
    })
  }
}
