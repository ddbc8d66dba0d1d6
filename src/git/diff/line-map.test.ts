/** The places of lines after a change: read from patches of any context, and against a slow, obviously right count. */
import { expect, test } from 'vitest'
import { type LineChanges, lineChangesReader, lineMap } from './line-map.ts'

function read(lines: string[], chunk_bytes = 7): LineChanges {
  const reader = lineChangesReader()
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  for (let at = 0; at < bytes.length; at += chunk_bytes) reader.take(bytes.subarray(at, at + chunk_bytes))
  return reader.result()
}

test('ranges are read from a patch, with or without lines around them', () => {
  const around = ['--- a/f', '+++ b/f', '@@ -1,6 +1,7 @@ head', ' 1', '-2', '+two', '+2.5', ' 3', '--- 4', ' 5', ' 6', '+7']
  const bare = ['@@ -2 +2,2 @@', '-2', '+two', '+2.5', '@@ -4 +4,0 @@', '--- 4', '@@ -6,0 +7 @@', '+7']
  const ranges = [
    { old_start: 2, old_count: 1, new_start: 2, new_count: 2 },
    { old_start: 4, old_count: 1, new_start: 5, new_count: 0 },
    { old_start: 7, old_count: 0, new_start: 7, new_count: 1 },
  ]
  expect(read(around)).toEqual({ ranges, old_lines: 6, new_lines: 7, binary: false })
  expect(read(bare).ranges).toEqual(ranges)
})

test('what is no line is none: missing newlines, headers, binary files, and lines of any length', () => {
  const ends = ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file']
  expect(read(ends)).toEqual({
    ranges: [{ old_start: 1, old_count: 1, new_start: 1, new_count: 1 }],
    old_lines: 1,
    new_lines: 1,
    binary: false,
  })
  expect(read(['Binary files a/f and b/f differ'])).toEqual({ ranges: [], old_lines: 0, new_lines: 0, binary: true })
  expect(read(['@@ -1 +1 @@', `-${'x'.repeat(100_000)}`, `+${'@'.repeat(100_000)}`], 1000).ranges).toHaveLength(1)
})

test('a file that becomes a link has all its lines replaced', () => {
  const patch = ['deleted file', '@@ -1,3 +0,0 @@', '-1', '-2', '-3', 'diff --git a/f b/f', '@@ -0,0 +1 @@', '+target']
  const { ranges } = read(patch)
  const map = lineMap(ranges)
  expect([1, 2, 3].map(map.toNew)).toEqual([null, null, null])
  expect(map.toOld(1)).toBe(null)
})

test('line codes count an added line behind what was removed there, and a removed one before what was added', () => {
  const map = lineMap([{ old_start: 2, old_count: 2, new_start: 2, new_count: 1 }])
  expect(map.counters({ old_line: null, new_line: 2 })).toEqual([4, 2])
  expect(map.counters({ old_line: 3, new_line: null })).toEqual([3, 2])
  expect(map.counters({ old_line: 5, new_line: 4 })).toEqual([5, 4])
})

/** The signs of a random patch with the whole file around it: git writes what is removed before what is added. */
function randomPatch(random: (below: number) => number): string {
  const signs = Array.from({ length: random(40) }, () => '  +-'[random(4)] as string)
  return signs.join('').replace(/[+-]+/g, (run) => [...run].sort().reverse().join(''))
}

/** The lines of the patch, walked one by one, with where both sides stand. */
function walked(patch: string) {
  let [old_line, new_line] = [1, 1]
  return [...patch].map((sign) => {
    const at = [old_line, new_line]
    const shown = { old_line: sign === '+' ? null : old_line, new_line: sign === '-' ? null : new_line }
    if (sign !== '+') old_line += 1
    if (sign !== '-') new_line += 1
    return { at, ...shown }
  })
}

test('every line maps as walking the patch line by line says, in random changes', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % below
  }
  for (let round = 0; round < 300; round += 1) {
    const patch = randomPatch(random)
    const [old_count = 0, new_count = 0] = ['+', '-'].map((other) => [...patch].filter((sign) => sign !== other).length)
    const map = lineMap(read([`@@ -${old_count && 1},${old_count} +${new_count && 1},${new_count} @@`, ...patch]).ranges)
    for (const { at, old_line, new_line } of walked(patch)) {
      if (old_line !== null) expect(map.toNew(old_line)).toBe(new_line)
      if (new_line !== null) expect(map.toOld(new_line)).toBe(old_line)
      expect(map.counters({ old_line, new_line })).toEqual(at)
    }
    expect(map.toNew(old_count + 5)).toBe(new_count + 5)
  }
})
