/** Commits and their changes through the API, against what git itself says of the same history. */
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'

const start_s = 1_600_000_000
const hour_s = 3_600
const at = (index: number) => new Date((start_s + index * hour_s) * 1000).toISOString()

let forge: Forge
/** Ten commits, an hour apart, and a branch of one more. */
let line: TestProject
/** A history with everything a diff can show. */
let work: TestProject
/** Commits of `work` by the word they are about. */
let about: Record<string, string>
const api = (project: TestProject, path: string) => forge.as(forge.root).get(`/projects/${project.id}/repository/commits${path}`)
const ids = (body: Array<{ id: string }>) => body.map(({ id }) => id)
const revList = async (project: TestProject, ...args: string[]) => (await git(project.dir, 'rev-list', ...args)).split('\n')

beforeAll(async () => {
  forge = await testForge()
  line = await forge.project({
    commits: [
      ...Array.from({ length: 10 }, (_, index) => ({
        message: `Number ${index}\n\nBody of ${index}\n`,
        time: start_s + index * hour_s,
        files: { [index % 2 ? 'odd/file.txt' : 'even.txt']: `${'line\n'.repeat(index + 1)}` },
      })),
      { message: 'Aside', time: start_s + 20 * hour_s, branch: 'side/one', files: { aside: '1\n2\n' } },
    ],
  })
  work = await forge.project({ files: null })
  about = await workHistory(work)
})

/** Commits with real git and pushes; gives each commit by the word it is about. */
async function workHistory(project: TestProject): Promise<Record<string, string>> {
  const folder = await forge.folder()
  const file = (name: string) => join(folder, name)
  const known: Record<string, string> = {}
  const commit = async (word: string, ...args: string[]) => {
    await git(folder, 'add', '--all')
    await git(folder, 'commit', '--quiet', ...(args.length > 0 ? args : ['--message', word]))
    known[word] = await git(folder, 'rev-parse', 'HEAD')
  }
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  await writeFile(file('a.txt'), 'one\ntwo\nthree\n')
  await writeFile(file('long.txt'), Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join(''))
  await commit('root')
  await writeFile(file('a.txt'), 'one\n2\nthree\nfour')
  await commit('change')
  await rename(file('long.txt'), file('renamed.txt'))
  await writeFile(file('renamed.txt'), Array.from({ length: 50 }, (_, index) => `line ${index === 25 ? 'x' : index}\n`).join(''))
  await commit('rename')
  await writeFile(file('b.bin'), Buffer.from([0, 1, 2, 3]))
  await writeFile(file('ünï 😀.txt'), 'unicode\n')
  await commit('new')
  await chmod(file('a.txt'), 0o755)
  await commit('mode')
  await rm(file('a.txt'))
  await commit('deleted')
  await writeFile(file('message'), Buffer.from('Caf\u00e9 in Latin-1\n', 'latin1'))
  await git(folder, 'config', 'i18n.commitEncoding', 'ISO-8859-1')
  await commit('encoded', '--file', 'message')
  await git(folder, 'config', '--unset', 'i18n.commitEncoding')
  await git(folder, 'switch', '--quiet', '--create', 'side', 'HEAD~1')
  await writeFile(file('side.txt'), '1\n2\n3\n')
  await commit('side')
  await git(folder, 'switch', '--quiet', 'main')
  await git(folder, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'side')
  known.merge = await git(folder, 'rev-parse', 'HEAD')
  await git(folder, 'commit', '--quiet', '--allow-empty', '--allow-empty-message', '--message', '')
  known.empty = await git(folder, 'rev-parse', 'HEAD')
  await git(folder, 'push', '--quiet', await forge.remote(project, forge.root), 'main', 'side')
  return known
}

/** The fields of a commit as git tells them. */
async function toldByGit(project: TestProject, oid: string) {
  const format = '%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct'
  const [id = '', parents = '', author_name, author_email, authored, committer_name, committer_email, committed] = (
    await git(project.dir, 'log', '-1', `--format=${format}`, oid)
  ).split('\0')
  const raw = (await tryGit(project.dir, 'log', '-1', '--format=%B', oid)).stdout.replace(/\n$/, '')
  const trailers = (await git(project.dir, 'log', '-1', '--format=%(trailers:unfold)', oid)).split('\n').filter(Boolean)
  const instant = (seconds: string | undefined) => new Date(Number(seconds) * 1000).toISOString()
  return {
    id,
    short_id: id.slice(0, 8),
    title: titleOf(raw),
    message: raw,
    parent_ids: parents.split(' ').filter(Boolean),
    author_name,
    author_email,
    authored_date: instant(authored),
    committer_name,
    committer_email,
    committed_date: instant(committed),
    created_at: instant(committed),
    trailers: Object.fromEntries(trailers.map((line) => line.split(/:\s*/, 2))),
    web_url: `${forge.app.config.url}/${project.full_path}/-/commit/${id}`,
  }
}

/** Lines added and deleted against the first parent. */
async function statsByGit(project: TestProject, oid: string) {
  const emptyTree = await git(project.dir, 'hash-object', '-t', 'tree', '/dev/null')
  const { code } = await tryGit(project.dir, 'rev-parse', '--verify', '--quiet', `${oid}^1`)
  const numbers = (await git(project.dir, 'diff', '--numstat', '--no-renames', code === 0 ? `${oid}^1` : emptyTree, oid)).split('\n')
  const sum = (column: number) => numbers.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0)
  return { additions: sum(0), deletions: sum(1), total: sum(0) + sum(1) }
}

describe('the list of commits', () => {
  test('is the history of the default branch, newest first, field by field as git tells it', async () => {
    for (const project of [line, work]) {
      const { status, body, headers } = await api(project, '')
      const oids = await revList(project, 'main')
      expect([status, headers['x-total']]).toEqual([200, String(oids.length)])
      expect(body).toEqual(await Promise.all(oids.map((oid) => toldByGit(project, oid))))
    }
  })

  test('starts from a branch with a slash, a tag or a commit', async () => {
    await git(line.dir, 'tag', '--annotate', '--message', 'Five', 'five', 'main~5')
    const short = (await git(line.dir, 'rev-parse', 'main~2')).slice(0, 8)
    for (const ref of ['side/one', 'five', short, 'main~3', 'refs/heads/main']) {
      expect(ids((await api(line, `?ref_name=${encodeURIComponent(ref)}`)).body)).toEqual(await revList(line, ref))
    }
  })

  test('can be of all refs', async () => {
    const { body, headers } = await api(line, '?all=true')
    expect([ids(body), headers['x-total']]).toEqual([await revList(line, '--all'), '11'])
  })

  test('can be of one file or folder', async () => {
    for (const path of ['odd', 'odd/file.txt', 'even.txt', '/odd/']) {
      const expected = await revList(line, 'main', '--', path.replace(/^\/|\/$/g, ''))
      const { body, headers } = await api(line, `?path=${encodeURIComponent(path)}`)
      expect([ids(body), headers['x-total']]).toEqual([expected, String(expected.length)])
    }
    for (const path of ['nothing', '..', '-x', '*', ':(top)odd']) {
      const { status, body, headers } = await api(line, `?path=${encodeURIComponent(path)}`)
      expect([path, status, body, headers['x-total']]).toEqual([path, 200, [], '0'])
    }
  })

  test('since and until include the instants they name, in any zone', async () => {
    const all = await revList(line, 'main')
    const between = (from: number, to: number) => all.slice(9 - to, 10 - from)
    const cases: Array<[query: string, oids: string[]]> = [
      [`since=${at(4)}`, between(4, 9)],
      [`until=${at(4)}`, between(0, 4)],
      [`since=${at(3)}&until=${at(6)}`, between(3, 6)],
      [`since=${at(4).replace('.000', '.500')}`, between(5, 9)],
      [`until=${at(4).replace('.000', '.500')}`, between(0, 4)],
      ['since=2020-09-13T14:26:40%2B01:00', between(1, 9)],
      ['since=2020-09-13T14:26:40+01:00', between(1, 9)],
      ['since=2100-01-01', []],
    ]
    for (const [query, expected] of cases) {
      const { body, headers } = await api(line, `?${query}`)
      expect([query, ids(body), headers['x-total']]).toEqual([query, expected, String(expected.length)])
    }
    const wrong = await api(line, '?since=yesterday')
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'since is invalid' }])
  })

  test('comes in pages that together are the whole, with the total of the query', async () => {
    const pages = []
    for (const page of [1, 2, 3]) {
      const { body, headers } = await api(line, `?per_page=4&page=${page}`)
      expect(headers).toMatchObject({ 'x-total': '10', 'x-total-pages': '3', 'x-page': String(page) })
      pages.push(...ids(body))
    }
    expect(pages).toEqual(await revList(line, 'main'))
    expect((await api(line, '?per_page=4&page=4')).body).toEqual([])
  })

  test('with statistics counts lines against the first parent, of merges, roots and binary files too', async () => {
    const { body } = await api(work, '?with_stats=true')
    for (const { id, stats } of body) expect([id, stats]).toEqual([id, await statsByGit(work, id)])
    expect((await api(work, '')).body[0]).not.toHaveProperty('stats')
  })

  test('of an unknown ref is empty, as that of a repository without a commit', async () => {
    for (const ref of ['nothing', '-n1', '--all', 'main..side', '@{0}', ':/root', '0'.repeat(40)]) {
      const { status, body, headers } = await api(line, `?ref_name=${encodeURIComponent(ref)}`)
      expect([ref, status, body, headers['x-total']]).toEqual([ref, 200, [], '0'])
    }
    const empty = await forge.project({ files: null })
    for (const query of ['', '?all=true', '?path=x', '?with_stats=true']) {
      const { status, body, headers } = await api(empty, query)
      expect([query, status, body, headers['x-total']]).toEqual([query, 200, [], '0'])
    }
  })
})

describe('one commit', () => {
  test('is found by its id in full or in short, a branch with a slash, a tag', async () => {
    await git(work.dir, 'branch', '--force', 'with/slash', 'side')
    await git(work.dir, 'tag', '--force', '--annotate', '--message', 'x', 'v1.0', 'main~1')
    for (const [sha, revision] of [
      [about.root, about.root],
      [about.root?.slice(0, 7), about.root],
      ['with%2Fslash', 'side'],
      ['v1.0', 'main~1'],
      ['main', 'main'],
    ]) {
      const oid = await git(work.dir, 'rev-parse', revision as string)
      const { status, body } = await api(work, `/${sha}`)
      const expected = { ...(await toldByGit(work, oid)), stats: await statsByGit(work, oid) }
      expect([status, body]).toEqual([200, { ...expected, status: null, last_pipeline: null, project_id: work.id }])
    }
  })

  test('leaves its statistics out when they are not wanted', async () => {
    const { body } = await api(work, '/main?stats=false')
    expect([body.id, 'stats' in body]).toEqual([about.empty, false])
  })

  test('has its message in UTF-8 whatever its encoding, and may have none', async () => {
    expect((await api(work, `/${about.encoded}`)).body).toMatchObject({ title: 'Café in Latin-1', message: 'Café in Latin-1\n' })
    expect((await api(work, `/${about.empty}`)).body).toMatchObject({ title: '--no commit message', message: '' })
  })

  test('that is unknown, or no commit, or what git would misread, is not found', async () => {
    const blob = await git(work.dir, 'rev-parse', 'main:side.txt')
    for (const sha of ['nothing', '0'.repeat(40), blob, '-1', '--all', 'main..side', '@{0}', ':/x', 'main:side.txt', '^main', 'a b']) {
      for (const path of [`/${encodeURIComponent(sha)}`, `/${encodeURIComponent(sha)}/diff`]) {
        const { status, body } = await api(work, path)
        expect([path, status, body]).toEqual([path, 404, { message: '404 Commit Not Found' }])
      }
    }
  })
})

describe('the diff of a commit', () => {
  const diffOf = async (word: string) => (await api(work, `/${about[word]}/diff`)).body
  /** Git's own patch without the lines above its first hunk. */
  const patchOf = async (word: string) => {
    const { stdout } = await tryGit(work.dir, 'diff-tree', '--root', '-p', '-M', '--full-index', '--no-commit-id', about[word] as string)
    return stdout.slice(stdout.search(/^(@@|Binary)/m))
  }
  const plain = { new_file: false, renamed_file: false, deleted_file: false, too_large: false, collapsed: false }

  test('has the patch and equal modes for a change, also without a final newline', async () => {
    const diff = await patchOf('change')
    expect(diff).toContain('\\ No newline at end of file')
    expect(await diffOf('change')).toEqual([{ ...plain, old_path: 'a.txt', new_path: 'a.txt', a_mode: '100644', b_mode: '100644', diff }])
  })

  test('has both paths for a rename, and only further changes', async () => {
    expect(await diffOf('rename')).toEqual([
      {
        ...plain,
        renamed_file: true,
        old_path: 'long.txt',
        new_path: 'renamed.txt',
        a_mode: '100644',
        b_mode: '100644',
        diff: await patchOf('rename'),
      },
    ])
  })

  test('of new files has mode 0 before, and no content of binary ones', async () => {
    const fresh = { ...plain, new_file: true, a_mode: '0', b_mode: '100644' }
    const [binary, text] = await diffOf('new')
    expect(binary).toEqual({ ...fresh, old_path: 'b.bin', new_path: 'b.bin', diff: 'Binary files /dev/null and b/b.bin differ\n' })
    expect(text).toMatchObject({ ...fresh, old_path: 'ünï 😀.txt', new_path: 'ünï 😀.txt' })
    expect(text.diff).toMatch(/@@ -0,0 \+1 @@\n\+unicode\n$/)
  })

  test('of a new mode is empty but for the modes; of a deleted file has mode 0 after', async () => {
    expect(await diffOf('mode')).toEqual([{ ...plain, old_path: 'a.txt', new_path: 'a.txt', a_mode: '100644', b_mode: '100755', diff: '' }])
    expect(await diffOf('deleted')).toEqual([
      { ...plain, deleted_file: true, old_path: 'a.txt', new_path: 'a.txt', a_mode: '100755', b_mode: '0', diff: await patchOf('deleted') },
    ])
  })

  test('of a root has all its files, of a merge what it brings to its first parent, of an empty commit nothing', async () => {
    expect((await diffOf('root')).map(({ new_path }: { new_path: string }) => new_path)).toEqual(['a.txt', 'long.txt'])
    expect(await diffOf('merge')).toMatchObject([{ new_file: true, new_path: 'side.txt' }])
    expect(await diffOf('empty')).toEqual([])
  })

  test('comes in pages that together are the whole', async () => {
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`file${String(index).padStart(2, '0')}`, `${index}\n`]))
    const project = await forge.project({ files })
    const pages = []
    for (const page of [1, 2, 3]) {
      const { body, headers } = await api(project, `/main/diff?per_page=10&page=${page}`)
      expect(headers['x-total']).toBe('25')
      pages.push(...body)
    }
    expect(pages.map(({ new_path, diff }) => [new_path, diff])).toEqual(
      Object.entries(files).map(([path, content]) => [path, `@@ -0,0 +1 @@\n+${content}`]),
    )
  })
})

test('a page far past the end is empty', async () => {
  for (const page of [2 ** 25, 42_949_673, 2 ** 31 - 1, 2 ** 31]) {
    const { status, body } = await api(line, `?per_page=100&page=${page}`)
    expect([page, status, body]).toEqual([page, 200, []])
  }
})

test('the number of a commit counts what leads to it, along first parents where asked', async () => {
  const merged = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  const [one, two] = (await git(merged.dir, 'rev-list', '--reverse', 'main')).split('\n') as [string, string]
  const side = await git(merged.dir, 'commit-tree', '-p', one, '-m', 'Side', `${one}^{tree}`)
  const merge = await git(merged.dir, 'commit-tree', '-p', two, '-p', side, '-m', 'Merge', `${two}^{tree}`)
  await git(merged.dir, 'branch', 'merged', merge)
  const counts = await Promise.all(
    ['main', one, 'merged', 'merged?first_parent=true'].map(async (at) => {
      const [revision, query = ''] = at.split('?')
      return (await api(merged, `/${revision}/sequence?${query}`)).body
    }),
  )
  expect(counts).toEqual([{ count: 2 }, { count: 1 }, { count: 4 }, { count: 3 }])
  expect((await api(merged, '/none/sequence')).status).toBe(404)
})
