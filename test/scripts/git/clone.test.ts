import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { testForge } from '../../support/forge.ts'
import { git, type SeedCommit, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { basic, clone, commit, flush, get, gitBytes, packet, post, workTree } from './wire.ts'

cpuBudget(6, 'Clones by git.')

const tenCommits: SeedCommit[] = Array.from({ length: 10 }, (_, index) => ({
  message: `Commit ${index}`,
  files: { [`file${index}.txt`]: `content ${index}\n` },
}))

/** Every ref with what it points to. */
const refsOf = (dir: string) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags')

for (const version of ['0', '1', '2']) {
  test(`a clone by protocol version ${version} is whole`, async () => {
    const forge = await testForge()
    const project = await forge.project({ commits: [...tenCommits, { files: { 'b.txt': 'b' }, branch: 'side' }] })
    await git(project.dir, 'tag', 'light', 'main')
    await git(project.dir, 'tag', '-m', 'annotated', 'heavy', 'main')

    const folder = await forge.folder()
    await git(folder, '-c', `protocol.version=${version}`, 'clone', '--quiet', '--mirror', await forge.remote(project, forge.root), 'copy')

    const copy = join(folder, 'copy')
    expect(await refsOf(copy)).toBe(await refsOf(project.dir))
    expect(await git(copy, 'fsck', '--full', '--strict')).toBe('')
  })
}

test('a password, a token under any name, and a bearer token open a private project', async () => {
  const forge = await testForge()
  const reporter = await forge.user({ password: 'correct horse' })
  const project = await forge.project({ reporter })
  const at = (name: string, secret: string) => [name, secret].map(encodeURIComponent).join(':')
  const url = async (credentials: string) => (await forge.remote(project)).replace('://', `://${credentials}@`)

  for (const credentials of [
    at(reporter.username, 'correct horse'),
    at(reporter.email.toUpperCase(), 'correct horse'),
    at(reporter.username, reporter.token),
    at('oauth2', reporter.token),
    at('nobody at all', reporter.token),
  ]) {
    const dir = await clone(await url(credentials))
    expect([credentials, await readFile(join(dir, 'README.md'), 'utf8')]).toEqual([credentials, `# ${project.path}\n`])
  }
  const bearer = await get(forge, `/${project.full_path}.git/info/refs?service=git-upload-pack`, {
    authorization: `Bearer ${reporter.token}`,
  })
  expect(bearer.status).toBe(200)
})

test('anybody clones a public project, with and without .git, in any case of its letters', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public', path: 'Open-House' })
  const remote = await forge.remote(project)
  for (const address of [remote, remote.replace(/\.git$/, ''), remote.replace('Open-House', 'open-HOUSE')]) {
    expect(await git(await clone(address), 'rev-parse', 'HEAD')).toBe(await git(project.dir, 'rev-parse', 'main'))
  }
})

test('a project is addressed by its path and not by its number', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  expect((await get(forge, `/${project.id}.git/info/refs?service=git-upload-pack`)).status).toBe(404)
})

test('an empty repository is cloned with its default branch, and pushed to from there', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await clone(await forge.remote(project, forge.root))
  expect(await git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')

  const head = await commit(dir, { 'a.txt': 'a' })
  await git(dir, 'push', '--quiet', 'origin', 'HEAD')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
})

test('a shallow clone has what it asked for, can be deepened, and becomes whole', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: tenCommits })
  const count = (dir: string) => git(dir, 'rev-list', '--count', 'HEAD')

  const dir = await clone(await forge.remote(project, forge.root), '--depth=3')
  expect(await count(dir)).toBe('3')
  await git(dir, 'fetch', '--quiet', '--deepen=2')
  expect(await count(dir)).toBe('5')
  await git(dir, 'fetch', '--quiet', `--shallow-since=${1_700_000_000 + 2 * 60}`)
  expect(await count(dir)).toBe('8')
  await git(dir, 'fetch', '--quiet', '--unshallow')
  expect(await count(dir)).toBe('10')
  await git(dir, '-c', 'protocol.version=0', 'fetch', '--quiet', '--depth=1')
  expect(await count(dir)).toBe('1')
})

test('a push from a shallow clone arrives whole', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: tenCommits })
  const dir = await clone(await forge.remote(project, forge.root), '--depth=1')
  const head = await commit(dir, { 'new.txt': 'new' })
  await git(dir, 'push', '--quiet', 'origin', 'main')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
  expect(await git(project.dir, 'rev-list', '--count', 'main')).toBe('11')
  expect(await git(project.dir, 'fsck', '--full')).toBe('')
})

test('a partial clone leaves blobs behind and gets those it checks out', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { 'a.txt': 'old' } }, { files: { 'a.txt': 'new' } }] })
  const dir = await clone(await forge.remote(project, forge.root), '--filter=blob:none', '--no-checkout')
  const missing = async () => (await git(dir, 'rev-list', '--objects', '--all', '--missing=print')).match(/^\?/gm)?.length ?? 0

  expect(await missing()).toBe(2)
  await git(dir, 'checkout', '--quiet', 'main')
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('new')
  expect(await missing()).toBe(1)
  expect(await git(dir, 'show', 'HEAD~1:a.txt')).toBe('old')
})

test('a fetch brings what is new, and forgets what was pruned', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: tenCommits })
  await git(project.dir, 'branch', 'gone', 'main')
  const dir = await clone(await forge.remote(project, forge.root))
  await git(project.dir, 'branch', '-D', 'gone')
  await git(project.dir, 'branch', 'fresh', 'main~2')

  await git(dir, 'fetch', '--quiet', '--prune')
  expect((await git(dir, 'branch', '--remotes')).replaceAll(' ', '').split('\n')).toEqual([
    'origin/HEAD->origin/main',
    'origin/fresh',
    'origin/main',
  ])
})

test(
  'git compresses its requests where refs are many, and is understood',
  inFullRun('Half a second of processor. `protocol-requests.test.ts` answers a compressed negotiation.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project({ commits: tenCommits })
    // 600 tips of their own: as many wants as make a request worth compressing.
    const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
    const stream = Array.from({ length: 600 }, (_, index) => {
      const at = `Ada <ada@example.com> ${1_700_100_000 + index} +0000`
      return `commit refs/heads/many/${index}\nauthor ${at}\ncommitter ${at}\ndata 1\nx\nM 040000 ${tree} \n\n`
    })
    await gitBytes(project.dir, ['fast-import', '--quiet'], stream.join(''))

    const dir = await forge.folder()
    const encodings: unknown[] = []
    const seen = (request: { headers: Record<string, unknown> }) => encodings.push(request.headers['content-encoding'])
    forge.server.server.on('request', seen)
    for (const version of ['0', '2']) {
      await git(dir, '-c', `protocol.version=${version}`, 'clone', '--quiet', '--mirror', await forge.remote(project, forge.root), version)
      expect(await refsOf(join(dir, version))).toBe(await refsOf(project.dir))
    }
    forge.server.server.off('request', seen)
    expect(encodings).toContain('gzip')
  },
)

test('a compressed request made by hand is answered as a plain one', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const head = await git(project.dir, 'rev-parse', 'main')
  const body = Buffer.concat([packet(`want ${head}\n`), flush, packet('done\n')])
  const address = `/${project.full_path}.git/git-upload-pack`

  const plain = await post(forge, address, body, { user: forge.root })
  const gzip = await post(forge, address, gzipSync(body), { user: forge.root, headers: { 'content-encoding': 'gzip' } })
  const xgzip = await post(forge, address, gzipSync(body), { user: forge.root, headers: { 'content-encoding': 'x-gzip' } })

  expect([plain.status, plain.type]).toEqual([200, 'application/x-git-upload-pack-result'])
  expect(plain.text.startsWith('0008NAK\nPACK')).toBe(true)
  expect([gzip.text, xgzip.text]).toEqual([plain.text, plain.text])
})

test('the advertisement is not to be cached, and names its service', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const answer = await get(forge, `/${project.full_path}.git/info/refs?service=git-upload-pack`)
  expect([answer.status, answer.type, answer.headers.get('cache-control')]).toEqual([
    200,
    'application/x-git-upload-pack-advertisement',
    'no-cache, max-age=0, must-revalidate',
  ])
  expect(answer.text.startsWith('001e# service=git-upload-pack\n0000')).toBe(true)
  const v2 = await get(forge, `/${project.full_path}.git/info/refs?service=git-upload-pack`, { 'git-protocol': 'version=2' })
  expect(v2.text).toContain('000eversion 2\n')
})

test('names with dots, and projects in groups of groups, are cloned and pushed to', async () => {
  const forge = await testForge()
  const top = await forge.group({ path: 'top.level' })
  const below = await forge.group({ path: 'b.e.l.o.w', parent: top })
  const project = await forge.project({ group: below, path: 'a.project.js' })
  expect(project.full_path).toBe('top.level/b.e.l.o.w/a.project.js')

  const dir = await clone(await forge.remote(project, forge.root))
  const head = await commit(dir, { 'a.txt': 'a' })
  await git(dir, 'push', '--quiet', 'origin', 'main')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
})

test('a deleted project is gone for git at once, and its folder after the queue has run', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const remote = await forge.remote(project, forge.root)
  const dir = await clone(remote)

  expect((await forge.as(forge.root).delete(`/projects/${project.id}`)).status).toBe(202)
  const fetched = await tryGit(dir, 'fetch')
  expect([fetched.code, fetched.stderr.includes('The project you were looking for could not be found.')]).toEqual([128, true])
  expect((await get(forge, `/${project.full_path}.git/info/refs?service=git-upload-pack`, basic(forge.root))).status).toBe(404)
  await forge.drain()
  await expect(readFile(join(project.dir, 'HEAD'))).rejects.toThrow('ENOENT')
})

test('a clone of a project that is deleted meanwhile is whole or broken off, and nothing of the project is left', async () => {
  const forge = await testForge()
  // More than the buffers between git and its client hold.
  const large = randomBytes(8 * 1024 * 1024).toString('base64')
  const project = await forge.project({ visibility: 'public', commits: [{ files: { large } }] })
  const wanted = packet(`want ${await git(project.dir, 'rev-parse', 'main')} no-progress\n`)
  const response = await fetch(`${await forge.url()}/${project.full_path}.git/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body: Buffer.concat([wanted, flush, packet('done\n')]),
  })
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const chunks = [(await reader.read()).value as Uint8Array]

  expect((await forge.as(forge.root).delete(`/projects/${project.id}`)).status).toBe(202)
  await forge.drain()
  const end = await (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'whole'
      chunks.push(value)
    }
  })().catch(() => 'broken off')

  const pack = Buffer.concat(chunks).subarray('0008NAK\n'.length)
  const sum = createHash('sha1').update(pack.subarray(0, -20)).digest()
  expect([pack.toString('latin1', 0, 4), end]).toEqual(['PACK', sum.equals(pack.subarray(-20)) ? 'whole' : 'broken off'])
  expect((await get(forge, `/${project.full_path}.git/info/refs?service=git-upload-pack`, basic(forge.root))).status).toBe(404)
  await expect.poll(() => existsSync(project.dir)).toBe(false)
})

test('clones and a push at once are each as if alone', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: tenCommits })
  const remote = await forge.remote(project, forge.root)
  const before = await git(project.dir, 'rev-parse', 'main')
  const dir = await workTree()
  await git(dir, 'fetch', '--quiet', remote, 'main')
  await git(dir, 'reset', '--quiet', '--hard', 'FETCH_HEAD')
  const after = await commit(dir, { 'more.txt': 'more' })

  const [, ...clones] = await Promise.all([git(dir, 'push', '--quiet', remote, 'main'), clone(remote), clone(remote), clone(remote)])
  for (const copy of clones) {
    expect([before, after]).toContain(await git(copy, 'rev-parse', 'HEAD'))
    expect(await git(copy, 'fsck', '--full')).toBe('')
  }
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(after)
})
