/** Every operation of the interface's specification is served, or stands in the one list of what is still to come. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { everyServed as served } from './fixtures.ts'

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as string[]

/** Every operation of the specification, families written out. */
const operations = read('../support/spec-operations.json')
/** Shrinks to nothing; an operation leaves it in the change that serves it. */
const stillToCome = read('still-to-come.json')

/** What a parameter is called is ours to choose. */
const plain = (operation: string) => operation.replace(/:\w+/g, ':').replace(/\*\w*/g, '*')

const declared = new Set(
  served.flatMap(({ endpoint: { method }, path }) => [`${method} ${path}`, ...(method === 'GET' ? [`HEAD ${path}`] : [])]).map(plain),
)

test('every operation is served or still to come', () => {
  const missing = operations.filter((operation) => !declared.has(plain(operation)) && !stillToCome.includes(operation))
  expect(missing).toEqual([])
})

test('nothing that is still to come is served already, and all of it is of the specification', () => {
  expect(stillToCome.filter((operation) => declared.has(plain(operation)))).toEqual([])
  expect(stillToCome.filter((operation) => !operations.includes(operation))).toEqual([])
})

test('no operation is listed twice, and no endpoint is declared twice', () => {
  const names = served.map(({ name }) => plain(name))
  for (const list of [operations.map(plain), stillToCome, names])
    expect(list.filter((one, index) => list.indexOf(one) !== index)).toEqual([])
})
