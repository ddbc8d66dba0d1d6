/** Single files through the API, against what git itself says of them. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index))
const odd = ['a/b/c.txt', 'lib/x.y.z.rb', '.hidden', 'with space & more?#%.txt', 'ünï/cödé 😀.txt', '-dash', '~tilde~', "quote'd"]

let forge: Forge
let project: TestProject
let commits: string[]
const address = (path: string, query = 'ref=main') => `/projects/${project.id}/repository/files/${encodeURIComponent(path)}?${query}`
const rawAddress = (path: string, query = 'ref=main') => address(path, query).replace('?', '/raw?')

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({
    commits: [
      {
        files: {
          'README.md': 'one\n',
          'empty.txt': '',
          'binary.bin': everyByte,
          ...Object.fromEntries(odd.map((path) => [path, `${path}\n`])),
        },
      },
      { files: { 'a/b/c.txt': 'changed\n' } },
      { files: { 'README.md': 'two\n' } },
      { files: { other: 'x' } },
      { files: { 'README.md': 'three\n' }, branch: 'side/one' },
    ],
  })
  await git(project.dir, 'tag', '--annotate', '--message', 'One', 'v1', 'main~1')
  commits = (await git(project.dir, 'rev-list', '--reverse', 'main')).split('\n')
})

function described(path: string, ref: string, commit: string, content: Buffer, blob_id: string, last_commit_id: string) {
  return {
    file_name: path.slice(path.lastIndexOf('/') + 1),
    file_path: path,
    size: content.length,
    encoding: 'base64',
    content_sha256: createHash('sha256').update(content).digest('hex'),
    ref,
    blob_id,
    commit_id: commit,
    last_commit_id,
  }
}

/** The headers of a description, as Node gives them: the bytes of UTF-8, each as a character. */
function headersOf(description: Record<string, unknown>) {
  const pairs = Object.entries(description).flatMap(([name, value]) => {
    const text = Buffer.from(String(value)).toString('latin1')
    return ['service', 'gitlab'].map((word) => [`x-${word}-${name.replaceAll('_', '-')}`, text])
  })
  return Object.fromEntries(pairs)
}

test('a file is described by its fields and by headers, whatever its name', async () => {
  for (const path of ['README.md', 'empty.txt', 'binary.bin', ...odd]) {
    const content =
      path === 'binary.bin' ? everyByte : Buffer.from(`${await git(project.dir, 'show', `main:${path}`)}\n`.replace(/^\n$/, ''))
    const blob = await git(project.dir, 'rev-parse', `main:${path}`)
    const last = await git(project.dir, 'rev-list', '--max-count=1', 'main', '--', path)
    const expected = described(path, 'main', commits.at(-1) as string, content, blob, last)

    const { status, body, headers } = await forge.as(forge.root).get(address(path))

    expect([status, body]).toEqual([200, { ...expected, content: content.toString('base64') }])
    expect(headers).toMatchObject(headersOf(expected))
  }
})

test('HEAD gives the headers of GET and no body, also for the raw bytes', async () => {
  for (const path of ['README.md', 'ünï/cödé 😀.txt', 'empty.txt']) {
    for (const at of [address(path), rawAddress(path)]) {
      const { date: _, 'content-length': length, ...all } = (await forge.as(forge.root).get(at)).headers
      // HEAD of the metadata reads no content, from which its tag would be made.
      const { etag: __, 'cache-control': ___, ...untagged } = all
      const expected = at === address(path) ? untagged : all
      const head = await forge.as(forge.root).head(at)
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers).toMatchObject(expected)
      // A length that isn't known without the content may be left out, but never be another one.
      expect([at, head.headers['content-length'] ?? length]).toEqual([at, length])
    }
  }
})

test('a file is given as it was at a branch with a slash, a tag, a commit in full or in short', async () => {
  const first = commits[0] as string
  const cases = [
    ['side%2Fone', 'side/one', 'side/one', 'three\n'],
    ['v1', 'v1', 'v1^{commit}', 'two\n'],
    [first, first, first, 'one\n'],
    [first.slice(0, 8), first.slice(0, 8), first, 'one\n'],
  ] as const
  for (const [query, ref, revision, content] of cases) {
    const { body } = await forge.as(forge.root).get(address('README.md', `ref=${query}`))
    const commit = await git(project.dir, 'rev-parse', revision)
    expect(body).toMatchObject({ ref, commit_id: commit, content: Buffer.from(content).toString('base64') })
  }
})

test('the last commit of a file follows at once when more are pushed', async () => {
  const own = await forge.project({ files: { 'a.txt': '1', 'b.txt': '1' } })
  const folder = await forge.folder()
  const remote = await forge.remote(own, forge.root)
  await git(folder, 'clone', '--quiet', remote, '.')
  for (const round of ['2', '3']) {
    await writeFile(join(folder, 'a.txt'), round)
    await git(folder, 'add', '--all')
    await git(folder, 'commit', '--quiet', '--message', `Round ${round}`)
    await git(folder, 'push', '--quiet', remote, 'main')
    const tip = await git(folder, 'rev-parse', 'HEAD')
    const of = async (path: string) => (await forge.as(forge.root).get(`/projects/${own.id}/repository/files/${path}?ref=main`)).body
    expect(await of('a.txt')).toMatchObject({ commit_id: tip, last_commit_id: tip })
    expect(await of('b.txt')).toMatchObject({ commit_id: tip, last_commit_id: await git(folder, 'rev-list', '--max-parents=0', 'HEAD') })
  }
})

test('the raw bytes are served as they are, with the length, the blob as ETag, and what is known of the file', async () => {
  const binary = await forge.as(forge.root).get(rawAddress('binary.bin'))
  expect(binary.bytes.equals(everyByte)).toBe(true)
  expect(binary.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="binary.bin"`,
    'content-length': '256',
    etag: `"${await git(project.dir, 'rev-parse', 'main:binary.bin')}"`,
    'x-service-file-path': 'binary.bin',
  })
  const unicode = await forge.as(forge.root).get(rawAddress('ünï/cödé 😀.txt'))
  expect(unicode.text).toBe('ünï/cödé 😀.txt\n')
  expect(unicode.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent('cödé 😀.txt')}; filename="c_d_ _.txt"`,
  })
  const empty = await forge.as(forge.root).get(rawAddress('empty.txt'))
  expect([empty.status, empty.headers['content-length'], empty.text]).toEqual([200, '0', ''])
})

test('a name with a newline travels percent-encoded in the headers and as it is in the body', async () => {
  const own = await forge.project({ files: null })
  const folder = await forge.folder()
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  const empty = await git(folder, 'hash-object', '-w', '-t', 'blob', '/dev/null')
  await git(folder, 'update-index', '--add', '--cacheinfo', `100644,${empty},two\nlines\t.txt`)
  await git(folder, 'commit', '--quiet', '--message', 'Odd')
  await git(folder, 'push', '--quiet', await forge.remote(own, forge.root), 'main')
  for (const suffix of ['', '/raw']) {
    const path = `/projects/${own.id}/repository/files/${encodeURIComponent('two\nlines\t.txt')}${suffix}?ref=main`
    const { status, headers, body } = await forge.as(forge.root).get(path)
    expect([status, headers['x-service-file-name'], body?.file_name]).toEqual([
      200,
      'two%0Alines%09.txt',
      suffix ? undefined : 'two\nlines\t.txt',
    ])
  }
})

describe('a large file', () => {
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  /** 20 MB without a part that is like another. */
  const large = Buffer.from(Uint32Array.from({ length: 5 * 1024 * 1024 }, (_, index) => index).buffer)
  const huge = Buffer.alloc(33 * 1024 * 1024, 'x')
  let files: string

  beforeAll(async () => {
    const { id } = await forge.project({ files: { large, huge } })
    files = `/projects/${id}/repository/files`
  })

  test(
    'of 20 MB comes through whole, raw and as JSON',
    inFullRun('1 s of processor. `raw.test.ts` reads a large file and its parts.'),
    async () => {
      expect((await forge.as(forge.root).get(`${files}/large/raw?ref=main`)).bytes.equals(large)).toBe(true)
      const { content, content_sha256 } = (await forge.as(forge.root).get(`${files}/large?ref=main`)).body
      expect([Buffer.from(content, 'base64').equals(large), content_sha256]).toEqual([true, sha256(large)])
    },
  )

  test('of more than 32 MB is refused as JSON and served raw', async () => {
    const { status, body } = await forge.as(forge.root).get(`${files}/huge?ref=main`)
    expect([status, body]).toEqual([413, { message: '413 The file is too large for JSON; get it raw' }])
    const raw = await forge.as(forge.root).get(`${files}/huge/raw?ref=main`)
    expect([raw.headers['content-length'], raw.bytes.equals(huge)]).toEqual([String(huge.length), true])
  })

  test('is described by HEAD whatever its size, without reading its content', async () => {
    const { status, headers } = await forge.as(forge.root).head(`${files}/huge?ref=main`)
    expect([status, headers['x-service-size'], headers['x-service-content-sha256']]).toEqual([200, String(huge.length), sha256(huge)])
  })

  test('is not read for HEAD of its raw bytes', async () => {
    const head = () => forge.as(forge.root).head(`${files}/large/raw?ref=main`)
    expect((await head()).headers['content-length']).toBe(String(large.length))
    expect((await forge.cost(head)).processes).toBe(0)
  })
})

test('without a ref it is the file on the default branch', async () => {
  const [named, plain] = await Promise.all(['ref=main', ''].map((query) => forge.as(forge.root).get(address('README.md', query))))
  expect([plain?.status, plain?.body]).toEqual([200, { ...named?.body, ref: 'HEAD' }])
  const raw = await forge.as(forge.root).get(rawAddress('README.md', ''))
  expect([raw.status, raw.headers['x-gitlab-ref'], raw.headers['x-gitlab-blob-id']]).toEqual([200, 'HEAD', named?.body.blob_id])
  const empty = await forge.project({ files: null })
  expect((await forge.as(forge.root).get(`/projects/${empty.id}/repository/files/README.md`)).body).toEqual({
    message: '404 Commit Not Found',
  })
})

test('an unknown ref is an unknown commit; an unknown path, a folder and what git would misread are unknown files', async () => {
  for (const ref of ['nothing', '-n', '--all', 'main..main', 'main:a', '@{0}', '0'.repeat(40), 'main^{tree}']) {
    for (const at of [address('README.md', `ref=${encodeURIComponent(ref)}`), rawAddress('README.md', `ref=${encodeURIComponent(ref)}`)]) {
      const { status, body } = await forge.as(forge.root).get(at)
      expect([at, status, body]).toEqual([at, 404, { message: '404 Commit Not Found' }])
    }
  }
  for (const path of [
    'nothing',
    'a',
    'a/b',
    '../README.md',
    'a/../README.md',
    './README.md',
    'a//b/c.txt',
    'README.md/x',
    '--help',
    ':README.md',
    '.git/config',
  ]) {
    for (const at of [address(path), rawAddress(path)]) {
      const { status, body } = await forge.as(forge.root).get(at)
      expect([at, status, body]).toEqual([at, 404, { message: '404 File Not Found' }])
    }
  }
})
