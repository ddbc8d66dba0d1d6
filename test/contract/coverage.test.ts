/** Every operation of the specification, and of the reference's own documentation, is served, or stands in a list of what is still to come. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kindOf } from '../../src/features/integrations/kinds/kinds.ts'
import { everyServed as served } from './world/fixtures.ts'

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as string[]

/** Every operation of the specification, families written out. */
const operations = read('../support/spec-operations.json')
/** Shrinks to nothing; an operation leaves it in the change that serves it. */
const stillToCome = read('still-to-come.json')

/** Those that the documentation of the reference names besides. */
const referenceOperations = readFileSync(new URL('../support/reference-operations.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
/** Of these, as `stillToCome` of those of the specification. */
const referenceStillToCome = read('reference-still-to-come.json')

/** What a parameter is called is ours to choose, and whether it takes a whole path (`restOfPath`) isn't in its name. */
const plain = (operation: string) => operation.replace(/[:*]\w+|\{\}/g, ':')
/** The reference says nothing of parameters that take a whole path, and names each kind of integration by itself. */
const plainer = (operation: string) =>
  plain(operation)
    .replaceAll('*', ':')
    .replace(/(?<=\/services\/)[\w-]+$/, (slug) => (kindOf(slug) ? ':' : slug))

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

const declaredPlainly = new Set([...declared].map(plainer))

test('every operation that the documentation of the reference names is served or still to come', () => {
  const known = new Set(referenceStillToCome.map(plainer))
  const missing = referenceOperations.map(plainer).filter((operation) => !declaredPlainly.has(operation) && !known.has(operation))
  expect(missing).toEqual([])
})

test('nothing of the reference that is still to come is served already, and all of it is of its documentation', () => {
  const named = new Set(referenceOperations)
  expect(referenceStillToCome.filter((operation) => declaredPlainly.has(plainer(operation)))).toEqual([])
  expect(referenceStillToCome.filter((operation) => !named.has(operation))).toEqual([])
})

test('no operation is listed twice, and no endpoint is declared twice', () => {
  const names = served.map(({ name }) => plain(name))
  for (const list of [operations.map(plain), stillToCome, referenceOperations, referenceStillToCome, names])
    expect(list.filter((one, index) => list.indexOf(one) !== index)).toEqual([])
})
