/** Positions traced through pushes: lines that live are followed, and no note lands on another line. */
import { beforeAll, expect, test } from 'vitest'
import { type ShapedCommit, shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun, isGate } from '../../../../test/support/run/tiers.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { DiffRefs, Position, TextPosition } from './positions.ts'
import { readSurroundings } from './surroundings.ts'
import { type Traced, tracePosition } from './tracing.ts'

let forge: Forge
let project: TestProject
let repo: Repo
let branches = 0

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project()
  repo = forge.app.git.open(project.id)
})

const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

/** Histories of a target and a source, and of both again: base A, head B, then base C, head D. */
async function versions(a: ShapedCommit['files'], b: ShapedCommit['files'], c: ShapedCommit['files'], d: ShapedCommit['files']) {
  branches += 1
  const [target, source, next] = [`target${branches}`, `source${branches}`, `next${branches}`]
  const [A, B, C, D] = (await shape(project.dir, [
    { branch: target, files: a ?? {}, parents: [] },
    { branch: source, files: b ?? {}, parents: [target] },
    { branch: target, files: c ?? {} },
    { branch: next, files: d ?? {}, parents: [target] },
  ])) as [string, string, string, string]
  const refs = (base: string, head_sha: string): DiffRefs => ({ base_sha: base, start_sha: base, head_sha })
  return { old: refs(A, B), now: refs(C, D) }
}

function at(refs: DiffRefs, old_line: number | null, new_line: number | null, path = 'f', old_path = path): TextPosition {
  return { ...refs, old_path, new_path: path, position_type: 'text', old_line, new_line, line_range: null }
}

const trace = (position: Position, old: DiffRefs, now: DiffRefs): Promise<Traced> =>
  tracePosition(position, readSurroundings(repo, old, now, [position]))

/** A traced position in short, for comparisons. */
async function lines(position: TextPosition, old: DiffRefs, now: DiffRefs) {
  const traced = await trace(position, old, now)
  if (traced.outdated) return 'outdated'
  const { old_line, new_line, old_path, new_path } = traced.position as TextPosition
  return [old_line, new_line, old_path, new_path]
}

test('an added line moves with what is added above it, and with its file', async () => {
  const body = Array.from({ length: 12 }, (_, index) => `line ${index}`)
  const { old, now } = await versions(
    { f: text(body) },
    { f: text([...body, 'added']) },
    { f: text(['top', ...body]) },
    { f: null, 'g/h': text(['head', 'top', ...body, 'added', 'end']) },
  )
  expect(await lines(at(old, null, 13), old, now)).toEqual([null, 15, 'f', 'g/h'])
  expect(await lines(at(old, 3, 3), old, now)).toEqual([4, 5, 'f', 'g/h'])
})

test('of several lines the first is followed too; where it is gone, the note stands on its last line', async () => {
  const body = Array.from({ length: 6 }, (_, index) => `line ${index}`)
  const source = [...body, 'one', 'two', 'three']
  const { old, now } = await versions(
    { f: text(['gone', ...body]) },
    { f: text(source) },
    { f: text(['top', 'gone', ...body]) },
    { f: text(['top', ...source.filter((line) => line !== 'two')]) },
  )
  const end = (old_line: number | null, new_line: number | null) => ({ line_code: null, type: null, old_line, new_line })
  const range = async (start: ReturnType<typeof end>) => {
    const position = { ...at(old, null, 9), line_range: { start, end: end(null, 9) } }
    const traced = await trace(position, old, now)
    const { line_range } = traced.outdated ? { line_range: null } : (traced.position as TextPosition)
    return line_range && [line_range.start, line_range.end].map(({ old_line, new_line, type }) => [old_line, new_line, type])
  }
  expect(await range(end(null, 7))).toEqual([
    [null, 8, 'new'],
    [null, 9, 'new'],
  ])
  expect(await range(end(7, 6))).toEqual([
    [8, 7, null],
    [null, 9, 'new'],
  ])
  expect(await range(end(1, null))).toEqual([
    [2, null, 'old'],
    [null, 9, 'new'],
  ])
  // `two` is gone, and nobody knows of a start without lines.
  expect([await range(end(null, 8)), await range(end(null, null))]).toEqual([null, null])
  const code = { ...end(null, null), line_code: `${'a'.repeat(40)}_8_7`, type: 'new' as const }
  expect(await range(code as never)).toEqual([
    [null, 8, 'new'],
    [null, 9, 'new'],
  ])
})

test('a line that changes is outdated, with the change that made it so', async () => {
  const { old, now } = await versions({ f: text(['a']) }, { f: text(['a', 'b', 'c']) }, { f: text(['a']) }, { f: text(['a', 'B', 'c']) })
  expect(await trace(at(old, null, 2), old, now)).toEqual({
    outdated: true,
    change: { ...at({ base_sha: old.head_sha, start_sha: old.head_sha, head_sha: now.head_sha }, 2, null) },
  })
  expect(await lines(at(old, null, 3), old, now)).toEqual([null, 3, 'f', 'f'])
})

test('a removed line stays while the target has it, and is outdated when it comes back or the target removes it', async () => {
  const { old, now } = await versions(
    { f: text(['a', 'b', 'c', 'd']) },
    { f: text(['d']) },
    { f: text(['x', 'a', 'b', 'd']) },
    { f: text(['x', 'b', 'd']) },
  )
  expect(await lines(at(old, 1, null), old, now)).toEqual([2, null, 'f', 'f'])
  expect(await lines(at(old, 2, null), old, now)).toBe('outdated')
  expect(await lines(at(old, 3, null), old, now)).toBe('outdated')
})

test('a line is outdated when its file is deleted, or is as in the target', async () => {
  const { old, now } = await versions(
    { f: text(['a']), g: text(['a']) },
    { f: text(['a', 'b']), g: text(['a', 'b']) },
    { g: text(['a', 'b']) },
    { f: null },
  )
  expect(await lines(at(old, null, 2), old, now)).toBe('outdated')
  expect(await lines(at(old, null, 2, 'g'), old, now)).toBe('outdated')
})

test('an added line that the target gets, too, is a line on both sides', async () => {
  const { old, now } = await versions({ f: text(['a']) }, { f: text(['a', 'b']) }, { f: text(['a', 'b']) }, { f: text(['z', 'a', 'b']) })
  expect(await lines(at(old, null, 2), old, now)).toEqual([2, 3, 'f', 'f'])
})

test('a point of an image stays while the image is the same, and a note on a file while the diff has the file', async () => {
  const image = (byte: number) => Buffer.from([0, byte]).toString('latin1')
  const { old, now } = await versions({ x: 'x' }, { i: image(1), j: image(1) }, { x: 'y' }, { i: image(1), j: image(2) })
  const point = (path: string): Position => ({
    ...old,
    old_path: path,
    new_path: path,
    position_type: 'image',
    width: 10,
    height: 10,
    x: 1,
    y: 1,
  })
  const file = (path: string): Position => ({ ...old, old_path: path, new_path: path, position_type: 'file' })
  expect(await trace(point('i'), old, now)).toMatchObject({ outdated: false, position: now })
  expect(await trace(point('j'), old, now)).toEqual({ outdated: true, change: null })
  expect(await trace(file('j'), old, now)).toMatchObject({ outdated: false, position: now })
})

/** Pseudo-random, the same in every run. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 8) % below
  }
}

type Edit = (lines: string[], random: (below: number) => number) => string[]

/** Some lines are removed, replaced or preceded by others. `fresh` makes the text of a new line. */
const edited =
  (fresh: (random: (below: number) => number) => string): Edit =>
  (before, random) =>
    before.flatMap((line) => {
      const dice = random(12)
      if (dice === 0) return []
      if (dice === 1) return [fresh(random)]
      if (dice === 2) return [line, fresh(random)]
      return [line]
    })

let unique = 0
const uniquely = edited(() => {
  unique += 1
  return `unique ${unique}`
})
/** A small vocabulary makes most lines occur more than once. */
const alike = edited((random) => ['', '}', 'end', 'a', 'b'][random(5)] as string)

async function fourTexts(edit: Edit, random: (below: number) => number, start: string[]) {
  const a = start
  const b = edit(a, random)
  const c = edit(a, random)
  // The source rebased: what it changed, and what the target did, and some more.
  const d = edit(random(2) === 0 ? b : c, random)
  return { texts: { a, b, c, d }, ...(await versions({ f: text(a) }, { f: text(b) }, { f: text(c) }, { f: text(d) })) }
}

/** Every line of a diff: read from a patch with the whole file around it. */
const readRows = new Map<string, ReturnType<typeof readRowsBetween>>()

function rowsBetween(from: string, to: string) {
  const known = readRows.get(`${from} ${to}`) ?? readRowsBetween(from, to)
  readRows.set(`${from} ${to}`, known)
  return known
}

async function readRowsBetween(from: string, to: string): Promise<Array<{ old_line: number | null; new_line: number | null }>> {
  const patch = await git(project.dir, 'diff-tree', '-p', '-U100000', '--no-commit-id', from, to, '--', 'f')
  const body = patch.split('\n').slice(patch.split('\n').findIndex((line) => line.startsWith('@@')) + 1)
  let [old_line, new_line] = [0, 0]
  const isLine = (line: string) => /^[ +-]/.test(line)
  return (patch.includes('@@') ? body.filter(isLine) : []).map((line) => {
    if (line[0] !== '+') old_line += 1
    if (line[0] !== '-') new_line += 1
    return { old_line: line[0] === '+' ? null : old_line, new_line: line[0] === '-' ? null : new_line }
  })
}

const rounds = Number(process.env.GITSTEAD_TEST_TRACES ?? (isGate ? 3 : 6))

test('where no two lines are alike, every line that lives is followed, and no other: as comparing texts says', async () => {
  const random = randomOf(11)
  for (let round = 0; round < rounds; round += 1) {
    const start = Array.from({ length: 5 + random(40) }, (_, index) => `start ${round} ${index}`)
    const { texts, old, now } = await fourTexts(uniquely, random, start)
    const inNew = (line: string) => texts.d.indexOf(line) + 1 || null
    const inTarget = (line: string) => texts.c.indexOf(line) + 1 || null
    const isInDiff = text(texts.c) !== text(texts.d)
    for (const row of await rowsBetween(old.base_sha as string, old.head_sha)) {
      const { old_line, new_line } = row
      const line = (new_line === null ? texts.a[(old_line as number) - 1] : texts.b[new_line - 1]) as string
      const lives = new_line === null ? inTarget(line) !== null && inNew(line) === null : inNew(line) !== null
      const expected = lives && isInDiff ? [inTarget(line), new_line === null ? null : inNew(line), 'f', 'f'] : 'outdated'
      expect([line, await lines(at(old, old_line, new_line), old, now)]).toEqual([line, expected])
    }
  }
})

/** The lines of a diff by walking them: where a line is, if the diff shows it there as the position says. */
async function walked(old: DiffRefs, now: DiffRefs, old_line: number | null, new_line: number | null) {
  const [from, to] = new_line === null ? [old.base_sha, now.base_sha] : [old.head_sha, now.head_sha]
  const side = await rowsBetween(from as string, to as string)
  const line = (new_line ?? old_line) as number
  const next = side.length > 0 ? (side.find((row) => row.old_line === line)?.new_line ?? null) : line
  const diff = await rowsBetween(now.base_sha as string, now.head_sha)
  const shown = next === null ? undefined : diff.find((row) => (new_line === null ? row.old_line : row.new_line) === next)
  return shown !== undefined && (new_line !== null || shown.new_line === null) ? [shown.old_line, shown.new_line, 'f', 'f'] : 'outdated'
}

test(
  'where lines are alike, a note stays on a line of the same text, as walking the whole patches line by line says',
  inFullRun('1 s of processor. Random lines that are unlike are followed above, by the same code.'),
  async () => {
    const random = randomOf(5)
    for (let round = 0; round < rounds; round += 1) {
      const start = Array.from({ length: 5 + random(40) }, () => ['', '}', 'end', 'a', 'b', 'c', 'd'][random(7)] as string)
      const { texts, old, now } = await fourTexts(alike, random, start)
      for (const { old_line, new_line } of await rowsBetween(old.base_sha as string, old.head_sha)) {
        const traced = await lines(at(old, old_line, new_line), old, now)
        expect(traced).toEqual(await walked(old, now, old_line, new_line))
        if (traced === 'outdated') continue
        const before = new_line === null ? texts.a[(old_line as number) - 1] : texts.b[new_line - 1]
        expect(new_line === null ? texts.c[(traced[0] as number) - 1] : texts.d[(traced[1] as number) - 1]).toBe(before)
      }
    }
  },
)
