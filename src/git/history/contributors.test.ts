import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shape } from '../../../test/support/fixtures/history.ts'
import { git as realGit } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { createRepository, type Git, openGit, type Repo, run } from '../repository/repository.ts'
import { advance, distance, emptyTally, isComplete, type Month, type Tally } from './contributors.ts'

let home: string
let git: Git
let repositories = 0

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-contributors-'))
  git = await openGit(home, { by_fork_server: true })
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

async function freshRepository(): Promise<Repo> {
  const repo = git.open(++repositories)
  await createRepository(repo, 'main')
  return repo
}

const all = { max_ms: Number.POSITIVE_INFINITY }
const one = { max_ms: 0 }

/** By e-mail address: name, commits, additions, deletions. */
type Table = Record<string, [string, number, number, number]>

function tableOf({ contributors }: Tally): Table {
  const rows = [...contributors.values()].sort((a, b) => (a.email < b.email ? -1 : 1))
  for (const { email, months, commits, additions, deletions } of rows)
    expect([email, ...sumOf(months)]).toEqual([email, commits, additions, deletions])
  return Object.fromEntries(rows.map(({ email, name, commits, additions, deletions }) => [email, [name, commits, additions, deletions]]))
}

function sumOf(months: Record<string, Month>): number[] {
  return [0, 1, 2].map((index) => Object.values(months).reduce((sum, month) => sum + (month[index] ?? 0), 0))
}

/** The slow count to compare with: git's own list, newest first, each commit compared with its parent for itself. */
async function countedByGit(repo: Repo, ...heads: string[]): Promise<Table> {
  const table: Table = {}
  const list = await realGit(repo.dir, 'log', '--no-merges', '--date-order', '--format=%H %ae|%an', ...heads, '--')
  for (const line of list.split('\n')) {
    const [, oid = '', email = '', name = ''] = /^(\w+) (.*)\|(.*)$/.exec(line) ?? []
    const row = table[email] ?? [name, 0, 0, 0]
    table[email] = row
    row[0] ||= name
    row[1] += 1
    const files = await realGit(repo.dir, 'diff-tree', '--root', '-r', '--no-renames', '--no-commit-id', '--numstat', oid)
    for (const [, added, deleted] of files.matchAll(/^(\d+)\t(\d+)\t/gm)) {
      row[2] += Number(added)
      row[3] += Number(deleted)
    }
  }
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function tallyOf(repo: Repo, tip: string): Promise<Tally> {
  const tally = emptyTally()
  expect(await advance(repo, tally, tip, all)).toBe(true)
  return tally
}

const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('')

/** A main line, a side branch merged into it, a branch that is not, and one without a common past. */
async function shapedRepository() {
  const repo = await freshRepository()
  const [root, , , merge, main, , other, orphan] = await shape(repo.dir, [
    { branch: 'main', files: { a: lines(10) } },
    { branch: 'side', parents: ['main'], author: 'Bob <bob@example.com>', files: { b: lines(5) } },
    { branch: 'main', files: { a: lines(8) } },
    { branch: 'main', parents: ['main', 'side'], author: 'Merger <merger@example.com>', files: { b: lines(5) } },
    { branch: 'main', author: 'Robert <bob@example.com>', files: { b: null, c: lines(3) } },
    { branch: 'other', parents: ['side'], author: 'Cyd <cyd@example.com>', files: { d: lines(7) } },
    { branch: 'other', author: 'Bobby <bob@example.com>', files: { d: lines(7, 'another') } },
    { branch: 'orphan', parents: [], author: 'Ada L. <ada@example.com>', files: { z: lines(2) } },
  ])
  return { repo, tips: { root, merge, main, other, orphan } as Record<string, string> }
}

test('lines and commits are counted for each author, without merges', async () => {
  const { repo, tips } = await shapedRepository()
  const tally = await tallyOf(repo, tips.main as string)
  expect(tableOf(tally)).toEqual({ 'ada@example.com': ['Ada', 2, 10, 2], 'bob@example.com': ['Robert', 2, 8, 5] })
  expect([tally.heads, isComplete(tally, tips.main as string)]).toEqual([[tips.main], true])
})

test('an incremental count from any tip to any other equals a new count', async () => {
  const { repo, tips } = await shapedRepository()
  const tables: Record<string, Table> = {}
  for (const [name, tip] of Object.entries(tips)) tables[name] = await countedByGit(repo, tip)
  for (const [from, before] of Object.entries(tips)) {
    const counted = await tallyOf(repo, before)
    for (const [to, after] of Object.entries(tips)) {
      const tally = structuredClone(counted)
      expect(await advance(repo, tally, after, all)).toBe(true)
      expect([from, to, tableOf(tally)]).toEqual([from, to, tables[to]])
      expect(isComplete(tally, after)).toBe(true)
    }
  }
})

test(
  'a count interrupted after each commit is right for its heads each time, and finishes',
  inFullRun('1 s of processor. The test above counts from any commit to any other.'),
  async () => {
    const { repo, tips } = await shapedRepository()
    for (const path of [
      ['main', 'other', 'orphan'],
      ['other', 'root', 'main'],
    ]) {
      const tally = emptyTally()
      for (const tip of path.map((name) => tips[name] as string)) {
        let steps = 0
        while (!(await advance(repo, tally, tip, one))) {
          const counts = Object.entries(await countedByGit(repo, ...tally.heads)).map(([email, [, ...numbers]]) => [email, numbers])
          expect(Object.entries(tableOf(tally)).map(([email, [, ...numbers]]) => [email, numbers])).toEqual(counts)
          expect(++steps).toBeLessThan(20)
        }
        expect(tableOf(tally)).toEqual(await countedByGit(repo, tip))
      }
    }
  },
)

test('the tip may move while a count is interrupted', async () => {
  const { repo, tips } = await shapedRepository()
  const tally = await tallyOf(repo, tips.main as string)
  for (const tip of ['other', 'orphan', 'merge', 'other']) expect(await advance(repo, tally, tips[tip] as string, one)).toBe(false)
  expect(isComplete(tally, tips.other as string)).toBe(false)
  while (!(await advance(repo, tally, tips.merge as string, one)));
  expect(tableOf(tally)).toEqual(await countedByGit(repo, tips.merge as string))
})

test('the name is that of the newest commit, and of the next older one when that is lost', async () => {
  const repo = await freshRepository()
  const tips = await shape(repo.dir, [
    { branch: 'main', author: 'First <a@example.com>' },
    { branch: 'main', author: 'Second <a@example.com>' },
    { branch: 'main', author: 'Third <a@example.com>' },
    { branch: 'main', author: ' <a@example.com>' },
  ])
  const [first, second, third, fourth] = tips as [string, string, string, string]
  const tally = await tallyOf(repo, fourth)
  const named: string[] = []
  for (const tip of [third, second, first, second, fourth]) {
    await advance(repo, tally, tip, all)
    named.push((tally.contributors.get('a@example.com') as { name: string }).name)
  }
  expect(named).toEqual(['Third', 'Second', 'First', 'Second', 'Third'])
})

test('a tally is incomplete until there is time to look for a lost name', async () => {
  const repo = await freshRepository()
  const [first, second, third] = await shape(
    repo.dir,
    ['First', 'Second', 'Third'].map((name) => ({ branch: 'main', author: `${name} <a@b>` })),
  )
  const tally = await tallyOf(repo, third as string)
  for (const _ of [1, 2]) {
    expect(await advance(repo, tally, second as string, { ...all, naming_ms: 0 })).toBe(false)
    expect([tally.heads, isComplete(tally, second as string)]).toEqual([[second], false])
  }
  expect(await advance(repo, tally, second as string, all)).toBe(true)
  expect(tableOf(tally)).toEqual({ 'a@b': ['Second', 2, 0, 0] })
  expect(await advance(repo, tally, first as string, { ...all, naming_ms: 10_000 })).toBe(true)
  expect(tableOf(tally)).toEqual({ 'a@b': ['First', 1, 0, 0] })
})

test('authors are taken as the commits have them: no mailmap, any case, any bytes, in their own encoding', async () => {
  const repo = await freshRepository()
  const [base] = await shape(repo.dir, [{ branch: 'main', files: { '.mailmap': 'Somebody Else <else@example.com> <ada@example.com>\n' } }])
  const tree = await realGit(repo.dir, 'rev-parse', 'main^{tree}')
  let parent = base as string
  const write = async (author: Buffer, extra = '') => {
    const head = `tree ${tree}\nparent ${parent}\nauthor `
    const tail = `\ncommitter C <c@example.com> 1700009999 +0000\n${extra}\nx\n`
    const input = Buffer.concat([Buffer.from(head), author, Buffer.from(tail)])
    parent = (await run(repo, ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'], { input })).toString().trim()
  }
  await write(Buffer.from('ADA <ADA@example.com> 1 +0000'))
  await write(Buffer.from('J\xf6rg <joerg@example.com> 1 +0000', 'latin1'), 'encoding ISO-8859-1\n')
  await write(Buffer.from('Bad \xff\xfe <bad@example.com> 1 +0000', 'latin1'))
  await write(Buffer.from('12\t3\tpath <tab@example.com> 1 +0000'))
  await write(Buffer.from('Nobody <> 1 +0000'))
  await write(Buffer.from('No date <undated@example.com>'))
  expect(tableOf(await tallyOf(repo, parent))).toEqual({
    '': ['Nobody', 1, 0, 0],
    'ADA@example.com': ['ADA', 1, 0, 0],
    'ada@example.com': ['Ada', 1, 1, 0],
    'bad@example.com': ['Bad \ufffd\ufffd', 1, 0, 0],
    'joerg@example.com': ['Jörg', 1, 0, 0],
    'tab@example.com': ['12\t3\tpath', 1, 0, 0],
    'undated@example.com': ['No date', 1, 0, 0],
  })
})

test('binary files, renames and empty commits add no lines', async () => {
  const repo = await freshRepository()
  const [, , , tip] = await shape(repo.dir, [
    { branch: 'main', files: { 'binary.bin': '\0\n\0\n', 'text.txt': lines(4) } },
    { branch: 'main', files: { 'text.txt': null, 'moved.txt': lines(4) } },
    { branch: 'main', files: { 'binary.bin': '\0\n\n\0\n' } },
    { branch: 'main' },
  ])
  expect(tableOf(await tallyOf(repo, tip as string))).toEqual({ 'ada@example.com': ['Ada', 4, 8, 4] })
})

test('the distance counts commits ahead and behind, each up to a limit', async () => {
  const { repo, tips } = await shapedRepository()
  const tally = await tallyOf(repo, tips.main as string)
  const distances = await Promise.all(Object.values(tips).map((tip) => distance(repo, tally, tip, 3)))
  expect(Object.keys(tips).map((name, index) => [name, distances[index]])).toEqual([
    ['root', 3],
    ['merge', 1],
    ['main', 0],
    ['other', 2 + 3],
    ['orphan', 1 + 3],
  ])
  expect(await distance(repo, emptyTally(), tips.main as string, 100)).toBe(5)
})

test('a commit that is gone is an error, not a wrong count', async () => {
  const { repo, tips } = await shapedRepository()
  const tally = { ...(await tallyOf(repo, tips.main as string)), heads: ['1'.repeat(40)] }
  await expect(advance(repo, tally, tips.other as string, all)).rejects.toMatchObject({ code: 'git_failed' })
})
