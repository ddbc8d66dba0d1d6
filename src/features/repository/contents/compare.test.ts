/** Comparisons and common ancestors through the API, against what git itself says. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { maxCommits_chars } from '../../../git/objects/read.ts'

let forge: Forge
let reporter: TestUser
let project: TestProject
const at = (path: string) => `/projects/${project.id}/repository/${path}`
const compare = (from: string, to: string, more = '') =>
  forge.as(reporter).get(at(`compare?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}${more}`))
const base = (...refs: string[]) =>
  forge.as(reporter).get(at(`merge_base?${refs.map((ref) => `refs[]=${encodeURIComponent(ref)}`).join('&')}`))
const ids = (commits: Array<{ id: string }>) => commits.map(({ id }) => id)
const paths = (diffs: Array<{ new_path: string }>) => diffs.map(({ new_path }) => new_path)
const listed = async (...args: string[]) => (await git(project.dir, ...args)).split('\n').filter(Boolean)

/** Names that resolve to no commit, or that git could take for an option or a range. */
const odd = [
  ['nothing', '-n', '--all', 'main..side/one', 'main...side/one', '@{0}', ':/x', 'main:shared', '^main', '0'.repeat(40), 'a b', '*'],
  ['main^{tree}', 'x'.repeat(3_000), 'main\n', 'refs/heads', 'refs/heads/', '.git'],
].flat()

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({ reporter, commits: [{ files: { shared: 'one\n' } }, { files: { shared: 'two\n' } }] })
  const folder = await forge.folder()
  const remote = await forge.remote(project, forge.root)
  const commit = async (path: string, content: string) => {
    await writeFile(join(folder, path), content)
    await git(folder, 'add', '--all')
    await git(folder, 'commit', '--quiet', '--message', `Write ${path}`)
  }
  await git(folder, 'clone', '--quiet', remote, '.')
  await git(folder, 'switch', '--quiet', '--create', 'side/one')
  await rename(join(folder, 'shared'), join(folder, 'renamed'))
  await commit('added', 'added\n')
  await commit('binary', '\0\x01')
  await git(folder, 'switch', '--quiet', 'main')
  await commit('only-on-main', 'main\n')
  await git(folder, 'tag', '--annotate', '--message', 'One', 'v1')
  await git(folder, 'switch', '--quiet', '--orphan', 'unrelated')
  await commit('island', 'island\n')
  await commit('coast', 'coast\n')
  await git(folder, 'push', '--quiet', remote, '--all')
  await git(folder, 'push', '--quiet', remote, '--tags')
})

describe('a comparison', () => {
  test('has the commits only the second has, oldest first, the last of them, and the diff since the merge base', async () => {
    const { status, body } = await compare('main', 'side/one')
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['commit', 'commits', 'compare_same_ref', 'compare_timeout', 'diffs'])
    expect(ids(body.commits)).toEqual(await listed('rev-list', '--reverse', 'main..side/one'))
    expect(body.commit).toEqual(body.commits.at(-1))
    expect(paths(body.diffs)).toEqual(await listed('diff', '--name-only', '-M', 'main...side/one'))
    expect(body.diffs[0]).toEqual({
      old_path: 'added',
      new_path: 'added',
      a_mode: '0',
      b_mode: '100644',
      new_file: true,
      renamed_file: false,
      deleted_file: false,
      diff: '@@ -0,0 +1 @@\n+added\n',
      too_large: false,
      collapsed: false,
    })
    expect(body.diffs[2]).toMatchObject({ old_path: 'shared', new_path: 'renamed', renamed_file: true, diff: '' })
    expect([body.compare_timeout, body.compare_same_ref]).toEqual([false, false])
  })

  test('that is straight has the same commits and the direct diff', async () => {
    const { body } = await compare('main', 'side/one', '&straight=true')
    expect(ids(body.commits)).toEqual(await listed('rev-list', '--reverse', 'main..side/one'))
    expect(paths(body.diffs)).toEqual(await listed('diff', '--name-only', '-M', 'main', 'side/one'))
    expect(paths(body.diffs)).toContain('only-on-main')
    for (const straight of ['false', '0', '']) {
      expect(paths((await compare('main', 'side/one', `&straight=${straight}`)).body.diffs)).not.toContain('only-on-main')
    }
  })

  test('with an ancestor is empty, unless straight, which shows the reverse diff', async () => {
    const { body } = await compare('main', 'main~2')
    expect(body).toEqual({ commit: null, commits: [], diffs: [], compare_timeout: false, compare_same_ref: false })
    const straight = (await compare('main', 'main~2', '&straight=true')).body
    expect([straight.commit, paths(straight.diffs)]).toEqual([null, ['only-on-main', 'shared']])
    expect(straight.diffs[0]).toMatchObject({ deleted_file: true })
  })

  test('of two names of one commit is empty with compare_same_ref', async () => {
    const oid = await git(project.dir, 'rev-parse', 'main')
    for (const [from, to] of [
      ['main', 'main'],
      ['main', 'v1'],
      ['v1', oid],
      [oid.slice(0, 9), 'refs/heads/main'],
      [' main ', 'main'],
    ] as const) {
      const { status, body } = await compare(from, to)
      const empty = { commit: null, commits: [], diffs: [], compare_timeout: false, compare_same_ref: true }
      expect([from, to, status, body]).toEqual([from, to, 200, empty])
    }
  })

  test('of unrelated histories is against the empty tree, and straight is direct', async () => {
    const { body } = await compare('main', 'unrelated')
    expect(ids(body.commits)).toEqual(await listed('rev-list', '--reverse', 'unrelated'))
    expect(paths(body.diffs)).toEqual(['coast', 'island'])
    expect(body.diffs.every((diff: { new_file: boolean }) => diff.new_file)).toBe(true)
    expect(paths((await compare('main', 'unrelated', '&straight=1')).body.diffs)).toEqual(['coast', 'island', 'only-on-main', 'shared'])
  })

  const nothing = { commit: null, commits: [], diffs: [], compare_timeout: false, compare_same_ref: false }

  test('of commits with messages of megabytes has the newest that fit, and says that it is incomplete', async () => {
    const message = join(await forge.folder(), 'message')
    await writeFile(message, 'x'.repeat(maxCommits_chars * 0.22))
    const oids = [await git(project.dir, 'rev-parse', 'main')]
    for (let number = 0; number < 5; number += 1) {
      oids.push(await git(project.dir, 'commit-tree', '-p', oids.at(-1) ?? '', '-F', message, 'main^{tree}'))
    }

    const { body } = await compare(oids[0] ?? '', oids[5] ?? '')

    expect([ids(body.commits), body.commit.id, body.compare_timeout]).toEqual([oids.slice(2), oids[5], true])
  })

  test('with a ref that is unknown or no commit is empty, on either side', async () => {
    for (const ref of odd) {
      for (const { status, body } of [await compare(ref, 'main'), await compare('main', ref), await compare(ref, ref)]) {
        if (ref.trim() === 'main') expect(status).toBe(200)
        else expect([ref, status, body]).toEqual([ref, 200, nothing])
      }
    }
  })

  test('needs both sides, as text, and a straight that is yes or no', async () => {
    for (const [query, error] of [
      ['', 'from is missing, to is missing'],
      ['?from=main', 'to is missing'],
      ['?to=main', 'from is missing'],
      ['?from[]=main&to=main', 'from is invalid'],
      ['?from=main&to[x]=main', 'to is invalid'],
      ['?from=main&to=a%00b', 'to is invalid'],
      ['?from=main&to=main&straight=maybe', 'straight is invalid'],
    ]) {
      const { status, body } = await forge.as(reporter).get(at(`compare${query}`))
      expect([query, status, body]).toEqual([query, 400, { error }])
    }
  })

  test('in a repository without a commit is empty', async () => {
    const empty = await forge.project({ files: null })
    const { status, body } = await forge.as(forge.root).get(`/projects/${empty.id}/repository/compare?from=main&to=main`)
    expect([status, body]).toEqual([200, nothing])
  })

  test('starts no process when the two commits were compared before, whatever they are called', async () => {
    await compare('main', 'side/one')
    const tip = await git(project.dir, 'rev-parse', 'side/one')
    const again = async () => expect((await compare('v1', tip)).status).toBe(200)
    await again()
    expect((await forge.cost(again)).processes).toBe(0)
  })
})

describe('the merge base', () => {
  test('of two refs, two commits or one of each is the commit that git finds, either way round', async () => {
    const expected = await git(project.dir, 'merge-base', 'main', 'side/one')
    const tip = await git(project.dir, 'rev-parse', 'side/one')
    for (const refs of [
      ['main', 'side/one'],
      ['side/one', 'main'],
      ['v1', tip],
      [tip.slice(0, 9), 'refs/heads/main'],
    ]) {
      const { status, body } = await base(...refs)
      expect([refs, status, body.id]).toEqual([refs, 200, expected])
    }
    const { body } = await base('main', 'side/one')
    expect(body).toEqual((await forge.as(reporter).get(at(`commits?ref_name=${expected}`))).body[0])
    expect((await base('main', 'main')).body.id).toBe(await git(project.dir, 'rev-parse', 'main'))
    expect((await base('main', 'main~1')).body.id).toBe(await git(project.dir, 'rev-parse', 'main~1'))
  })

  test('of unrelated histories is 404', async () => {
    const { status, body } = await base('main', 'unrelated')
    expect([status, body]).toEqual([404, { message: '404 Merge Base Not Found' }])
  })

  test('of more than two refs is common to all', async () => {
    const common = await git(project.dir, 'merge-base', 'main', 'side/one')
    for (const refs of [
      ['main', 'main', 'side/one'],
      ['side/one', 'main', common],
    ]) {
      const { status, body } = await base(...refs)
      expect([refs, status, body.id]).toEqual([refs, 200, common])
    }
    expect((await base('main', 'side/one', 'unrelated')).status).toBe(404)
  })

  test('needs from two to fifty refs', async () => {
    for (const [refs, message] of [
      [['main'], 'Provide at least 2 refs'],
      [['nothing'], 'Provide at least 2 refs'],
      [Array.from({ length: 51 }, () => 'main'), 'Provide at most 50 refs'],
    ] as const) {
      const { status, body } = await base(...refs)
      expect([status, body]).toEqual([400, { message }])
    }
    for (const [query, error] of [
      ['', 'refs is missing'],
      ['?refs[]=main&refs[][x]=y', 'refs[1] is invalid'],
    ]) {
      const { status, body } = await forge.as(reporter).get(at(`merge_base${query}`))
      expect([query, status, body]).toEqual([query, 400, { error }])
    }
  })

  test('names every ref that is unknown, each once', async () => {
    for (const ref of ['', ...odd]) {
      const { status, body } = await base('main', ref)
      expect([ref, status, body]).toEqual([ref, 400, { message: `Could not find ref: ${ref}` }])
    }
    expect((await base('x', 'y')).body).toEqual({ message: 'Could not find refs: x, y' })
    expect((await base('x', 'x')).body).toEqual({ message: 'Could not find ref: x' })
    expect((await base('x', 'main')).body).toEqual({ message: 'Could not find ref: x' })
  })
})
