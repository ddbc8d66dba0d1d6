/** Archives through the API: what comes out of them is what git has. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { processesOn } from '../../../../test/scripts/git/wire.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { canArchive } from '../../../git/wire/archive.ts'

const exec = promisify(execFile)
const files = {
  'README.md': '# Sample\n',
  'src/main.c': 'int main;\n',
  'ünï 😀.txt': 'unicode\n',
  empty: '',
  'secret.txt': 'not for archives\n',
}
const ignored = { ...files, '.gitattributes': 'secret.txt export-ignore\nversion export-subst\n', version: '$Format:%H$\n' }

let forge: Forge
let reporter: TestUser
let project: TestProject
let commit: string
const address = (rest = '') => `/projects/${project.id}/repository/archive${rest}`
const api = (rest = '', headers = {}) => forge.as(reporter).get(address(rest), { headers })

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({
    reporter,
    path: 'sample.x',
    commits: [{ files: { old: 'old\n' } }, { files: { ...ignored, old: null } }],
  })
  await git(project.dir, 'tag', '--annotate', '--message', 'One', 'v1.0', 'main~1')
  await git(project.dir, 'branch', 'feature/one', 'main')
  commit = await git(project.dir, 'rev-parse', 'main')
})

/** Every file below the one folder of a tar. */
async function unpacked(tar: Buffer): Promise<{ folder: string[]; files: Record<string, string> }> {
  const place = await forge.folder()
  const untar = exec('tar', ['-xf', '-', '-C', place])
  untar.child.stdin?.end(tar)
  await untar
  const folder = await readdir(place)
  const found: Record<string, string> = {}
  for (const entry of await readdir(join(place, folder[0] as string), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path.slice(join(place, folder[0] as string).length + 1)] = await readFile(path, 'utf8')
  }
  return { folder, files: found }
}

const sorted = (object: Record<string, string>) => Object.entries(object).sort()

test('an archive has the files of the commit in one folder named by project, ref and commit; attributes are obeyed', async () => {
  const { status, bytes, headers } = await api()
  const name = `sample.x-main-${commit}`
  const { 'secret.txt': _, ...exported } = { ...ignored, version: `${commit}\n` }
  const { folder, files } = await unpacked(gunzipSync(bytes))
  expect([status, folder, sorted(files)]).toEqual([200, [name], sorted(exported)])
  expect(headers).toMatchObject({
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${name}.tar.gz"`,
    'accept-ranges': 'none',
    'x-content-type-options': 'nosniff',
    etag: expect.stringMatching(/^W\/"[0-9a-f]{40}"$/),
  })
})

describe('an archive format', () => {
  const formats = [
    ['tar.gz', 'application/gzip', 'tar.gz'],
    ['tar.bz2', 'application/x-bzip2', 'tar.bz2'],
    ['tbz', 'application/x-bzip2', 'tar.bz2'],
    ['tbz2', 'application/x-bzip2', 'tar.bz2'],
    ['tb2', 'application/x-bzip2', 'tar.bz2'],
    ['bz2', 'application/x-bzip2', 'tar.bz2'],
    ['tar', 'application/x-tar', 'tar'],
    ['zip', 'application/zip', 'zip'],
  ] as const

  /** The tar inside, for formats that pack one. */
  async function tarIn(extension: string, bytes: Buffer): Promise<Buffer> {
    if (extension === 'tar.gz') return gunzipSync(bytes)
    if (extension !== 'tar.bz2') return bytes
    const unzip = exec('bzip2', ['-dc'], { encoding: 'buffer' })
    unzip.child.stdin?.end(bytes)
    return (await unzip).stdout
  }

  test('may be given by parameter or by extension, with the same result', async () => {
    const plain = (await api('?format=tar')).bytes
    const possible = (await canArchive('tar.bz2')) ? formats : formats.filter(([, , extension]) => extension !== 'tar.bz2')
    for (const [format, type, extension] of possible) {
      const [one, other] = [await api(`?format=${format}`), await api(`.${format}`)]
      expect([format, one.status, one.headers['content-type'], one.bytes.equals(other.bytes)]).toEqual([format, 200, type, true])
      for (const { headers } of [one, other]) expect(headers['content-disposition']).toContain(`-${commit}.${extension}"`)
      if (extension === 'zip') expect(one.bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
      else expect([format, (await tarIn(extension, one.bytes)).equals(plain)]).toEqual([format, true])
    }
  })

  test('in an unknown format is rejected, and as an unknown extension not found', async () => {
    for (const format of ['rar', 'TAR', 'tar.xz', '-o/tmp/x', '../zip', 'constructor']) {
      const asked = await api(`?format=${encodeURIComponent(format)}`)
      expect([format, asked.status, asked.body]).toEqual([format, 400, { error: 'format does not have a valid value' }])
      expect([format, (await api(`.${encodeURIComponent(format)}`)).status]).toEqual([format, 404])
    }
  })

  test('whose program isn’t installed is refused, naming others', async () => {
    const { PATH } = process.env
    process.env.PATH = await forge.folder()
    try {
      for (const client of [forge.as(reporter).get, forge.as(reporter).head]) expect((await client(address('.bz2'))).status).toBe(406)
      const { body } = await api('?format=tbz2')
      expect(body).toEqual({ message: '406 This server has no bzip2; ask for tar.gz, tar or zip' })
    } finally {
      process.env.PATH = PATH
    }
  })
})

test('a branch with a slash, a tag, an older commit in full or in short are archived, each under its own name', async () => {
  const first = await git(project.dir, 'rev-parse', 'main~1')
  for (const [sha, slug, oid, expected] of [
    ['feature/one', 'feature-one', commit, 6],
    ['v1.0', 'v1.0', first, 1],
    [first, first, first, 1],
    [first.slice(0, 8), first.slice(0, 8), first, 1],
    ['main~1', 'main~1', first, 1],
  ] as const) {
    const { bytes } = await api(`.tar?sha=${encodeURIComponent(sha)}`)
    const { folder, files } = await unpacked(bytes)
    expect([folder, Object.keys(files).length]).toEqual([[`sample.x-${slug}-${oid}`], expected])
  }
})

test('a ref with characters special to shells or headers is only a name', async () => {
  const odd = `a$(id);'"b&<é>|x`
  await git(project.dir, 'branch', '--force', odd, 'main')
  const { status, headers, bytes } = await api(`.tar?sha=${encodeURIComponent(odd)}`)
  const name = `sample.x-${odd}-${commit}`
  expect([status, (await unpacked(bytes)).folder]).toEqual([200, [name]])
  const encoded = encodeURIComponent(`${name}.tar`).replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29')
  const plain = `sample.x-a_(id)___b_____x-${commit}.tar`
  expect(headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${encoded}; filename="${plain}"`)
})

test('an unknown ref, an option, a non-commit and an empty repository are 404', async () => {
  const blob = await git(project.dir, 'rev-parse', 'main:README.md')
  for (const sha of [
    'nothing',
    '-n',
    '--output=/tmp/x',
    '--remote=x',
    'main..v1.0',
    '@{0}',
    ':/x',
    'main:src',
    blob,
    '0'.repeat(40),
    'a b',
  ]) {
    for (const at of [`?sha=${encodeURIComponent(sha)}`, `.zip?sha=${encodeURIComponent(sha)}`]) {
      const { status, body } = await api(at)
      expect([at, status, body]).toEqual([at, 404, { message: '404 File Not Found' }])
    }
  }
  const empty = await forge.project({ files: null })
  const { status, body } = await forge.as(forge.root).get(`/projects/${empty.id}/repository/archive`)
  expect([status, body]).toEqual([404, { message: '404 File Not Found' }])
})

test('a matching ETag gets 304 without a git process, and HEAD starts none', async () => {
  const { etag = '' } = (await api()).headers
  for (const sent of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
    const ask = async () => {
      const answer = await api('', { 'if-none-match': sent })
      expect([sent, answer.status, answer.text, answer.headers.etag]).toEqual([sent, 304, '', etag])
    }
    expect((await forge.cost(ask)).processes).toBe(0)
  }
  const head = async () => {
    const answer = await forge.as(reporter).head(address())
    expect([answer.status, answer.text, answer.headers.etag, answer.headers['content-length']]).toEqual([200, '', etag, undefined])
  }
  expect((await forge.cost(head)).processes).toBe(0)
  const others = [await api('.zip'), await api('?sha=v1.0'), await api('?sha=feature/one')].map(({ headers }) => headers.etag)
  expect(new Set([etag, ...others]).size).toBe(4)
  expect((await api('', { 'if-none-match': others.join() })).status).toBe(200)
})

test('archives don’t serve ranges, as their length is unknown', async () => {
  const { status, headers } = await api('.tar', { range: 'bytes=0-9' })
  expect([status, headers['content-range']]).toEqual([200, undefined])
})

describe('a large archive', () => {
  const mb = 1024 * 1024
  const parts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, randomBytes(mb)]))

  /** The answer as it begins, over a real socket. */
  async function open(id: number, format: string): Promise<IncomingMessage> {
    const url = `${await forge.url()}/api/v4/projects/${id}/repository/archive.${format}`
    return new Promise((resolve, reject) => {
      request(url, { headers: { 'private-token': forge.root.token } }, resolve)
        .once('error', reject)
        .end()
    })
  }

  test(
    'is not made any further when its reader goes away',
    inFullRun('1 s of processor. `bad-requests.test.ts`: a clone cut in the middle leaves no process behind.'),
    async () => {
      const large = await forge.project({ files: parts(16) })
      for (const format of ['tar', 'tar.gz', 'zip']) {
        const answer = await open(large.id, format)
        await new Promise((resolve) => answer.once('readable', resolve))
        expect(processesOn(large.dir)).not.toEqual([])
        answer.destroy()
        await expect.poll(() => processesOn(large.dir)).toEqual([])
      }
    },
  )

  test('that fails midway is cut off rather than ended; one that fails at the start is an error', async () => {
    const broken = await forge.project({ files: parts(4) })
    const damage = async (name: string) => {
      const oid = await git(broken.dir, 'rev-parse', `main:${name}`)
      const file = join(broken.dir, 'objects', oid.slice(0, 2), oid.slice(2))
      await rm(file)
      await writeFile(file, 'damaged')
    }
    await damage('f3')
    const answer = await open(broken.id, 'tar')
    expect(answer.statusCode).toBe(200)
    await expect(answer.toArray()).rejects.toThrow('aborted')
    await damage('f0')
    const { status, body, headers } = await forge.as(forge.root).get(`/projects/${broken.id}/repository/archive.tar`)
    expect([status, body, headers.etag]).toEqual([500, { message: '500 Internal Server Error' }, undefined])
  })
})
