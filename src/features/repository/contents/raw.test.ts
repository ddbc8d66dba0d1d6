/** Raw bytes: conditions and ranges, of files and of blobs, small ones and streamed ones. */
import { createHash, randomBytes } from 'node:crypto'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { streamedFrom_bytes } from '../../../git/objects/blobs.ts'

const small = Buffer.from('0123456789')
const large = randomBytes(streamedFrom_bytes + 100_000)

let forge: Forge
let project: TestProject
/** URLs of `small` and `large`: as a file, and of the small one as a blob, too. */
let addresses: Record<'small' | 'large', string[]>
const get = (path: string, headers: Record<string, string> = {}) => forge.as(forge.root).get(path, { headers })
const head = (path: string, headers: Record<string, string> = {}) => forge.as(forge.root).head(path, { headers })
const both = () => [...addresses.small.map((path) => [path, small] as const), ...addresses.large.map((path) => [path, large] as const)]

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({ files: { small, large, empty: '' } })
  const repository = `/projects/${project.id}/repository`
  const of = async (name: string) => [
    `${repository}/files/${name}/raw?ref=main`,
    `${repository}/blobs/${await git(project.dir, 'rev-parse', `main:${name}`)}/raw`,
  ]
  // A large one costs more to read: one address of it will do.
  addresses = { small: await of('small'), large: (await of('large')).slice(0, 1) }
})

describe('a range', () => {
  test('is answered with its bytes, its position and the total', async () => {
    for (const [path, bytes] of both()) {
      const size = bytes.length
      for (const [range, start, end] of [
        ['bytes=0-0', 0, 0],
        ['bytes=2-5', 2, 5],
        ['bytes=4-', 4, size - 1],
        ['bytes=-3', size - 3, size - 1],
        [`bytes=${size - 1}-`, size - 1, size - 1],
        ['bytes=0-99999999999', 0, size - 1],
        ['bytes=-99999999999', 0, size - 1],
      ] as const) {
        const answer = await get(path, { range })
        expect([path, range, answer.status, answer.bytes.equals(bytes.subarray(start, end + 1))]).toEqual([path, range, 206, true])
        expect(answer.headers).toMatchObject({
          'content-range': `bytes ${start}-${end}/${size}`,
          'content-length': String(end - start + 1),
          'accept-ranges': 'bytes',
          'content-security-policy': expect.stringContaining('sandbox'),
        })
      }
    }
  })

  test('that spans chunks of a large file is complete', async () => {
    const path = addresses.large[0] as string
    for (const [start, end] of [
      [65_535, 65_536],
      [100_000, 1_100_000],
      [streamedFrom_bytes - 1, streamedFrom_bytes + 1],
    ] as const) {
      const { bytes } = await get(path, { range: `bytes=${start}-${end}` })
      expect([start, bytes.equals(large.subarray(start, end + 1))]).toEqual([start, true])
    }
  })

  test('past the end gets 416 and the size without a git process', async () => {
    for (const [path, bytes] of both()) {
      await get(path)
      for (const range of [`bytes=${bytes.length}-`, 'bytes=99999999999999999999-', 'bytes=-0']) {
        const ask = async () => {
          const { status, body, headers } = await get(path, { range })
          expect([range, status, body]).toEqual([range, 416, { error: '416 Range Not Satisfiable' }])
          expect(headers['content-range']).toBe(`bytes */${bytes.length}`)
        }
        expect((await forge.cost(ask)).processes).toBe(0)
      }
    }
    expect((await get(`/projects/${project.id}/repository/files/empty/raw?ref=main`, { range: 'bytes=0-' })).status).toBe(416)
  })

  test('that is malformed, multiple or in other units gives the whole file', async () => {
    const path = addresses.small[0] as string
    for (const range of ['bytes=0-1,3-4', 'bytes=5-2', 'lines=0-1', 'bytes=x-y', 'bytes=', '0-1', 'bytes=-']) {
      const { status, bytes, headers } = await get(path, { range })
      expect([range, status, bytes.equals(small), headers['content-range']]).toEqual([range, 200, true, undefined])
    }
  })

  test(
    'with If-Range counts only while the bytes are still those',
    inFullRun('1 s of processor. Ranges are answered above, ETags below.'),
    async () => {
      for (const [path, bytes] of both()) {
        const { etag = '' } = (await head(path)).headers
        const range = 'bytes=1-2'
        expect((await get(path, { range, 'if-range': etag })).status).toBe(206)
        for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT', '']) {
          const answer = await get(path, { range, 'if-range': other })
          expect([other, answer.status, answer.bytes.length]).toEqual([other, 200, bytes.length])
        }
        // One that can't be satisfied neither: the whole is wanted then.
        expect((await get(path, { range: 'bytes=99999999999-', 'if-range': '"other"' })).status).toBe(200)
      }
    },
  )

  test('is ignored by HEAD, which describes the whole and announces ranges', async () => {
    for (const [path, bytes] of both()) {
      const { status, headers, text } = await head(path, { range: 'bytes=1-2' })
      expect([status, headers['content-length'], headers['accept-ranges'], text]).toEqual([200, String(bytes.length), 'bytes', ''])
    }
  })
})

describe('a caller with a matching ETag', () => {
  test('gets 304 without a git process, by GET and HEAD, for any name of the file', async () => {
    for (const [path] of both()) {
      const { etag = '' } = (await head(path)).headers
      expect(etag).toMatch(/^"[0-9a-f]{40}"$/)
      for (const sent of [etag, `W/${etag}`, `"x", W/"y" , ${etag}`, '*']) {
        for (const ask of [get, head]) {
          const asked = async () => {
            const answer = await ask(path, { 'if-none-match': sent, range: 'bytes=99999999999-' })
            expect([sent, answer.status, answer.text, answer.headers.etag]).toEqual([sent, 304, '', etag])
            expect(answer.headers['content-length']).toBe(undefined)
          }
          expect((await forge.cost(asked)).processes).toBe(0)
        }
      }
    }
  })

  test('costs no process besides cat-file the first time', async () => {
    const fresh = await forge.project({ files: { one: 'one\n', two: randomBytes(streamedFrom_bytes) } })
    for (const name of ['one', 'two']) {
      const etag = `"${await git(fresh.dir, 'rev-parse', `main:${name}`)}"`
      const ask = async () => {
        forge.app.git.objects.release(fresh.dir)
        const path = `/projects/${fresh.id}/repository/files/${name}/raw?ref=main`
        expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
      }
      expect([name, (await forge.cost(ask)).processes]).toEqual([name, 1])
    }
  })

  test('gets the bytes if the ETag is another’s or malformed', async () => {
    const path = addresses.small[0] as string
    const { etag = '' } = (await head(path)).headers
    const bare = etag.replaceAll('"', '')
    for (const sent of ['"other"', bare, `"${bare.slice(0, 39)}"`, `"${bare.toUpperCase()}x"`, '', 'W/', '"']) {
      const answer = await get(path, { 'if-none-match': sent })
      expect([sent, answer.status, answer.bytes.equals(small)]).toEqual([sent, 200, true])
    }
  })

  test('learns nothing if they may not read the code', async () => {
    const stranger = await forge.user()
    for (const path of addresses.small) {
      for (const headers of [{ 'if-none-match': '*' }, { range: 'bytes=0-1' }]) {
        const answer = await forge.as(stranger).get(path, { headers })
        expect([answer.status, answer.body]).toEqual([404, { message: '404 Project Not Found' }])
      }
    }
  })
})

describe('submodules and links in a tree', () => {
  let odd: TestProject
  const at = (rest: string) => `/projects/${odd.id}/repository/${rest}`

  beforeAll(async () => {
    odd = await forge.project({ files: null })
    const folder = await forge.folder()
    await git(folder, 'init', '--quiet', '--initial-branch=main')
    await symlink('../outside/of the tree', join(folder, 'link'))
    await git(folder, 'add', '--all')
    await git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib/module`)
    await git(folder, 'commit', '--quiet', '--message', 'Odd')
    await git(folder, 'push', '--quiet', await forge.remote(odd, forge.root), 'main')
  })

  test('a submodule is listed as one and is no file, raw or not, nor anything below it', async () => {
    expect((await get(at('tree?path=lib'))).body).toMatchObject([{ type: 'commit', mode: '160000', path: 'lib/module' }])
    for (const path of ['lib%2Fmodule', 'lib%2Fmodule%2FREADME.md']) {
      for (const suffix of ['', '/raw']) {
        const { status, body } = await get(at(`files/${path}${suffix}?ref=main`))
        expect([path, status, body]).toEqual([path, 404, { message: '404 File Not Found' }])
      }
    }
    expect((await get(at(`blobs/${'1'.repeat(40)}`))).status).toBe(404)
  })

  test('a symbolic link gives the text of its target, and is not followed', async () => {
    expect((await get(at('files/link/raw?ref=main'))).text).toBe('../outside/of the tree')
    const { body } = await get(at('files/link?ref=main'))
    expect(Buffer.from(body.content, 'base64').toString()).toBe('../outside/of the tree')
    expect((await get(at('tree'))).body[1]).toMatchObject({ name: 'link', type: 'blob', mode: '120000' })
    expect((await get(at('files/link%2Fx?ref=main'))).status).toBe(404)
  })
})

test('a large file is described by its hash however it is read', async () => {
  const { headers } = await head(addresses.large[0] as string)
  expect(headers['x-service-content-sha256']).toBe(createHash('sha256').update(large).digest('hex'))
})
