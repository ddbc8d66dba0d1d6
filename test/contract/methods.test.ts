/** A method that a path doesn't have is refused with the list of those that it has. */
import { expect, test } from 'vitest'
import { ofEveryEndpoint, sampled, saySample } from './world/budgets.ts'
import { addressOf, contractFixtures, everyServed, expectMany, served } from './world/fixtures.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods each path answers to. */
const declared = new Map<string, Set<string>>()
for (const { endpoint, path: written } of everyServed) {
  // An alias of an older client has two slashes where the server sees one.
  const path = written.replaceAll('//', '/')
  const known = declared.get(path) ?? new Set()
  declared.set(path, known.add(endpoint.method))
  if (endpoint.method === 'GET') known.add('HEAD')
}
for (const path of declared.keys()) if (!served.some((one) => one.path === path)) declared.delete(path)

/**
 * In the gate one path in eight is asked with every method. `OPTIONS` of all the others tells what the table of routes has for them, from
 * which the refusal is made.
 */
const asked = sampled([...declared], 8, ([path]) => path)
saySample('methods', asked.length, declared.size)

test('a method nobody declared is refused with 405 and the list of those that are, whoever asks', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const [path, known] of asked) {
    for (const method of methods.filter((method) => !known.has(method))) {
      for (const client of [fixtures.forge.anonymous, fixtures.forge.as(fixtures.forge.root)]) {
        const answer = await client.request(method, addressOf(fixtures, path), method === 'GET' || method === 'HEAD' ? undefined : {})
        const allowed = (answer.headers.allow ?? '').split(', ').sort()
        const bodyless = method === 'HEAD' || answer.body?.message === '405 Method Not Allowed'
        if (answer.status !== 405 || !bodyless || allowed.join() !== [...known, 'OPTIONS'].sort().join())
          wrong.push([method, path, answer.status, answer.headers.allow, answer.text])
      }
    }
  }
  expectMany(declared.size, 10)
  expect(wrong).toEqual([])
})

test('OPTIONS says which methods a path takes', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const wrong: unknown[] = []
  for (const [path, known] of declared) {
    const answer = await fixtures.forge.anonymous.request('OPTIONS', addressOf(fixtures, path))
    const allowed = (answer.headers.allow ?? '').split(', ').sort()
    if (answer.status !== 204 || allowed.join() !== [...known, 'OPTIONS'].sort().join())
      wrong.push([path, answer.status, answer.headers.allow])
  }
  expect(wrong).toEqual([])
})

test('HEAD answers as GET does, without the body', ofEveryEndpoint, async () => {
  const fixtures = await contractFixtures()
  const { queryOf } = await import('./world/fixtures.ts')
  const client = fixtures.forge.as(fixtures.forge.root)
  const wrong: unknown[] = []
  const reading = served.filter(({ endpoint }) => endpoint.method === 'GET')
  // A stream has an answer of its own to it.
  const own = reading.filter(({ endpoint }) => endpoint.headStatus !== null || endpoint.kind === 'stream')
  const others = reading.filter((one) => !own.includes(one))
  for (const { endpoint, path, name } of [...own, ...sampled(others, 8, ({ name }) => name)]) {
    const url = addressOf(fixtures, path) + queryOf(fixtures, endpoint)
    const [get, head] = [await client.get(url), await client.head(url)]
    // The length may be left untold; a wrong one may not.
    const lengths = [get.headers['content-length'], undefined]
    if (endpoint.headStatus !== null) {
      if (get.status !== 200 || head.status !== endpoint.headStatus || head.bytes.length > 0) wrong.push([name, head.status, head.headers])
      continue
    }
    const same =
      ['content-type', 'x-total', 'link'].every((header) => get.headers[header] === head.headers[header]) &&
      // How long a job has run is told in more digits, or fewer, by then.
      (lengths.includes(head.headers['content-length']) || /\/(?:jobs|bridges|current_job)\b/.test(path))
    if (head.status !== get.status || head.bytes.length > 0 || !same) wrong.push([name, head.status, head.headers, get.headers])
  }
  expect(wrong).toEqual([])
})
