/** Whatever is sent, to whichever endpoint: it is refused or answered, never a failure of the server. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { isSampled, lotOf, ofEveryEndpoint } from './world/budgets.ts'
import { type ContractFixtures, contractFixtures, everyServed, placeOf, type Served, served } from './world/fixtures.ts'

cpuBudget(8, 'Every endpoint with random values.')

/** Requests to each endpoint. On PostgreSQL it is what the database refuses that differs, and values come from the same list. */
const runs = Number(process.env.GITSTEAD_TEST_FUZZ_RUNS ?? (isSampled ? 3 : engine === 'postgres' ? 10 : 25))

let fixtures: ContractFixtures

beforeAll(async () => {
  fixtures = await contractFixtures()
})

const nasty = fc.constantFrom(
  '',
  ' ',
  '0',
  '-1',
  '1',
  '1e9',
  '2147483648',
  '9007199254740993',
  '99999999999999999999999999',
  '1.5',
  'NaN',
  'true',
  'null',
  '..',
  '../../etc/passwd',
  'a/../b',
  '/',
  '//',
  '.git/config',
  '-n',
  '--upload-pack=x',
  '--all',
  'a\0b',
  'a\nb',
  'a\r\nX-Injected: 1',
  '%2F',
  '%00',
  '%',
  '%zz',
  'HEAD',
  'main',
  'main:README.md',
  'main^{tree}',
  '@{-1}',
  'refs/heads/main',
  ':/first',
  'README.md',
  "'; drop table users; --",
  '%_\\',
  '\u202e\u0000\uffff',
  '👩‍👩‍👧',
  '2026-02-30',
  '2026-01-01T25:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00',
  '10000-01-01',
  'x'.repeat(5_000),
)

const text = fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }))

const jsonValue = fc.oneof(
  { arbitrary: text, weight: 4 },
  { arbitrary: fc.oneof(fc.integer(), fc.double(), fc.constantFrom(null, true, false, 2 ** 53, 1e308, -0, 2 ** 31)), weight: 3 },
  { arbitrary: fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { maxLength: 4 }), weight: 1 },
  { arbitrary: fc.dictionary(fc.constantFrom('key', 'value', '0', '__proto__', 'constructor', 'action'), text, { maxKeys: 3 }), weight: 1 },
)

/** A value of a query or a form, in one of the forms it may have there. */
const pair = (name: string) =>
  fc
    .tuple(fc.constantFrom('', '', '', '[]', '[key]', '[][key]', '[0]', '[', ']', '[]['), text)
    .map(([suffix, value]) => `${encodeURIComponent(name).replace(/%5B|%5D/g, decodeURIComponent)}${suffix}=${encoded(value)}`)

/** Lone halves of surrogate pairs have no encoding. */
function encoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString())
}

/** Every parameter half of the time, any value in it. */
function requests({ endpoint, path }: Served) {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const inPath = fc.tuple(...names.map((name) => fc.oneof({ arbitrary: fc.constant(realValue(path, name)), weight: 3 }, text)))
  const queryNames = [...Object.keys(endpoint.query), ...(endpoint.kind === 'list' ? ['page', 'per_page'] : []), 'sudo', 'undeclared']
  const bodyNames = Object.keys(endpoint.body)
  const query = fc
    .tuple(...[...queryNames, ...bodyNames].map((name) => fc.option(pair(name), { nil: '', freq: 2 })))
    .map((pairs) => pairs.filter(Boolean).join('&'))
  const fields = fc.record(Object.fromEntries([...bodyNames, ...queryNames].map((name) => [name, jsonValue])), { requiredKeys: [] })
  const json = fc
    .oneof({ arbitrary: fields, weight: 6 }, jsonValue)
    .map((value) => ({ type: 'application/json', text: JSON.stringify(value) }))
  const form = query.map((text) => ({ type: 'application/x-www-form-urlencoded', text }))
  const odd = fc.tuple(
    fc.constantFrom('application/json', 'multipart/form-data; boundary=x', 'multipart/form-data', 'text/plain', ';'),
    text,
  )
  const body = fc.oneof(
    { arbitrary: json, weight: 5 },
    { arbitrary: form, weight: 2 },
    odd.map(([type, text]) => ({ type, text })),
  )
  return fc.record({ inPath, query: fc.oneof(query, fc.constant('')), body: endpoint.method === 'GET' ? fc.constant(null) : body })
}

function realValue(path: string, name: string): string {
  if (name !== 'id' && name !== 'project_id') return fixtures.values[name] ?? '1'
  const place = placeOf(path)
  return String(place === 'groups' ? fixtures.group.id : place === 'projects' ? fixtures.project.id : fixtures.insider.id)
}

/** Deletions come last, as all other requests need something to work on. */
const inOrder = [...served].sort((a, b) => Number(a.endpoint.method === 'DELETE') - Number(b.endpoint.method === 'DELETE'))

test('no value of any parameter of any endpoint makes the server fail', { timeout: 60_000 + served.length * runs * 20 }, async () => {
  const wrong: unknown[] = []
  for (const one of inOrder) {
    // A new one each time: by and by every token that is there is revoked.
    const client = fixtures.forge.as(fixtures.forge.root, { token: await fixtures.forge.token(fixtures.forge.root) })
    const property = fc.asyncProperty(requests(one), async ({ inPath, query, body }) => {
      const values = [...inPath]
      const url = `${one.path.replace(/:\w+/g, () => encoded(values.shift() as string))}?${query}`
      const answer = await client.request(one.endpoint.method, url, body?.text, body ? { headers: { 'content-type': body.type } } : {})
      if (answer.status >= 500) throw new Error(`${answer.status} ${answer.text}`)
      if (answer.headers['x-injected']) throw new Error('a header was smuggled in')
      // Dots may lead from an endpoint outside of the API to an address of pages.
      const isPage = answer.headers['content-type'] === 'text/html; charset=utf-8'
      const isExplained = isPage || answer.body?.message || answer.body?.error
      if (answer.status >= 400 && !isExplained) throw new Error(`${answer.status} without a word`)
    })
    const result = await fc.check(property, { numRuns: runs })
    if (result.counterexample)
      wrong.push(`${one.name}: ${result.errorInstance} for ${JSON.stringify(result.counterexample)} (seed ${result.seed})`)
    else if (result.numRuns < runs) wrong.push(`${one.name}: ${result.numRuns} of ${runs} requests`)
  }
  expect(wrong).toEqual([])
})

/** Whether any text is the path of a namespace is a fair question, to which no is the answer. */
const isNo = (name: string, body: unknown) =>
  name === 'GET /namespaces/:id/exists' && JSON.stringify(body) === '{"exists":false,"suggests":[]}'

/** Instead of the first parameter of a path. */
const elsewhere = ['%2F', '..', '%2e%2e', '%2e%2e%2f%2e%2e', '', '%00', '-n', '%0d%0aX-Injected:1']

/** In the gate one for each endpoint, and another for its neighbours: they all have the same router before them. */
function elsewhereFor({ name }: Served): string[] {
  const at = lotOf(name) % elsewhere.length
  return isSampled ? elsewhere.slice(at, at + 1) : elsewhere
}

test('a path parameter written as an encoded slash, dots or nothing leads nowhere else', ofEveryEndpoint, async () => {
  const client = fixtures.forge.as(fixtures.forge.root, { token: await fixtures.forge.token(fixtures.forge.root) })
  const paths = new Set(everyServed.map(({ path }) => path))
  const wrong: unknown[] = []
  for (const one of served.filter(({ path }) => path.includes(':'))) {
    const { endpoint, path, name } = one
    for (const value of elsewhereFor(one)) {
      const address = path.replace(/:\w+/, value)
      // Dots are resolved by the client, as by every other: then it asks for another thing that there is. So does a list, with a
      // slash at its end; what deletes ignores none.
      const { pathname } = new URL(address, 'http://host')
      if (paths.has(endpoint.method === 'DELETE' ? pathname : pathname.replace(/\/$/, ''))) continue
      const answer = await client.request(endpoint.method, address)
      const isRefused = (answer.status >= 400 && answer.status < 500) || isNo(name, answer.body)
      if (!isRefused || answer.headers['x-injected']) wrong.push(`${name} with ${value}: ${answer.status} ${answer.text}`)
    }
  }
  expect(wrong).toEqual([])
})
