/**
 * Whatever stands where a ref, a path, a name or a message belongs: the server answers soon and sanely, what it refuses
 * changes nothing, and what it takes leaves a repository that git accepts.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { TSchema } from 'typebox'
import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/client.ts'
import { engine } from '../support/database.ts'
import { git, tryGit } from '../support/git.ts'
import { type ContractFixtures, contractFixtures, expectMany, requiredOf, type Served, served } from './fixtures.ts'
import { brokenBytes, type Hostile, hostilePaths, hostileProse, hostileRefs } from './hostile-values.ts'

/** No answer may take longer. */
const patience_ms = 5_000
const atOnce = 16

let fixtures: ContractFixtures
/** A file that options and paths name and that must never come into being. */
let target: string
/** The first digits of two objects. */
let shortened: string

beforeAll(async () => {
  fixtures = await contractFixtures()
  const { dir } = fixtures.project
  target = join(await fixtures.forge.folder(), 'target')
  const twins = likeObjects()
  shortened = twins.prefix
  for (const content of twins.contents) await git(dir, 'update-ref', `refs/keep/${content}`, await writeBlob(dir, content))
  await git(dir, 'branch', 'twice', 'main~1')
  await git(dir, 'tag', 'twice', 'main')
  await git(dir, 'update-ref', 'refs/heads/refs/heads/x', 'main')
})

/** Two contents whose ids as blobs begin with the same four digits. */
function likeObjects(): { prefix: string; contents: string[] } {
  const seen = new Map<string, string>()
  for (let number = 0; ; number += 1) {
    const content = String(number)
    const prefix = createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex').slice(0, 4)
    const twin = seen.get(prefix)
    if (twin !== undefined) return { prefix, contents: [twin, content] }
    seen.set(prefix, content)
  }
}

async function writeBlob(dir: string, content: string): Promise<string> {
  const file = join(await fixtures.forge.folder(), 'blob')
  await writeFile(file, content)
  return git(dir, 'hash-object', '-w', file)
}

/** A place for text in a request. */
interface Place {
  one: Served
  name: string
  where: 'path' | 'query' | 'body' | 'action'
}

function isText(schema: TSchema): boolean {
  const { type, enum: values, format, items } = schema as { type?: string; enum?: unknown; format?: string; items?: TSchema }
  return (type === 'string' && !values && !format) || (type === 'array' && items !== undefined && isText(items))
}

const placesOf = (one: Served): Place[] => {
  const { path, endpoint } = one
  const texts = (properties: Record<string, TSchema>) => Object.keys(properties).filter((name) => isText(properties[name] as TSchema))
  const action = (endpoint.body.actions as { items?: { properties?: Record<string, TSchema> } } | undefined)?.items?.properties ?? {}
  // What has to be a number, `fuzz.test.ts` fills with all else.
  const isNumber = (name: string) =>
    /^(id|user_id)$/.test(name) || (endpoint.params[name] as { type?: string } | undefined)?.type === 'integer'
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string).filter((name) => !isNumber(name))
  return [
    ...inPath.map((name): Place => ({ one, name, where: 'path' })),
    ...texts(endpoint.query).map((name): Place => ({ one, name, where: 'query' })),
    ...texts(endpoint.body).map((name): Place => ({ one, name, where: 'body' })),
    ...texts(action).map((name): Place => ({ one, name, where: 'action' })),
  ]
}

/** What makes files and refs comes last: the names it makes them under would be found by all others, and each commit takes its time. */
const order = ['GET', 'PUT', 'DELETE', 'POST']
const places = served
  .filter(({ path }) => path.startsWith('/projects/:id/'))
  .sort(
    (a, b) => order.indexOf(a.endpoint.method) - order.indexOf(b.endpoint.method) || b.path.split('/').length - a.path.split('/').length,
  )
  .flatMap(placesOf)

/** Longer addresses don't get past the parser of HTTP. */
const longestAddress = 15_000

/** What a writer is sent there. Where anything may be said, or nothing that git reads, little of it matters. */
function hostileAt(place: Place): Hostile[] {
  const { name, where, one } = place
  // Tokens have names, and nothing of git.
  if (/\/(access|deploy)_tokens$/.test(one.path)) return chosen(place, hostileProse, 4)
  if (/message|author|note|description|content|last_commit_id|title|url|value|line_type|^key$/.test(name))
    return chosen(place, hostileProse, engine === 'postgres' ? 3 : 1)
  const longest = where === 'path' || where === 'query' ? longestAddress : 1024 * 1024 - 2_000
  const groups = (/path/.test(name) ? hostilePaths : hostileRefs)({ shortened, target, longest })
  // Here it is git that answers, whatever the database is: there, `fuzz.test.ts` sends the rest.
  if (engine === 'postgres' && !sendsAll) return chosen(place, groups.flat(), 20)
  return groups.flatMap((group) => chosen(place, group, 4))
}

const sendsAll = process.env.GITSTEAD_TEST_HOSTILE === 'every'

/** Of a group of values a writer gets each n-th, at least one, for each request may be a commit; its neighbours get the others. */
function chosen(place: Place, group: Hostile[], step: number): Hostile[] {
  const at = places.indexOf(place)
  const part = sendsAll ? group : group.filter((_, index) => (index + at) % step === 0)
  return part.length > 0 ? part : oneOf(place, group)
}

/** Another at each place. */
function oneOf(place: Place, group: Hostile[]): Hostile[] {
  const at = places.indexOf(place) % group.length
  return sendsAll ? group : group.slice(at, at + 1)
}

/** A reader gets all that is hostile where a ref or a path stands, and of each group of the other kind one value. */
function hostileToReader(place: Place): Hostile[] {
  const options = { shortened, target, longest: longestAddress }
  const [own, other] = /path/.test(place.name) ? [hostilePaths, hostileRefs] : [hostileRefs, hostilePaths]
  return [...own(options).flat(), ...other(options).flatMap((group) => oneOf(place, group))]
}

let counter = 0

/** A request that would succeed, but for what stands at the place. */
function requestOf({ one, name, where }: Place, value: unknown): { url: string; body: Record<string, unknown> | undefined } {
  const { path, endpoint } = one
  counter += 1
  const inPath = path
    .replace(':id', String(fixtures.project.id))
    .replace(/blobs\/:sha/, () => `blobs/${where === 'path' && name === 'sha' ? encoded(value) : fixtures.blob}`)
    .replace(/:(\w+)/g, (_, other: string) =>
      encoded(where === 'path' && other === name ? value : valueInPath(endpoint.method, path, other)),
    )
  const query = { ...requiredOf(fixtures, endpoint.query), ...(where === 'query' && { [name]: value }) }
  const pairs = Object.entries(query).flatMap(([key, item]) => {
    const listed = Array.isArray(item) ? item : null
    return listed ? listed.map((each) => `${key}[]=${encoded(each)}`) : [`${key}=${encoded(item)}`]
  })
  if (endpoint.method === 'GET') return { url: `${inPath}?${pairs.join('&')}`, body: undefined }
  const body = { ...requiredOf(fixtures, endpoint.body), ...fresh(path), ...(where === 'body' && { [name]: value }) }
  if ('actions' in body) {
    const action = { action: 'create', file_path: `new/${counter}`, content: `new-${counter}` }
    body.actions = where === 'action' ? actionsWith(action, name, value) : [action]
  }
  return { url: inPath, body }
}

/** For each parameter an action to which it matters. */
function actionsWith(action: Record<string, string>, name: string, value: unknown): unknown[] {
  if (name === 'previous_path') return [{ ...action, action: 'move', file_path: 'src/main.c', [name]: value }]
  if (name === 'last_commit_id') return [{ ...action, action: 'update', file_path: 'src/main.c', [name]: value }]
  if (name === 'content') return [{ ...action, encoding: 'base64', [name]: value }]
  return [{ ...action, [name]: value }]
}

function valueInPath(method: string, path: string, name: string): string {
  if (method === 'POST' && name === 'file_path') return `file/${counter}`
  if (method === 'PUT' && path.endsWith('/:file_path')) return 'src/main.c'
  return fixtures.values[name] ?? 'something'
}

/** Values that nobody has taken yet, where they must be new; and content that is another each time. */
function fresh(path: string): Record<string, string> {
  const name = `new-${counter}`
  if (path.endsWith('/branches')) return path.includes('protected') ? { name } : { branch: name }
  if (path.endsWith('/tags') || path.endsWith('/protected_tags')) return { tag_name: name, name }
  return path.endsWith('/:file_path') ? { content: name } : {}
}

function encoded(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('hex').replace(/../g, '%$&')
  return encodeURIComponent(Buffer.from(typeof value === 'object' ? JSON.stringify(value) : String(value)).toString())
}

interface Sent {
  place: string
  answer: Answer
  ms: number
}

async function send(place: Place, label: string, value: unknown): Promise<Sent> {
  const { url, body } = requestOf(place, value)
  const started = performance.now()
  const answer = await fixtures.forge.as(fixtures.insider).request(place.one.endpoint.method, url, body)
  return { place: `${place.one.name}, ${place.where} ${place.name}: ${label}`, answer, ms: performance.now() - started }
}

/** What is wrong with the answer itself. */
function fieldErrorsOf({ place, answer, ms }: Sent): unknown[] {
  const { status, text, headers } = answer
  // The caller's own input may be repeated in the answer.
  const told = status < 400 ? '' : (text + JSON.stringify(headers)).replaceAll(target, '')
  return [
    status >= 500 && 'a failure of the server',
    ms > patience_ms && `took ${Math.round(ms)} ms`,
    status >= 400 && status !== 414 && !(answer.body?.message || answer.body?.error) && 'refused without a word',
    (told.includes(fixtures.forge.app.config.home) || /fatal:|\/repositories\/|GIT_DIR/.test(told)) && 'tells of the server',
    headers['x-injected'] && 'a header was smuggled in',
  ]
    .filter(Boolean)
    .map((fieldError) => [place, fieldError, status, text.slice(0, 200)])
}

/** Everything a refused write must leave as it is: refs, and how many rows there are and which is the last. */
async function print(): Promise<string> {
  const { db } = fixtures.forge.app
  const tables = [
    'projects',
    'events',
    'push_intents',
    'protected_branches',
    'protected_tags',
    'releases',
    'notes',
    'pipelines',
    'commit_statuses',
    'access_tokens',
    'deploy_tokens',
  ]
  const parts = tables.map((table) => sql`select count(*) as rows, max(id) as last from ${sql.table(table)}`)
  const { rows } = await sql`${sql.join(parts, sql` union all `)}`.execute(db)
  return JSON.stringify(rows) + refsIn(fixtures.project.dir)
}

/**
 * Read loose ones first: those that are packed meanwhile are found in the file that is read then. The service's own refs of merge
 * requests are written in the background, or by who reads them first.
 */
function refsIn(dir: string): string {
  const refs = new Map<string, string>()
  for (const name of looseNames(dir)) {
    // No ref is called so: it is a lock that housekeeping holds while it packs one.
    if (name.endsWith('.lock')) continue
    try {
      refs.set(`refs/${name}`, readFileSync(join(dir, 'refs', name), 'latin1').trim())
    } catch {
      // A folder, or packed meanwhile.
    }
  }
  const packed = existsSync(join(dir, 'packed-refs')) ? readFileSync(join(dir, 'packed-refs'), 'utf8') : ''
  for (const [, oid = '', ref = ''] of packed.matchAll(/^([0-9a-f]{40}) (.*)$/gm)) if (!refs.has(ref)) refs.set(ref, oid)
  return (
    [...refs]
      .filter(([ref]) => !/^refs\/(merge-requests|keep-around)\//.test(ref))
      .map(([ref, oid]) => `${oid} ${ref}`)
      .sort()
      .join('\n') + readFileSync(join(dir, 'HEAD'), 'utf8')
  )
}

/** Housekeeping removes the folders of refs it has packed: when one goes while they are listed, they are listed again. */
function looseNames(dir: string): string[] {
  for (;;) {
    try {
      return readdirSync(join(dir, 'refs'), { recursive: true }).map(String)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Where the service keeps repositories and what is stored whole: under names of its own, which no caller chooses. */
const ownNames =
  /^(repositories(\/[0-9a-f]{2}(\/[0-9a-f]{2}(\/[0-9a-f]{64}\.git(\/(HEAD|config|objects|refs))?)?)?)?|objects(\/[a-z]+(\/[0-9a-f]{2}(\/[0-9a-f-]{36})?)?)?|scratch|code-index(\/[0-9a-f-]{36}\.segment)?)$/

/** Every other file in the data folder but the objects and refs of repositories, and what housekeeping leaves there. */
function filesOutside(): string[] {
  const { home } = fixtures.forge.app.config
  return readdirSync(home, { recursive: true })
    .map(String)
    .filter((file) => !ownNames.test(file) && !/\.git\/(objects\/|refs\/|packed-refs|info$|info\/refs$|\.housekeeping)|\.sqlite/.test(file))
}

// What is read of repositories is not in the database.
test.skipIf(engine === 'postgres')(
  'every reader of the repository interface answers what is no ref, path or name of its own',
  { timeout: 120_000 },
  async () => {
    const requests = places
      .filter(({ one }) => one.endpoint.method === 'GET')
      .flatMap((place) =>
        hostileToReader(place).map(
          ([label, value]) =>
            () =>
              send(place, label, value),
        ),
      )
    const wrong: unknown[] = []
    for (let at = 0; at < requests.length; at += atOnce) {
      const answers = await Promise.all(requests.slice(at, at + atOnce).map((request) => request()))
      wrong.push(...answers.flatMap(fieldErrorsOf))
    }
    expectMany(requests.length, 1_000)
    expect(wrong).toEqual([])
    expect(existsSync(target)).toBe(false)
  },
)

test('a rejected write changes nothing, and an accepted one leaves a valid repository', {
  timeout: sendsAll ? 1_800_000 : 400_000,
}, async () => {
  // What is done in the background writes files of its own, and drafts of them.
  await fixtures.forge.drain()
  const before = filesOutside()
  const wrong: unknown[] = []
  let taken = 0
  let state = await print()
  for (const place of places.filter(({ one }) => one.endpoint.method !== 'GET')) {
    for (const [label, value] of hostileAt(place)) {
      const sent = await send(place, label, value)
      wrong.push(...fieldErrorsOf(sent))
      // What follows in the background (branches of a fork, notes on what a commit mentions, pipelines) is no change by what is refused next.
      if (sent.answer.status < 400) await fixtures.forge.drain()
      const after = await print()
      if (sent.answer.status >= 400 && after !== state)
        wrong.push([sent.place, 'refused, and yet something changed', sent.answer.text.slice(0, 200)])
      if (sent.answer.status < 400) taken += 1
      state = after
    }
  }
  expect(wrong).toEqual([])
  expectMany(taken, engine === 'postgres' ? 5 : 25)
  await fixtures.forge.drain()
  expect(filesOutside().filter((file) => !before.includes(file))).toEqual([])
  expect(existsSync(target)).toBe(false)
  const { code, stdout, stderr } = await tryGit(fixtures.project.dir, 'fsck', '--strict', '--no-dangling')
  expect([code, stdout.trim(), stderr.replaceAll(/^(notice|Checking).*\n?/gm, '')]).toEqual([0, '', ''])
  const copy = await fixtures.forge.folder()
  await git(copy, 'clone', '--quiet', fixtures.project.dir, 'copy')
  expect(await git(join(copy, 'copy'), 'status', '--porcelain')).toBe('')
  for (const branch of (await git(fixtures.project.dir, 'for-each-ref', '--format=%(objectname)', 'refs/heads')).split('\n')) {
    await git(join(copy, 'copy'), 'checkout', '--quiet', '--detach', branch)
  }
})

test('bytes that are no UTF-8 are refused or answered, wherever they stand', async () => {
  const wrong: unknown[] = []
  for (const place of places) {
    for (const bytes of place.one.endpoint.method === 'GET' ? brokenBytes : brokenBytes.slice(0, 1)) {
      const label = bytes.toString('hex')
      if (place.where === 'path' || place.where === 'query') wrong.push(...fieldErrorsOf(await send(place, label, bytes)))
      else wrong.push(...fieldErrorsOf(await sendRaw(place, bytes)))
    }
  }
  expect(wrong).toEqual([])
})

/** The bytes as they are within a body of JSON, and in a form. */
async function sendRaw(place: Place, bytes: Buffer): Promise<Sent> {
  const { url, body } = requestOf(place, '<here>')
  const [before = '', after = ''] = JSON.stringify(body).split('<here>')
  const started = performance.now()
  const payload = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
  const headers = { 'content-type': 'application/json' }
  const answer = await fixtures.forge.as(fixtures.insider).request(place.one.endpoint.method, url, payload, { headers })
  return { place: `${place.one.name}, ${place.name}: ${bytes.toString('hex')} in JSON`, answer, ms: performance.now() - started }
}
