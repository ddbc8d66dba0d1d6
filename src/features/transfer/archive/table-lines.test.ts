/** The lines of an archive are read a page at a time, and what a page holds is bounded. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { maxLine_bytes, maxLines, type TableName } from './format.ts'
import { readPages } from './table-lines.ts'
import { parse } from './unpack.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-lines-'))
})
afterAll(() => rm(home, { recursive: true }))

async function fileOf(line: string, count: number): Promise<TempFile> {
  const file = await openTempFile(home)
  await file.append(Buffer.from(`${line}\n`.repeat(count)))
  return file
}

/** How many lines each page has. */
async function sizesOf(table: TableName, file: TempFile): Promise<number[]> {
  const sizes: number[] = []
  try {
    for await (const page of readPages(table, file)) sizes.push(page.length)
  } finally {
    await file.close()
  }
  return sizes
}

const at = '2020-01-01T00:00:00.000Z'

test('short lines are read in batches, long ones never all in memory', async () => {
  const release = (description: string) => JSON.stringify({ tag_name: 'v1', description, created_at: at, updated_at: at })

  expect(await sizesOf('releases', await fileOf(release('x'), 1_001))).toEqual([500, 500, 1])
  expect(await sizesOf('releases', await fileOf(release('x'.repeat(1_000_000)), 12))).toEqual([5, 5, 2])
})

test(
  'a table with per-line state has a maximum number of lines',
  inFullRun('Half a second of processor. The bound of lines is counted in a file that reaches it.'),
  async () => {
    const person = JSON.stringify({ id: 1, username: '', name: '', email: null })

    const reading = sizesOf('people', await fileOf(person, (maxLines.people ?? 0) + 1))

    await expect(reading).rejects.toThrow('The archive has too many lines in tables/people.jsonl.')
  },
)

test.each([
  ['lists', `[${'[],'.repeat(2_000_000)}[]]`],
  ['objects', `{"a":[${'{"a":1},'.repeat(500_000)}1]}`],
  ['nested lists', '['.repeat(200_000) + ']'.repeat(200_000)],
])('a line of the max length with more %s than any table has is refused without parsing it', (_, line) => {
  const parsing = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parsing.mockRestore())
  expect(parse(line)).toBeUndefined()
  expect(parsing).not.toHaveBeenCalled()
})

test('a text of the max length is read, whatever signs are in it', () => {
  const text = '[,{"\\'.repeat(maxLine_bytes / 8)
  expect(parse(JSON.stringify({ text }))).toEqual({ text })
  expect(parse(JSON.stringify({ numbers: Array.from({ length: 20_000 }, (_, index) => index * 1e9) }))).toMatchObject({
    numbers: { length: 20_000 },
  })
})
