/** Lists with large rows are read and written in portions, and what a reader leaves waits in the database. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { ReadLimitReached, type ReadMeter } from '../../limits/read-meter.ts'
import type { Page } from '../reply/page.ts'
import { listWriter, type ReadRows } from './list-answer.ts'

const write = listWriter(Type.Object({ text: Type.String() }))
const page = (limit: number, offset = 0): Page => ({ page: 1, per_page: limit, limit, offset })

/** Reads rows of these sizes, and notes what was asked for. */
function listOf(sizes: number[], asked: Array<[offset: number, limit: number]> = []): ReadRows {
  return async ({ offset, limit }: Page, meter: ReadMeter | null) => {
    asked.push([offset, limit])
    const rows = sizes.slice(offset, offset + limit).map((size) => {
      meter?.take(size)
      return { text: 'x'.repeat(size) }
    })
    return { rows, total: sizes.length }
  }
}

async function textsOf(read: ReadRows, wanted: Page, portion_bytes: number): Promise<string[]> {
  const { text, rest } = await write(read, wanted, portion_bytes)
  const texts = text === '' ? [] : [text]
  for await (const piece of rest ?? []) texts.push(piece)
  return texts
}

const sizesIn = (text: string) => (JSON.parse(text) as Array<{ text: string }>).map((row) => row.text.length)

test('a page that fits into a portion is read once, and is one text', async () => {
  const asked: Array<[number, number]> = []
  const { first, text, rest } = await write(listOf([1, 2, 3, 4], asked), page(3), 100)
  expect([first.total, sizesIn(text), rest, asked]).toEqual([4, [1, 2, 3], null, [[0, 3]]])
  expect(await textsOf(listOf([]), page(20), 100)).toEqual(['[]'])
})

test.for([
  { sizes: [50, 60, 70, 80, 90] },
  { sizes: [1, 1, 1, 99, 1, 1, 1] },
  { sizes: [500, 1, 1, 1, 1, 1, 1, 1, 1, 500] },
  { sizes: Array.from({ length: 100 }, () => 90) },
  { sizes: [1_000] },
])('a page of rows of $sizes bytes in portions of 100 has each of them once', async ({ sizes }) => {
  const texts = await textsOf(listOf(sizes), page(100), 100)
  expect(sizesIn(texts.join(''))).toEqual(sizes)
  // A row that is larger than a portion is one by itself.
  for (const text of texts) expect(text.length).toBeLessThan(100 + Math.max(...sizes) + 20)
})

test('nothing is read of a later portion before the earlier one is taken', async () => {
  const asked: Array<[number, number]> = []
  const { rest } = await write(listOf([90, 90, 90, 90], asked), page(4), 100)
  expect(asked.at(-1)).toEqual([0, 1])
  await rest?.next()
  expect(asked.at(-1)).toEqual([1, 1])
})

test('rows that are not shown count as read, and a page without any is an empty list', async () => {
  const hidden: ReadRows = async ({ offset, limit }, meter) => {
    meter?.take(60 * Math.min(limit, 5 - offset))
    return { rows: [], total: 5 }
  }
  expect((await textsOf(hidden, page(5), 100)).join('')).toBe('[]')
})

test('a page by a cursor ends with its portion', async () => {
  const read: ReadRows = async ({ limit }, meter) => {
    const rows = [60, 60, 60].slice(0, limit).map((size) => {
      meter?.take(size)
      return { text: 'x'.repeat(size) }
    })
    return { rows, total: 0, position: { value: limit, id: limit } }
  }
  const { first, text, rest } = await write(read, { ...page(3), keyset: { order_by: 'id', sort: 'asc', after: null } }, 100)
  expect([sizesIn(text), first.position, rest]).toEqual([[60], { value: 1, id: 1 }, null])
})

test('nothing is shown that was computed from a reading which ended at its limit', async () => {
  const careless: ReadRows = async ({ offset, limit }, meter) => {
    const rows = Array.from({ length: Math.min(limit, 3 - offset) }, () => {
      try {
        meter?.take(60)
        return { text: 'read' }
      } catch (error) {
        if (!(error instanceof ReadLimitReached)) throw error
        return { text: 'missing' }
      }
    })
    return { rows, total: 3 }
  }
  expect((await textsOf(careless, page(3), 100)).join('')).not.toContain('missing')
})
