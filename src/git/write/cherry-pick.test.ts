/** Picks and reverts against what git itself does in a working tree. */
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, tryGit } from '../../../test/support/git.ts'
import { isGate, isInSample } from '../../../test/support/run/tiers.ts'
import { readCommit } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { cherryPickOnto, revertOnto } from './cherry-pick.ts'

let home: string
let work: string
let git: Git
let repo: Repo

const lines = (...changed: Array<[number, string]>) =>
  Array.from({ length: 20 }, (_, index) => changed.find(([line]) => line === index)?.[1] ?? `line ${index}`).join('\n')

/** Commits everything in the working tree and tags it. */
async function commit(tag: string, files: Record<string, string> = {}): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(work, path, '..'), { recursive: true })
    await writeFile(join(work, path), content)
  }
  await realGit(work, 'add', '--all')
  await realGit(work, 'commit', '--quiet', '--allow-empty', '--message', tag)
  await realGit(work, 'tag', tag)
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-picks-'))
  work = join(home, 'work')
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await realGit(home, 'init', '--quiet', '--initial-branch=main', work)
  await commit('root', { text: lines(), other: 'other\n', 'dir/file': 'file\n' })
  await commit('top', { text: lines([1, 'top']) })
  await commit('bottom', { text: lines([1, 'top'], [18, 'bottom']) })
  await commit('empty')
  await rename(join(work, 'other'), join(work, 'renamed'))
  await chmod(join(work, 'dir/file'), 0o755)
  await symlink('text', join(work, 'link'))
  await writeFile(join(work, 'binary'), Buffer.from([0, 1, 2, 255]))
  await commit('kinds')
  await realGit(work, 'checkout', '--quiet', '-b', 'side', 'root')
  await commit('aside', { text: lines([1, 'aside']) })
  await commit('added', { new: 'new\n' })
  await realGit(work, 'checkout', '--quiet', 'main')
  await realGit(work, 'merge', '--quiet', '--strategy-option=ours', '--message', 'merge', 'side')
  await realGit(work, 'tag', 'merge')
  await realGit(work, 'checkout', '--quiet', '--orphan', 'unrelated')
  await realGit(work, 'rm', '-r', '--quiet', '--force', '.')
  await commit('alone', { alone: 'alone\n' })
  await realGit(work, 'push', '--quiet', repo.dir, '--all')
  await realGit(work, 'push', '--quiet', repo.dir, '--tags')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const at = async (revision: string) => readCommit(repo, (await resolveCommit(repo, revision)) as string)

/** The tree git comes to, `conflict`, or `empty` when nothing is left to do. */
async function byHand(command: 'cherry-pick' | 'revert', revision: string, onto: string): Promise<string> {
  await realGit(work, 'checkout', '--quiet', '--force', '--detach', onto)
  await realGit(work, 'clean', '-fdq')
  const before = await realGit(work, 'rev-parse', 'HEAD^{tree}')
  const isMerge = (await realGit(work, 'show', '--no-patch', '--format=%P', revision, '--')).includes(' ')
  const { code } = await tryGit(work, command, '--no-commit', ...(isMerge ? ['--mainline', '1'] : []), revision)
  const tree = code === 0 ? await realGit(work, 'write-tree') : 'conflict'
  await realGit(work, 'reset', '--quiet', '--hard')
  return tree === before ? 'empty' : tree
}

const revisions = ['root', 'top', 'bottom', 'empty', 'kinds', 'aside', 'added', 'merge', 'alone']

const ways = [
  ['cherry-pick', cherryPickOnto],
  ['revert', revertOnto],
] as const

// In the gate one of them: a revert is a cherry-pick of the opposite, by the same functions.
test.each(isGate ? ways.slice(0, 1) : ways)(
  'a %s of any commit onto any other leads where git leads, conflicts and nothing included',
  async (command, apply) => {
    const wrong: unknown[] = []
    const outcomes = new Set<string>()
    for (const [row, revision] of revisions.entries()) {
      for (const [column, target] of ['bottom', 'added', 'alone'].entries()) {
        if (!isInSample(row, column, 2)) continue
        const onto = await at(target)
        const tree = await apply(repo, await at(revision), onto)
        const found = tree === null ? 'conflict' : tree === onto.tree ? 'empty' : tree
        const expected = await byHand(command, revision, target)
        outcomes.add(expected.length === 40 ? 'tree' : expected)
        if (found !== expected) wrong.push([revision, target, found, expected])
      }
    }
    expect(wrong).toEqual([])
    expect(outcomes).toEqual(new Set(['tree', 'conflict', 'empty']))
  },
)

test('no ref points to intermediate commits', async () => {
  const before = await realGit(repo.dir, 'for-each-ref')
  await cherryPickOnto(repo, await at('top'), await at('added'))
  expect(await realGit(repo.dir, 'for-each-ref')).toBe(before)
})
