/** The access table itself: a line for every endpoint, and every line checked by one of the files beside this one. */
import { expect, test } from 'vitest'
import { everyServed } from '../world/fixtures.ts'
import { parts, table } from './matrix.ts'

test('the table has a line for every endpoint, and for nothing else', () => {
  expect(table.map(({ name }) => name).sort()).toEqual(everyServed.map(({ name }) => name).sort())
})

test('every chapter of the table belongs to one of the files', () => {
  expect([...new Set(table.map(({ chapter }) => chapter))].sort()).toEqual(Object.values(parts).flat().sort())
})
