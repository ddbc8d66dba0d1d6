/** Every list comes in pages, and every page says where the others are (spec part 8). */
import { expect, onTestFinished, test } from 'vitest'
import type { Forge } from '../support/forge.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { ofEveryEndpoint, sampled, sampledOnPostgres, saySample } from './world/budgets.ts'
import { addressOf, contractFixtures, expectMany, queryOf, served } from './world/fixtures.ts'

cpuBudget(6, 'Every list is read page by page.')

const all = served.filter(({ endpoint }) => endpoint.kind === 'list')
const lists = sampledOnPostgres(all, 8, ({ name }) => name)
saySample('lists', lists.length, all.length)
/** For what no handler of a list has a part in: in the gate a quarter of them. */
const some = sampled(lists, 4, ({ name }) => name)

test('every list carries all page headers', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of lists) {
    const answer = await fixtures.forge.as(fixtures.forge.root).get(addressOf(fixtures, path) + queryOf(fixtures, endpoint))
    const numbers = ['x-total', 'x-total-pages', 'x-per-page', 'x-page'].map((header) => answer.headers[header])
    const told = numbers.every((value) => /^\d+$/.test(value ?? '')) && answer.headers['x-prev-page'] === '' && answer.headers.link
    if (answer.status !== 200 || !Array.isArray(answer.body) || !told) wrong.push([name, answer.status, answer.headers])
  }
  expectMany(lists.length, 5)
  expect(wrong).toEqual([])
})

test('a page holds as many as asked for, at most 100', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of lists) {
    const url = addressOf(fixtures, path) + queryOf(fixtures, endpoint)
    const capped = await client.get(`${url}&per_page=1000`)
    const one = await client.get(`${url}&per_page=1`)
    const total = Number(one.headers['x-total'])
    if (capped.headers['x-per-page'] !== '100' || capped.body.length > 100) wrong.push([name, capped.status, capped.headers])
    if (one.body.length !== Math.min(1, total)) wrong.push([name, 'per_page=1', one.body.length])
    if (one.headers['x-next-page'] !== (total > 1 ? '2' : '')) wrong.push([name, 'x-next-page', one.headers])
  }
  expect(wrong).toEqual([])
})

/** Without what grows while a job runs or waits. */
const asText = (rows: unknown) => JSON.stringify(rows, (name, value) => (/^(?:queued_)?duration$/.test(name) ? undefined : value))

test('the pages of a list hold each of its rows once', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of lists) {
    const url = addressOf(fixtures, path) + queryOf(fixtures, endpoint)
    const whole = (await client.get(`${url}&per_page=100`)).body as unknown[]
    const parts: unknown[] = []
    for (let page = 1; page <= Math.ceil(whole.length / 2); page += 1) {
      parts.push(...(await client.get(`${url}&per_page=2&page=${page}`)).body)
    }
    if (asText(parts) !== asText(whole)) wrong.push([name, parts.length, whole.length])
  }
  expect(wrong).toEqual([])
})

test('links keep every other parameter as it was sent, and no secret', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of some) {
    // Endpoints that take job tokens would refuse a wrong one.
    const ofJob = endpoint.jobTokens ? '' : '&job_token=secret-1'
    const secrets = `private%5Ftoken=${fixtures.forge.root.token}${ofJob}&%61ccess_token=&feed%5Ftoken=secret-2&password=secret-3`
    const url = `${addressOf(fixtures, path)}${queryOf(fixtures, endpoint)}&odd=a%2Fb+c&${secrets}&page=1&per_page=1`
    const answer = await fixtures.forge.anonymous.get(url)
    const link = answer.headers.link ?? ''
    if (answer.status !== 200 || !link.includes('odd=a%2Fb+c') || !/rel="first".*rel="last"/.test(link))
      wrong.push([name, answer.status, link])
    if (/secret-|[?&][^>]*(token|password)/.test(link) || link.includes(fixtures.forge.root.token)) wrong.push([name, link])
    for (const [address] of link.matchAll(/<[^>]+>/g)) {
      const parameters = new URL(address.slice(1, -1)).searchParams
      if (parameters.getAll('page').length !== 1 || parameters.getAll('per_page').join() !== '1') wrong.push([name, address])
    }
  }
  expect(wrong).toEqual([])
})

test('a page or a size that is no number is refused; below 1 they are the first page, and the usual size', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of some) {
    const url = addressOf(fixtures, path) + queryOf(fixtures, endpoint)
    for (const parameter of ['page=x', 'per_page=1.5', 'page[]=2&page[]=3']) {
      const answer = await client.get(`${url}&${parameter}`)
      if (answer.status !== 400 || !answer.body?.error) wrong.push([name, parameter, answer.status, answer.text])
    }
    for (const parameter of ['page=0&per_page=0', 'page=-1&per_page=-3']) {
      const { status, headers } = await client.get(`${url}&${parameter}`)
      if (status !== 200 || headers['x-page'] !== '1' || headers['x-per-page'] !== '20') wrong.push([name, parameter, status, headers])
    }
  }
  expect(wrong).toEqual([])
})

/** As if each row were as large as a portion. */
async function inPortions<T>({ app: { limits } }: Forge, work: () => Promise<T>): Promise<T> {
  const usual = limits.portion_bytes
  const restore = () => {
    limits.portion_bytes = usual
  }
  onTestFinished(restore)
  limits.portion_bytes = 1
  return work().finally(restore)
}

test('a page by its number has the same rows and headers when they are written in portions', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of lists.filter((one) => one.endpoint.keyset || some.includes(one))) {
    // No other test asks for so many, and the whole comes last: it may be kept.
    const url = `${addressOf(fixtures, path)}${queryOf(fixtures, endpoint)}&per_page=99`
    const parts = await inPortions(fixtures.forge, () => client.get(url))
    const whole = await client.get(url)
    const { 'content-length': length, ...headers } = parts.headers
    const isLong = length === undefined
    if (asText(parts.body) !== asText(whole.body) || isLong !== whole.body.length > 1) wrong.push([name, length, parts.text, whole.text])
    for (const header of ['x-total', 'x-next-page', 'link', 'content-type'] as const) {
      if (headers[header] !== whole.headers[header]) wrong.push([name, header, headers[header], whole.headers[header]])
    }
  }
  expect(wrong).toEqual([])
})

test('a page by a cursor ends with its portion, and its link leads to the next row', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  for (const { endpoint, path, name } of lists.filter((one) => one.endpoint.keyset)) {
    const url = `${addressOf(fixtures, path)}${queryOf(fixtures, endpoint)}&per_page=100&pagination=keyset`
    const whole = (await client.get(url)).body as unknown[]
    const rows = await inPortions(fixtures.forge, async () => {
      const found: unknown[] = []
      for (let next: string | undefined = url; next !== undefined; ) {
        const answer = await client.get(next)
        found.push(...answer.body)
        next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(answer.headers.link ?? '')?.[1]
      }
      return found
    })
    // A list may be longer than one whole page.
    if (asText(rows.slice(0, whole.length)) !== asText(whole)) wrong.push([name, rows.length, whole.length])
  }
  expect(wrong).toEqual([])
})
