/** Refusals at the addresses of repositories, and beside them. */
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openForge, testForge } from '../../test/support/forge.ts'
import { databaseUnavailable } from '../failure.ts'

test('errors of the HTTP server itself have the format of the protocol of the path', async () => {
  const { anonymous } = await testForge()
  const refused = async (path: string) => {
    const { status, headers, text } = await anonymous.request('PUT', path, 'x', { headers: { 'content-type': ';' } })
    return [status, headers['content-type'], text]
  }
  expect(await refused('//no/address/at/all')).toEqual([
    415,
    'application/json',
    JSON.stringify({ error: 'The provided content-type is not supported.' }),
  ])
  expect(await refused('//some/project.git/git-upload-pack')).toEqual([
    415,
    'text/plain; charset=utf-8',
    'The request could not be understood.\n',
  ])
  expect(await refused('//some/project.git/info/lfs/objects/batch')).toEqual([
    415,
    'application/vnd.git-lfs+json',
    expect.stringContaining('"The request could not be understood."'),
  ])
})

test('a fragment is no part of an address, and breaks nothing', async () => {
  const { hostname, port } = new URL(await (await testForge()).url())
  const ask = (address: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET ${address} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`),
      )
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      socket.on('end', () => resolve(text.split('\r\n', 1)[0] as string))
      socket.on('error', reject)
    })
  const upload = `/a/b/uploads/${'0'.repeat(32)}/x`
  for (const address of [upload, '/a/b.git']) {
    expect(await ask(`${address}#/info/refs`)).toBe('HTTP/1.1 404 Not Found')
    expect(await ask(`${address}#%FF/info/refs`)).toBe('HTTP/1.1 400 Bad Request')
  }
  expect(await ask('/a/b.git/info/refs?service=git-upload-pack')).toBe('HTTP/1.1 401 Unauthorized')
})

test('a failure of the server is logged with its cause, at the addresses of git as at those of the API', async () => {
  const cause = new Error('connection refused')
  let isAway = false
  const { app, anonymous } = await openForge({
    beforeStatement() {
      if (isAway) throw databaseUnavailable(cause)
    },
  })
  const logged: unknown[][] = []
  const createChild = app.log.child.bind(app.log)
  vi.spyOn(app.log, 'child').mockImplementation((...args) => {
    const child = createChild(...args)
    child.error = (...line: unknown[]) => void logged.push(line)
    return child
  })
  isAway = true
  for (const path of ['//some/project.git/info/refs?service=git-upload-pack', '/projects/1']) {
    expect([path, (await anonymous.request('GET', path)).status]).toEqual([path, 503])
    expect(logged.splice(0)).toEqual([[{ err: cause }, expect.stringContaining('The database is unavailable')]])
  }
})
