import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit } from '../../../test/support/git.ts'
import { cpuBudget, measureComputing } from '../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { parseCommit } from '../objects/parse.ts'
import { createRepository, type Git, openGit, type Repo, run } from '../repository/repository.ts'
import { diffCommit } from './diff.ts'
import { diffReader, maxPage_bytes } from './diff-reader.ts'
import { maxPatch_bytes } from './patch-text.ts'

cpuBudget(6, 'Diffs of many megabytes.')

let home: string
let git: Git
let repo: Repo
const all = { limit: 100, offset: 0 }

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-diff-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

type Tree = Record<string, { mode?: string; content?: string | Buffer; oid?: string }>

/** A commit of this tree, written by plumbing: it may hold what no work tree could. */
async function commitOf(tree: Tree, ...parents: string[]): Promise<string> {
  const lines: string[] = []
  for (const [path, { mode = '100644', content = '', oid }] of Object.entries(tree)) {
    const id = oid ?? (await run(repo, ['hash-object', '-w', '--stdin'], { input: Buffer.from(content) })).toString().trim()
    lines.push(`${mode} ${mode === '160000' ? 'commit' : 'blob'} ${id}\t${path}\0`)
  }
  const root = (await run(repo, ['mktree', '-z', '--missing'], { input: lines.join('') })).toString().trim()
  const commit = `tree ${root}\n${parents.map((parent) => `parent ${parent}\n`).join('')}author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`
  return (await run(repo, ['hash-object', '-w', '-t', 'commit', '--stdin'], { input: commit })).toString().trim()
}

async function diffOf(oid: string, page = all) {
  const data = await run(repo, ['cat-file', 'commit', oid])
  return diffCommit(repo, parseCommit(oid, data), page)
}

/** Git's own patch of one file, from the first `@@` or `Binary` on. */
async function shown(oid: string, ...paths: string[]): Promise<string> {
  const parent = (await realGit(repo.dir, 'rev-list', '-1', '--parents', oid)).split(' ')[1]
  const args = ['diff-tree', '-M', '-p', '--root', '--no-commit-id', '--full-index', ...(parent ? [parent] : []), oid]
  const patch = (await run(repo, [...args, '--', ...paths])).toString()
  return patch
    .split(/^(?=diff --git )/m)
    .map((section) => section.slice(Math.max(section.search(/^(@@ |Binary )/m), 0)))
    .join('')
}

const text = (lines: number, change = '') =>
  Array.from({ length: lines }, (_, index) => `line ${index}${index === 5 ? change : ''}\n`).join('')

test('additions, changes, deletions, renames, modes and types are distinguished, each with its patch', async () => {
  const before = await commitOf({
    changed: { content: text(20) },
    deleted: { content: 'gone\n' },
    'moved away': { content: text(30) },
    'moved and changed': { content: text(40) },
    'run.sh': { content: 'run\n' },
    'turned.link': { content: 'a file\n' },
    zlast: { content: 'no newline' },
  })
  const after = await commitOf(
    {
      'added\nfile': { content: 'new\n' },
      bin: { content: Buffer.from([0, 1, 2, 255]) },
      changed: { content: text(20, ' changed') },
      empty: { content: '' },
      module: { mode: '160000', oid: '1'.repeat(40) },
      'run.sh': { mode: '100755', content: 'run\n' },
      'to-here': { content: text(30) },
      'to-there': { content: text(40, ' too') },
      'turned.link': { mode: '120000', content: 'target' },
      zlast: { content: 'no newline either' },
    },
    before,
  )
  const { rows, total } = await diffOf(after)
  const summary = rows.map(({ old_path, new_path, old_mode, new_mode, new_file, renamed_file, deleted_file }) => [
    old_path,
    new_path,
    `${old_mode} ${new_mode}`,
    [new_file && 'new', renamed_file && 'renamed', deleted_file && 'deleted'].filter(Boolean).join(),
  ])
  expect(total).toBe(11)
  expect(summary).toEqual([
    ['added\nfile', 'added\nfile', '0 100644', 'new'],
    ['bin', 'bin', '0 100644', 'new'],
    ['changed', 'changed', '100644 100644', ''],
    ['deleted', 'deleted', '100644 0', 'deleted'],
    ['empty', 'empty', '0 100644', 'new'],
    ['module', 'module', '0 160000', 'new'],
    ['run.sh', 'run.sh', '100644 100755', ''],
    ['moved away', 'to-here', '100644 100644', 'renamed'],
    ['moved and changed', 'to-there', '100644 100644', 'renamed'],
    ['turned.link', 'turned.link', '100644 120000', ''],
    ['zlast', 'zlast', '100644 100644', ''],
  ])
  const patches = Object.fromEntries(rows.map(({ new_path, patch }) => [new_path, patch]))
  for (const path of ['added\nfile', 'bin', 'changed', 'deleted', 'module', 'turned.link', 'zlast']) {
    expect([path, patches[path]]).toEqual([path, await shown(after, path)])
  }
  expect(patches.bin).toBe('Binary files /dev/null and b/bin differ\n')
  expect([patches.empty, patches['run.sh'], patches['to-here']]).toEqual(['', '', ''])
  expect(patches['to-there']).toMatch(/^@@ /)
  expect(patches['turned.link']).toMatch(/-a file\n.*\+target\n\\ No newline at end of file\n$/s)
  expect(patches.module).toContain(`+Subproject commit ${'1'.repeat(40)}\n`)
  expect(patches.zlast).toContain('-no newline\n\\ No newline at end of file\n+no newline either\n\\ No newline at end of file\n')
})

test('a root is compared with nothing, a merge with its first parent, and an empty commit has no changes', async () => {
  const root = await commitOf({ a: { content: 'a\n' }, b: { content: 'b\n' } })
  const side = await commitOf({ a: { content: 'a\n' }, b: { content: 'side\n' } }, root)
  const merge = await commitOf({ a: { content: 'main\n' }, b: { content: 'side\n' } }, root, side)
  const empty = await commitOf({ a: { content: 'main\n' }, b: { content: 'side\n' } }, merge)
  expect((await diffOf(root)).rows.map(({ new_path, new_file }) => [new_path, new_file])).toEqual([
    ['a', true],
    ['b', true],
  ])
  expect((await diffOf(merge)).rows.map(({ new_path, new_file }) => [new_path, new_file])).toEqual([
    ['a', false],
    ['b', false],
  ])
  expect(await diffOf(empty)).toEqual({ rows: [], total: 0 })
})

test('lines that look like headers of a patch are lines of it', async () => {
  const tricky = 'diff --git a/x b/x\n--- a/x\n+++ b/x\nBinary files a and b differ\n@@ -1 +1 @@\n'
  const before = await commitOf({ a: { content: tricky }, b: { content: 'b\n' } })
  const after = await commitOf({ a: { content: '- deleted\n' }, b: { content: tricky } }, before)
  const { rows, total } = await diffOf(after)
  expect(total).toBe(2)
  for (const { new_path, patch } of rows) expect(patch).toBe(await shown(after, new_path))
})

test('a patch over the cap is left out and marked, and those beside it are not', async () => {
  const heavy = `${'x'.repeat(99)}\n`.repeat(maxPatch_bytes / 100 + 1)
  const oneLine = 'y'.repeat(3 * maxPatch_bytes)
  const oid = await commitOf({ a: { content: 'a\n' }, b: { content: heavy }, c: { content: oneLine }, d: { content: 'd\n' } })
  const { rows, total } = await diffOf(oid)
  expect(total).toBe(4)
  expect(rows.map(({ new_path, patch, too_large, collapsed }) => [new_path, patch.length > 0, too_large, collapsed])).toEqual([
    ['a', true, false, false],
    ['b', false, true, false],
    ['c', false, true, false],
    ['d', true, false, false],
  ])
  expect(rows[3]?.patch).toBe(await shown(oid, 'd'))
})

test('invalid UTF-8 in paths and contents is shown as replacement characters', async () => {
  const blob = (await run(repo, ['hash-object', '-w', '--stdin'], { input: Buffer.from([0x61, 0xff, 0xfe, 0x0a]) })).toString().trim()
  const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\tlatin-`), Buffer.from([0xe9, 0])])
  const root = (await run(repo, ['mktree', '-z'], { input: line })).toString().trim()
  const commit = `tree ${root}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`
  const oid = (await run(repo, ['hash-object', '-w', '-t', 'commit', '--stdin'], { input: commit })).toString().trim()
  const { rows } = await diffOf(oid)
  expect(rows).toMatchObject([{ new_path: 'latin-\ufffd', patch: expect.stringMatching(/\+a\ufffd\ufffd\n$/) }])
})

/** The output of `diff-tree` for new files of so many bytes, a chunk of 64 KiB at a time. */
function* outputFor(sizes: number[]): Generator<Buffer> {
  const zeros = '0'.repeat(40)
  const name = (index: number) => `f${String(index).padStart(6, '0')}`
  yield Buffer.from(sizes.map((_, index) => `:000000 100644 ${zeros} ${zeros} A\0${name(index)}\0`).join(''))
  yield Buffer.from('\0')
  const line = Buffer.from(`+${'z'.repeat(62)}\n`)
  const chunk = Buffer.alloc(64 * 1024, line)
  for (const [index, size] of sizes.entries()) {
    yield Buffer.from(
      `diff --git a/${name(index)} b/${name(index)}\nnew file mode 100644\nindex ${zeros}..${zeros}\n--- /dev/null\n+++ b/${name(index)}\n@@ -0,0 +1 @@\n`,
    )
    for (let left = size; left > 0; left -= chunk.length) yield Buffer.from(chunk.subarray(0, Math.min(left, chunk.length)))
  }
}

test('a diff of 64 MB is never held: one file or many, no more than the page is, and what is left out is marked', () => {
  const mb = 1024 * 1024
  const peakOf = (sizes: number[], page = all) => {
    const reader = diffReader(page)
    let held = 0
    for (const chunk of outputFor(sizes)) {
      reader.take(chunk)
      held = Math.max(held, reader.held_bytes)
    }
    return { held, ...reader.result() }
  }
  const one = peakOf([64 * mb])
  expect([one.total, one.rows[0]?.patch, one.rows[0]?.too_large]).toEqual([1, '', true])
  expect(one.held).toBeLessThan(2 * mb)

  const many = peakOf(Array<number>(100).fill(640 * 1024))
  const [shown_, left] = [many.rows.filter(({ patch }) => patch !== ''), many.rows.filter(({ collapsed }) => collapsed)]
  expect([many.rows.length, shown_.length + left.length]).toEqual([100, 100])
  expect([shown_.length, many.rows.some(({ too_large }) => too_large)]).toEqual([Math.floor(maxPage_bytes / (640 * 1024 + 200)), false])
  expect(many.held).toBeLessThanOrEqual(maxPage_bytes)

  const second = peakOf(Array<number>(100).fill(640 * 1024), { limit: 2, offset: 50 })
  expect(second.rows.map(({ new_path, collapsed, patch }) => [new_path, collapsed, patch.length > 600 * 1024])).toEqual([
    ['f000050', false, true],
    ['f000051', false, true],
  ])
  expect(second.held).toBeLessThan(2 * mb)
})

test(
  'a diff of 50 MB takes no more memory than what it shows',
  inFullRun('Half a second of processor. The test above counts what the reader holds of 64 MB.'),
  async () => {
    const mb = 1024 * 1024
    const line = `${'q'.repeat(1023)}\n`
    const big = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`big${index}`, { content: line.repeat((50 * mb) / count / 1024) }]))
    const oid = await commitOf({ ...big(2), small: { content: 'small\n' } })
    const before = process.memoryUsage.rss()
    let max = 0
    const watch = setInterval(() => {
      max = Math.max(max, process.memoryUsage.rss() - before)
    }, 2)
    const { rows } = await diffOf(oid)
    clearInterval(watch)
    expect(rows.map(({ new_path, patch, too_large }) => [new_path, patch.length > 0, too_large])).toEqual([
      ['big0', false, true],
      ['big1', false, true],
      ['small', true, false],
    ])
    expect(max).toBeLessThan(40 * mb)
  },
)

test(
  'a commit of 100,000 files is paged quickly: the first page, one far behind, and one beyond the end',
  inFullRun('4 s of processor. Pages follow each other in a smaller commit below.'),
  async () => {
    const content = (await run(repo, ['hash-object', '-w', '--stdin'], { input: 'same\n' })).toString().trim()
    const name = (index: number) => `file-${String(index).padStart(6, '0')}.txt`
    const oid = await commitOf(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [name(index), { oid: content }])))
    const changed = await commitOf(
      Object.fromEntries(
        Array.from({ length: 100_000 }, (_, index) => [name(index), index === 70_000 ? { content: 'other\n' } : { oid: content }]),
      ),
      oid,
    )
    const used_ms = measureComputing()
    const first = await diffOf(oid, { limit: 20, offset: 0 })
    expect([first.total, first.rows[0]?.new_path, first.rows.length]).toEqual([100_000, name(0), 20])
    const beyond = await diffOf(oid, { limit: 20, offset: 100_000 })
    expect(beyond).toEqual({ rows: [], total: 100_000 })
    const one = await diffOf(changed)
    expect([one.total, one.rows[0]?.new_path, one.rows[0]?.patch.endsWith('-same\n+other\n')]).toEqual([1, name(70_000), true])
    expect(used_ms()).toBeLessThan(10_000)
  },
)

test('pages follow each other without a gap, and one beyond the end is empty', async () => {
  const before = await commitOf(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, { content: `${index}\n` }])))
  const after = await commitOf(
    Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `f${index}`,
        index % 3 === 0 ? { mode: '120000', content: 't' } : { content: `new ${index}\n` },
      ]),
    ),
    before,
  )
  const whole = await diffOf(after)
  for (const limit of [1, 2, 4, 9]) {
    const offsets = Array.from({ length: Math.ceil(9 / limit) }, (_, index) => index * limit)
    const pages = await Promise.all(offsets.map((offset) => diffOf(after, { limit, offset })))
    expect([limit, pages.flatMap(({ rows }) => rows)]).toEqual([limit, whole.rows])
    expect(pages.every(({ total }) => total === 9)).toBe(true)
  }
  expect(await diffOf(after, { limit: 5, offset: 9 })).toEqual({ rows: [], total: 9 })
})

test('the same output gives the same changes, in whatever chunks it comes', async () => {
  const before = await commitOf({ a: { content: text(10) }, b: { content: 'b' }, c: { content: 'c\n' } })
  const after = await commitOf({ a: { content: text(10, '!') }, b: { mode: '120000', content: 'b' }, d: { content: 'ü\n' } }, before)
  const output = await run(repo, ['diff-tree', '-r', '-z', '-M', '--patch-with-raw', '--full-index', before, after])
  const { rows, total } = await diffOf(after)
  fc.assert(
    fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 60 })), (sizes) => {
      const reader = diffReader(all)
      for (let at = 0; at < output.length; ) {
        const size = sizes.next().value as number
        reader.take(output.subarray(at, at + size))
        at += size
      }
      expect(reader.result()).toEqual({ rows, total })
    }),
    { numRuns: 50 },
  )
})

test(
  'a commit of ten thousand files is read in the time of its bytes',
  inFullRun('Half a second of processor. Pages of a smaller commit follow each other above.'),
  async () => {
    const content = (await run(repo, ['hash-object', '-w', '--stdin'], { input: text(30) })).toString().trim()
    const oid = await commitOf(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`file${String(index).padStart(5, '0')}`, { oid: content }])),
    )
    const used_ms = measureComputing()
    const { rows, total } = await diffOf(oid, { limit: 20, offset: 9_980 })
    expect([total, rows.length, rows.at(-1)?.new_path, rows[0]?.patch.includes('+line 29')]).toEqual([10_000, 20, 'file09999', true])
    expect(used_ms()).toBeLessThan(10_000)
  },
)
