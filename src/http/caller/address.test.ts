/** The address of a client: as trusted proxies forward it, and as nobody else says it. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { buildServer } from '../../server.ts'

interface Sent {
  from: string
  forwarded?: string
  headers?: Record<string, string>
  path?: string
}

/** The status, and the address in the log, of a request to a service behind these proxies. */
async function ask(trusted_proxies: string[], { from, forwarded, headers = {}, path = '/-/health' }: Sent): Promise<[number, string]> {
  const { app } = await testForge()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const server = await buildServer({ ...app, log, config: { ...app.config, trusted_proxies } })
  try {
    const { statusCode } = await server.inject({
      url: path,
      remoteAddress: from,
      headers: { ...headers, ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
    })
    const entry = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request')
    return [statusCode, entry.ip]
  } finally {
    await server.close()
  }
}

const local = ['127.0.0.0/8', '::1']

test.each([
  [local, '127.0.0.1', '192.0.2.1', '192.0.2.1'],
  [local, '::1', '192.0.2.1', '192.0.2.1'],
  [local, '::ffff:127.0.0.1', '2001:db8::9', '2001:db8::9'],
  // Whatever the client had written before the proxy wrote whom it saw.
  [local, '127.0.0.1', '10.0.0.1, 127.0.0.1, 203.0.113.9, 192.0.2.1', '192.0.2.1'],
  // Through two proxies.
  [[...local, '10.0.0.0/8'], '127.0.0.1', '192.0.2.66, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
  // From who is no proxy, nothing is believed.
  [local, '192.0.2.2', '127.0.0.1', '192.0.2.2'],
  [local, '192.0.2.2', '198.51.100.7', '192.0.2.2'],
  [local, '10.0.0.1', '198.51.100.7', '10.0.0.1'],
  [[], '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  // No address at all.
  [local, '127.0.0.1', 'unknown', '127.0.0.1'],
  [local, '127.0.0.1', '<script>', '127.0.0.1'],
  [local, '127.0.0.1', '', '127.0.0.1'],
])('behind %j a request of %s for %j is logged as of %s', async (proxies, from, forwarded, expected) => {
  expect(await ask(proxies, { from, forwarded })).toEqual([200, expected])
})

test('metrics are for loopback clients, not for forged or forwarded ones', async () => {
  const path = '/-/metrics'
  const proxies = [...local, '10.0.0.1']
  expect((await ask(proxies, { from: '127.0.0.1', path }))[0]).toBe(200)
  for (const sent of [
    { from: '192.0.2.1', forwarded: '127.0.0.1' },
    { from: '127.0.0.1', forwarded: '127.0.0.1' },
    { from: '10.0.0.1', forwarded: '127.0.0.1' },
    { from: '10.0.0.1' },
    { from: '127.0.0.1', headers: { forwarded: 'for=127.0.0.1' } },
    { from: '127.0.0.1', headers: { 'x-real-ip': '192.0.2.1' } },
  ])
    expect([sent, (await ask(proxies, { ...sent, path }))[0]]).toEqual([sent, 404])
})
