/** The access table itself: a line for every endpoint, and every line checked by one of the files beside this one. */
import { expect, test } from 'vitest'
import { everyServed } from '../world/fixtures.ts'
import { parts, table } from './matrix.ts'

test('the table has a line for every endpoint, and for nothing else', () => {
  const listed = table.map(({ name }) => name)
  const declared = everyServed.map(({ name }) => name)
  const without = declared.filter((name) => !listed.includes(name))
  expect(without, 'add a line to test/contract/access-table.txt for each').toEqual([])
  expect(listed.sort(), 'take lines of endpoints that are gone out of test/contract/access-table.txt').toEqual(declared.sort())
})

test('every chapter of the table belongs to one of the files', () => {
  expect([...new Set(table.map(({ chapter }) => chapter))].sort()).toEqual(Object.values(parts).flat().sort())
})
