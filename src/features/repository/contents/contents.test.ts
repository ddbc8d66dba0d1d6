/** Trees and blobs through the API, against what git itself says of the same repository. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { type Files, git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
const names: Files = {
  'README.md': '# Sample\n',
  'z-last.txt': 'z\n',
  'a-first.txt': 'a\n',
  'with space.txt': 'space\n',
  'ünï/cödé 😀.txt': 'unicode\n',
  'new\nline.txt': 'newline\n',
  'quo"te\\.txt': 'quote\n',
  '-dash.txt': 'dash\n',
  'docs/guide.md': 'guide\n',
  'docs/deep/er/leaf.txt': 'leaf\n',
  'docs/deep/page.html': '<script>alert(1)</script>\n',
  'docs/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n',
  'empty.txt': '',
  'binary.bin': everyByte,
  'bin/run.sh': '#!/bin/sh\n',
}

let forge: Forge
let reporter: TestUser
let project: TestProject
const api = (path: string) => forge.as(reporter).get(`/projects/${project.id}/repository/${path}`)

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({ reporter, files: null })
  const folder = await forge.folder()
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  for (const [path, content] of Object.entries(names)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content as string | Buffer)
  }
  await chmod(join(folder, 'bin/run.sh'), 0o755)
  await symlink('README.md', join(folder, 'link'))
  await git(folder, 'add', '--all')
  await git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},vendor/module`)
  await git(folder, 'commit', '--quiet', '--message', 'Everything a tree can hold')
  await git(folder, 'branch', 'feature/one')
  await git(folder, 'tag', '--annotate', '--message', 'One', 'v1.0')
  await git(folder, 'push', '--quiet', await forge.remote(project, forge.root), '--all')
  await git(folder, 'push', '--quiet', await forge.remote(project, forge.root), '--tags')
})

/** Git's own listing, sorted as the API promises: folders, files, submodules. */
async function listedByGit(...args: string[]) {
  const listed = await git(project.dir, 'ls-tree', '-z', ...args)
  const entries = listed
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const tab = line.indexOf('\t')
      const [mode, type, id] = line.slice(0, tab).split(' ')
      const path = line.slice(tab + 1)
      return { id, name: path.slice(path.lastIndexOf('/') + 1), type, path, mode }
    })
  return ['tree', 'blob', 'commit'].flatMap((type) => entries.filter((entry) => entry.type === type))
}

describe('the tree', () => {
  test('of the root is what git lists: modes, ids and names of every kind, folders before files before submodules', async () => {
    const { status, body } = await api('tree?per_page=100')
    expect(status).toBe(200)
    expect(body).toEqual(await listedByGit('main'))
    expect(body).toContainEqual(expect.objectContaining({ name: 'link', mode: '120000', type: 'blob' }))
    expect(body).toContainEqual(expect.objectContaining({ name: 'new\nline.txt', mode: '100644' }))
  })

  test('of a folder gives paths from the root, with or without slashes around the folder', async () => {
    const expected = await listedByGit('main', 'docs/')
    for (const path of ['docs', 'docs/', '/docs', '%2Fdocs%2F']) expect((await api(`tree?path=${path}`)).body).toEqual(expected)
    expect((await api(`tree?path=${encodeURIComponent('ünï')}`)).body).toEqual(await listedByGit('main', 'ünï/'))
    expect((await api('tree?path=bin')).body).toMatchObject([{ name: 'run.sh', mode: '100755' }])
    expect((await api('tree?path=vendor')).body).toEqual([
      { id: '1'.repeat(40), name: 'module', type: 'commit', path: 'vendor/module', mode: '160000' },
    ])
  })

  test('with recursive is everything however deep', async () => {
    expect((await api('tree?recursive=true&per_page=100')).body).toEqual(await listedByGit('-r', '-t', 'main'))
    const below = (await listedByGit('-r', '-t', 'main', 'docs/')).filter(({ path }) => path !== 'docs')
    expect((await api('tree?recursive=1&path=docs')).body).toEqual(below)
  })

  test('comes in pages that together are the whole', async () => {
    const whole = (await api('tree?recursive=true&per_page=100')).body
    const pages = []
    for (let page = 1; page <= Math.ceil(whole.length / 7); page += 1) {
      const { body, headers } = await api(`tree?recursive=true&per_page=7&page=${page}`)
      expect(headers['x-total']).toBe(String(whole.length))
      pages.push(...body)
    }
    expect(pages).toEqual(whole)
    const beyond = await api('tree?page=99')
    expect([beyond.status, beyond.body]).toEqual([200, []])
  })

  test('of a branch with a slash, of a tag, of a commit in full or in short is the same', async () => {
    const { body } = await api('tree')
    const commit = await git(project.dir, 'rev-parse', 'main')
    for (const ref of ['feature/one', 'feature%2Fone', 'v1.0', commit, commit.slice(0, 9), 'refs/heads/main', 'main~0', '']) {
      expect([ref, (await api(`tree?ref=${ref}`)).body]).toEqual([ref, body])
    }
  })

  test('of an unknown ref or what git would misread is not found; of an unknown path or of a file it is empty', async () => {
    const refs = [
      'nothing',
      '-n',
      '--all',
      'main..main',
      ':/Everything',
      '@{-1}',
      'main:docs',
      '^main',
      'main^{tree}',
      'a b',
      '%0a',
      '0'.repeat(40),
    ]
    const paths = [
      'nothing',
      'README.md',
      '..',
      'docs/../docs',
      './docs',
      'docs//deep',
      'README.md/x',
      'vendor/module',
      '-x',
      ':(top)docs',
      '*',
    ]
    for (const ref of refs) {
      const { status, body } = await api(`tree?ref=${encodeURIComponent(ref)}`)
      expect([ref, status, body]).toEqual([ref, 404, { message: '404 Tree Not Found' }])
    }
    for (const path of paths) {
      const { status, body, headers } = await api(`tree?path=${encodeURIComponent(path)}`)
      expect([path, status, body, headers['x-total']]).toEqual([path, 200, [], '0'])
    }
    const { status, body, headers } = await api('tree?path=nothing&pagination=keyset')
    expect([status, body, headers['x-total'], headers.link]).toEqual([200, [], undefined, undefined])
  })

  test('of a repository without a commit is not found', async () => {
    const empty = await forge.project({ files: null })
    const { status, body } = await forge.as(forge.root).get(`/projects/${empty.id}/repository/tree`)
    expect([status, body]).toEqual([404, { message: '404 Tree Not Found' }])
  })
})

describe('a blob', () => {
  test('is given with its size and content, by its full id or an abbreviation', async () => {
    const sha = await git(project.dir, 'rev-parse', 'main:binary.bin')
    const expected = { size: 256, encoding: 'base64', content: everyByte.toString('base64'), sha }
    for (const id of [sha, sha.slice(0, 8)]) expect((await api(`blobs/${id}`)).body).toEqual(expected)
  })

  test('is given raw, byte for byte', async () => {
    const sha = await git(project.dir, 'rev-parse', 'main:binary.bin')
    const { status, bytes, headers } = await api(`blobs/${sha}/raw`)
    expect([status, bytes.equals(everyByte)]).toEqual([200, true])
    expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-length': '256', etag: `"${sha}"` })
  })

  test('that is a page or a drawing is never served as one', async () => {
    for (const path of ['docs/deep/page.html', 'docs/logo.svg']) {
      const sha = await git(project.dir, 'rev-parse', `main:${path}`)
      for (const address of [`blobs/${sha}/raw`, `files/${encodeURIComponent(path)}/raw?ref=main`]) {
        expect((await api(address)).headers).toMatchObject({
          'content-type': 'text/plain; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
        })
      }
    }
  })

  test('that is unknown, a tree, a commit or no id at all is not found', async () => {
    const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
    const commit = await git(project.dir, 'rev-parse', 'main')
    for (const sha of ['0'.repeat(40), tree, commit, 'main', 'main:README.md', '-p', 'abc', 'g'.repeat(40)]) {
      for (const path of [`blobs/${encodeURIComponent(sha)}`, `blobs/${encodeURIComponent(sha)}/raw`]) {
        const { status, body } = await api(path)
        expect([path, status, body]).toEqual([path, 404, { message: '404 Blob Not Found' }])
      }
    }
  })

  test(
    'of more than 32 MB is refused as JSON',
    inFullRun('Half a second of processor. `files.test.ts` refuses a file of more than 32 MB as JSON, too.'),
    async () => {
      const { id, dir } = await forge.project({ files: { huge: Buffer.alloc(33 * 1024 * 1024, 'x') } })
      const sha = await git(dir, 'rev-parse', 'main:huge')
      const { status, body } = await forge.as(forge.root).get(`/projects/${id}/repository/blobs/${sha}`)
      expect([status, body]).toEqual([413, { message: '413 The file is too large for JSON; get it raw' }])
    },
  )
})

test('reporters read the code of private projects, all viewers that of internal and public ones', async () => {
  const [guest, stranger, outsider] = await Promise.all([forge.user(), forge.user(), forge.user({ external: true })])
  const sha = await git(project.dir, 'rev-parse', 'main:README.md')
  const paths = ['tree', `blobs/${sha}`, `blobs/${sha}/raw`, 'files/README.md?ref=main', 'files/README.md/raw?ref=main']
  const more = ['commits', 'commits/main', 'commits/main/diff', 'branches', 'branches/main', 'tags']
  for (const visibility of ['private', 'internal', 'public'] as const) {
    const { id } = await forge.project({ visibility, guest, files: { 'README.md': '# Sample\n' } })
    for (const path of [...paths, ...more]) {
      const statusOf = async (client: ReturnType<Forge['as']>) => (await client.get(`/projects/${id}/repository/${path}`)).status
      const statuses = await Promise.all([guest, stranger, outsider].map((user) => statusOf(forge.as(user))))
      const expected = { private: [403, 404, 404, 404], internal: [200, 200, 404, 404], public: [200, 200, 200, 200] }[visibility]
      expect([visibility, path, ...statuses, await statusOf(forge.anonymous)]).toEqual([visibility, path, ...expected])
    }
  }
})

test('without a ref, a tag named like the default branch doesn’t shadow it', async () => {
  const owner = await forge.user()
  const { dir, id } = await forge.project({ owner, commits: [{ files: { old: '1' } }, { files: { new: '2' } }] })
  await git(dir, 'tag', 'main', 'main~1')
  const [tree, commits] = await Promise.all(['tree', 'commits'].map((path) => forge.as(owner).get(`/projects/${id}/repository/${path}`)))
  expect(tree?.body.map(({ name }: { name: string }) => name)).toEqual(['new', 'old'])
  expect(commits?.headers['x-total']).toBe('2')
})
