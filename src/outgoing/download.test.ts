/** Downloads: only from addresses that were checked, those that a redirect leads to as well. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDownload } from './download.ts'
import { type PinnedTarget, pinTarget, readTarget } from './ssrf-guard.ts'

/** Redirects to the address in its path, and `/again` to itself; an empty path has a text. */
const server = createServer(({ url = '' }, reply) => {
  const location = url === '/again' ? url : decodeURIComponent(url.slice(1))
  if (location === '') reply.end('here')
  else reply.writeHead(302, { location }).end()
})
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** A target whose name was resolved by the check. No name server knows it, so the download must not look it up again. */
const target = (path: string): PinnedTarget => ({
  url: `http://checked.invalid:${port}/${encodeURIComponent(path)}`,
  host: 'checked.invalid',
  port,
  credentials: null,
  addresses: ['127.0.0.1'],
})

const options = () => ({ headers: {}, deadline_ms: 30_000, signal: new AbortController().signal })
const outcome = (path: string, follow?: (url: string) => Promise<PinnedTarget>) =>
  openDownload(target(path), { ...options(), ...(follow && { follow }) }).then(text, (error: Error) => error.message)

test('a redirect fails if the caller has no check of where it leads', async () => {
  expect([await outcome(''), await outcome('/')]).toEqual(['here', 'The host answered with 302'])
})

test('up to three redirects are followed, to addresses that the check allows, and never to this machine or its network', async () => {
  const followed: string[] = []
  const back = async (url: string) => {
    followed.push(url)
    return { ...target(''), url }
  }
  expect(await outcome('/', back)).toBe('here')
  expect(await outcome('again', back)).toBe('The host answered with 302')
  const at = `http://checked.invalid:${port}`
  expect(followed).toEqual([`${at}/`, ...Array(3).fill(`${at}/again`)])

  const guard = (url: string) =>
    pinTarget(readTarget(url, { local: false }), { local: false, resolve: async () => ['127.0.0.1', '93.184.215.14'] })
  for (const inside of ['http://169.254.169.254/', 'http://0x7f.1/', 'http://[::ffff:127.0.0.1]/', 'https://rebound.example/'])
    expect([inside, await outcome(inside, guard)]).toEqual([inside, 'Requests to the local network are not allowed'])
  expect(await outcome('file:///etc/passwd', guard)).toBe('Only allowed protocols are http, https')
})
