/** Every operation of the specification, and of the reference's own documentation, is served, or stands in the list of what is not, with the reason. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kindOf } from '../../src/features/integrations/kinds/kinds.ts'
import { everyServed as served } from './world/fixtures.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** Every operation of the specification, families written out. */
const operations: string[] = JSON.parse(read('../support/spec-operations.json'))
/** Operations that the documentation of the reference names. */
const referenceOperations = read('../support/reference-operations.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
/** An operation leaves it in the change that serves it. */
const reasons: Record<string, string> = JSON.parse(read('not-served.json'))
const notServed = Object.keys(reasons)

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
const declaredPlainly = new Set([...declared].map(plainer))
const refused = new Set(notServed.map(plain))
const refusedPlainly = new Set(notServed.map(plainer))

test('every operation of the specification is served, or there is a reason why not', () => {
  const missing = operations.map(plain).filter((operation) => !declared.has(operation) && !refused.has(operation))
  expect(missing).toEqual([])
})

test('every operation that the documentation of the reference names is served, or there is a reason why not', () => {
  const missing = referenceOperations.map(plainer).filter((operation) => !declaredPlainly.has(operation) && !refusedPlainly.has(operation))
  expect(missing).toEqual([])
})

test('nothing that has a reason is served after all, and all of it is of the specification or the reference', () => {
  const known = new Set([...operations, ...referenceOperations].map(plainer))
  const served = notServed.filter((operation) => declared.has(plain(operation)) || declaredPlainly.has(plainer(operation)))
  expect(served, 'served now: take it out of test/contract/not-served.json').toEqual([])
  expect(notServed.filter((operation) => !known.has(plainer(operation)))).toEqual([])
})

test('no operation is listed twice, and no endpoint is declared twice', () => {
  const names = served.map(({ name }) => plain(name))
  for (const list of [operations.map(plain), notServed.map(plain), referenceOperations, names])
    expect(list.filter((one, index) => list.indexOf(one) !== index)).toEqual([])
})

test('families of newer releases that are refused on purpose are told with the reason, and none of them is served', () => {
  const families: Record<string, string> = JSON.parse(read('refused-families.json'))
  const told = read('../../docs/differences.md')
  expect(Object.entries(families).filter(([family, reason]) => !told.includes(`| \`${family}\` | ${reason} |`))).toEqual([])
  // Those of the specification have a list of their own.
  const plainFamilies = Object.keys(families).map((family) => plain(family).replace('/:/:/', '/'))
  const paths = [...declared].map((name) => name.replace(/^\w+ /, '').replace(/^\/(?:projects|groups)\/:\//, '/'))
  const ofProjects = plainFamilies.map((family) => family.replace(/^\/(?:projects|groups)\/:\//, '/'))
  expect(paths.filter((path) => ofProjects.some((family) => path === family || path.startsWith(`${family}/`)))).toEqual([])
})
