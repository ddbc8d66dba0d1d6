/** Requests that the server refuses before any route sees them. */
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'

test('a request with two Host headers is refused, whichever of them is right, and one with a single Host is served', async () => {
  const forge = await testForge()
  const url = new URL(await forge.url())
  const ask = async (hosts: string[], path: string) => {
    const headers = hosts.flatMap((host, index) => [index % 2 === 0 ? 'Host' : 'hOST', host])
    const asking = request(new URL(path, url), { agent: false, setHost: false, headers: ['Connection', 'close', ...headers] })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => asking.once('response', resolve).once('error', reject).end())
    return [answer.statusCode, await text(answer)] as const
  }
  for (const path of ['/api/v4/version', '/users/sign_in', '/-/liveness', '/a/b.git/info/refs?service=git-upload-pack', '/nothing/here']) {
    for (const hosts of [
      [url.host, 'evil.test'],
      ['evil.test', url.host],
      [url.host, url.host],
    ]) {
      const [status, body] = await ask(hosts, path)
      expect([path, status]).toEqual([path, 400])
      expect(body).toContain('more than one Host header')
    }
  }
  expect((await ask([url.host], '/-/liveness'))[0]).toBe(200)
})
