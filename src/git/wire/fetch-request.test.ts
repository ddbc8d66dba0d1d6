import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { parseClone, readRequest } from './fetch-request.ts'

const a = 'a'.repeat(40)
const b = 'b'.repeat(40)

const packet = (line: string) => `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
const body = (...lines: string[]) =>
  Buffer.from(lines.map((line) => (line === 'flush' ? '0000' : line === 'delimiter' ? '0001' : packet(`${line}\n`))).join(''))
const v2 = (...lines: string[]) => body('command=fetch', 'agent=git/2.39.5', 'object-format=sha1', 'delimiter', ...lines, 'done', 'flush')
const cloneOf = (bytes: Buffer) => parseClone(bytes, 'version=2')

test('equal clones have one key, whoever sends them; other wants or depths have another', () => {
  const plain = cloneOf(v2('thin-pack', 'ofs-delta', `want ${a}`, `want ${b}`))
  expect(plain).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), includesTags: false })
  const other = body('command=fetch', 'agent=JGit/7', 'session-id=x', 'object-format=sha1', 'delimiter')
  const tail = v2('thin-pack', 'ofs-delta', `want ${a}`, `want ${b}`).subarray(
    body('command=fetch', 'agent=git/2.39.5', 'object-format=sha1', 'delimiter').length,
  )
  expect(cloneOf(Buffer.concat([other, tail]))).toEqual(plain)

  const digests = [
    plain,
    cloneOf(v2('thin-pack', 'ofs-delta', `want ${a}`)),
    cloneOf(v2('thin-pack', 'ofs-delta', `want ${b}`)),
    cloneOf(v2('ofs-delta', `want ${a}`)),
    cloneOf(v2('ofs-delta', 'deepen 1', `want ${a}`)),
    cloneOf(v2('ofs-delta', 'deepen 2', `want ${a}`)),
    cloneOf(v2('ofs-delta', 'filter blob:none', `want ${a}`)),
    cloneOf(v2('ofs-delta', 'no-progress', `want ${a}`)),
    parseClone(body(`want ${a} thin-pack ofs-delta agent=git/2`, 'flush', 'done'), undefined),
    parseClone(body(`want ${a} ofs-delta agent=git/2`, 'flush', 'done'), undefined),
  ].map((clone) => clone?.digest)
  expect(new Set(digests).size).toBe(digests.length)
  expect(digests).not.toContain(undefined)
})

test('a clone that follows tags says so, in both protocols', () => {
  expect(cloneOf(v2('include-tag', `want ${a}`))?.includesTags).toBe(true)
  expect(parseClone(body(`want ${a} include-tag ofs-delta`, `want ${b}`, 'flush', 'done'), undefined)?.includesTags).toBe(true)
})

test.each([
  ['a client that has commits', v2(`want ${a}`, `have ${b}`), 'version=2'],
  ['one that is shallow', v2(`want ${a}`, `shallow ${b}`), 'version=2'],
  ['one that names refs', v2(`want ${a}`, 'deepen-not refs/heads/main'), 'version=2'],
  ['one that asks for packs elsewhere', v2(`want ${a}`, 'packfile-uris https'), 'version=2'],
  ['one that is not done', body('command=fetch', 'delimiter', `want ${a}`, 'flush'), 'version=2'],
  ['one that wants nothing', v2('ofs-delta'), 'version=2'],
  ['a list of refs', body('command=ls-refs', 'delimiter', 'peel', 'flush'), 'version=2'],
  ['two requests in one body', Buffer.concat([v2(`want ${a}`), v2(`want ${b}`)]), 'version=2'],
  ['a want of no object id', v2('want main'), 'version=2'],
  ['a body cut in a line', v2(`want ${a}`).subarray(0, 60), 'version=2'],
  ['a body of no lines', Buffer.from('want everything'), 'version=2'],
  ['an empty body', Buffer.alloc(0), 'version=2'],
  ['a version there is not', v2(`want ${a}`), 'version=3'],
  ['the first version, which says more', body(`want ${a}`, 'flush', 'done'), 'version=1'],
  ['a shallow clone of the old protocol', body(`want ${a}`, 'deepen 1', 'flush', 'done'), undefined],
  ['haves of the old protocol', body(`want ${a}`, 'flush', `have ${b}`, 'done'), undefined],
  ['a capability that is not known', body(`want ${a} ofs-delta allow-everything`, 'flush', 'done'), undefined],
])('%s is not cached as a clone', (_, bytes, protocol) => {
  expect(parseClone(bytes, protocol)).toBeNull()
})

test('a request is read completely, and a very long one passes through with nothing lost', async () => {
  expect(await readRequest(Readable.from([Buffer.from('ab'), Buffer.from('c')]))).toEqual({ body: Buffer.from('abc'), rest: null })
  const long = Array.from({ length: 6 }, (_, index) => Buffer.alloc(1024 * 1024, index))
  const { body: read, rest } = await readRequest(Readable.from(long))
  const remaining: Buffer[] = []
  for await (const chunk of rest as Readable) remaining.push(chunk)
  expect(read.length).toBe(5 * 1024 * 1024)
  expect(Buffer.concat([read, ...remaining]).equals(Buffer.concat(long))).toBe(true)
})

test('a truncated request is rejected', async () => {
  const broken = new Readable({ read: () => {} })
  broken.push('abc')
  const reading = readRequest(broken)
  broken.destroy(new Error('gone'))
  await expect(reading).rejects.toMatchObject({ code: 'invalid', message: 'The request did not arrive whole.' })
})
