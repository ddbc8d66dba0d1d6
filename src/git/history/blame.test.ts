import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { blame, linesOf, parseBlame } from './blame.ts'

let home: string
let git: Git
let repo: Repo
let processes = 0

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-blame-'))
  git = await openGit(home, { by_fork_server: true, onSpawn: () => processes++ })
  repo = git.open(1)
  await createRepository(repo, 'main')
  const text = (...changed: number[]) =>
    Array.from({ length: 30 }, (_, line) => `${line} ${changed.filter((n) => line % n === 0)}\n`).join('')
  await seed(repo.dir, [
    { files: { text: text(), '-n': 'one\n', binary: Buffer.from([0, 10, 255, 10, 1]), empty: '' } },
    { files: { text: text(7), '-n': 'one\ntwo' } },
    { message: `${'a'.repeat(40)} 1 2 3`, files: { text: text(7, 5) } },
    { files: { text: text(7, 5, 3), renamed: text(7, 5) } },
  ])
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

/** Line by line, as git tells. */
async function byHand(path: string): Promise<string[]> {
  const output = await realGit(repo.dir, 'blame', '-s', '-l', '--root', 'main', '--', path)
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, 40))
}

test('every line has the commit git names, whatever the name and bytes of the file', async () => {
  const tip = (await resolveCommit(repo, 'main')) as string
  for (const path of ['text', '-n', 'binary', 'empty', 'renamed']) {
    const stretches = await blame(repo, tip, path)
    expect([path, stretches.flatMap(({ commit, count }) => Array<string>(count).fill(commit))]).toEqual([path, await byHand(path)])
    expect(stretches.filter(({ commit }, index) => commit === stretches[index + 1]?.commit)).toEqual([])
  }
})

test('before a commit that renamed the file it has its old name', async () => {
  const moving = git.open(2)
  await createRepository(moving, 'main')
  const text = (mark: string) => Array.from({ length: 20 }, (_, line) => `line ${line}${line === 3 ? mark : ''}\n`).join('')
  await seed(moving.dir, [{ files: { 'ü/old name': text('') } }, { files: { 'ü/old name': null, 'new name': text(' changed') } }])
  const [first, tip] = await Promise.all(['main~1', 'main'].map((name) => resolveCommit(moving, name)))
  const stretches = await blame(moving, tip as string, 'new name')
  expect(stretches.map(({ commit, before }) => [commit, before])).toEqual([
    [first, null],
    [tip, { commit: first, path: 'ü/old name' }],
    [first, null],
  ])
})

test('a blame is cached', async () => {
  const tip = (await resolveCommit(repo, 'main')) as string
  await blame(repo, tip, 'text')
  processes = 0
  await blame(repo, tip, 'text')
  expect(processes).toBe(0)
})

test('ranges may come in any order, and a summary that looks like one is ignored', () => {
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)]
  const output = `${b} 3 3 2\nsummary ${a} 1 1 9\nprevious ${a} "\\303\\274\\t\\"x"\nfilename x\n${a} 1 1 1\nfilename x\n${a} 9 2 1\nfilename x\n`
  expect(parseBlame(output)).toEqual([
    { commit: a, count: 2, before: null },
    { commit: b, count: 2, before: { commit: a, path: 'ü\t"x' } },
  ])
  expect(parseBlame('')).toEqual([])
})

test('line counts agree with git', () => {
  const cases: Array<[string, string[]]> = [
    ['', []],
    ['\n', ['']],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\n\nb', ['a\r', '', 'b']],
    ['a\n\n', ['a', '']],
  ]
  for (const [text, lines] of cases) expect([text, linesOf(Buffer.from(text))]).toEqual([text, lines])
})
