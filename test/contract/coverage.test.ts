/**
 * Every operation of the specification, of the reference's own documentation, and of client libraries is served, or stands in the list of
 * what is not, with the reason.
 */
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

/** Replaces the names of parameters, which are ours to choose. Whether one takes a whole path (`restOfPath`) isn't in its name either. */
const plain = (operation: string) => operation.replace(/[:*]\w+|\{\}/g, ':')
/** The reference says nothing of parameters that take a whole path, and names each kind of integration by itself. */
const plainer = (operation: string) =>
  plain(operation)
    .replaceAll('*', ':')
    .replace(/(?<=\/services\/)[\w-]+$/, (slug) => (kindOf(slug) ? ':' : slug))

const declaredOperations = served.flatMap(({ endpoint: { method }, path }) => [
  `${method} ${path}`,
  ...(method === 'GET' ? [`HEAD ${path}`] : []),
])
const declared = new Set(declaredOperations.map(plain))
const declaredPlainly = new Set([...declared].map(plainer))
const refused = new Set(notServed.map(plain))
const refusedPlainly = new Set(notServed.map(plainer))

test('every operation of the specification is served, or there is a reason why not', () => {
  const missing = operations.map(plain).filter((operation) => !declared.has(operation) && !refused.has(operation))
  expect(missing, 'serve it, or give a reason in test/contract/not-served.json').toEqual([])
})

test('every operation that the documentation of the reference names is served, or there is a reason why not', () => {
  const missing = referenceOperations.map(plainer).filter((operation) => !declaredPlainly.has(operation) && !refusedPlainly.has(operation))
  expect(missing, 'serve it, or give a reason in test/contract/not-served.json').toEqual([])
})

test('nothing that has a reason is served after all, and all of it is of the specification or the reference', () => {
  const known = new Set([...operations, ...referenceOperations].map(plainer))
  const served = notServed.filter((operation) => declared.has(plain(operation)) || declaredPlainly.has(plainer(operation)))
  expect(served, 'served now: take it out of test/contract/not-served.json').toEqual([])
  const invented = notServed.filter((operation) => !known.has(plainer(operation)))
  expect(invented, 'neither specification nor reference has it: take it out of test/contract/not-served.json').toEqual([])
})

test('no operation is listed twice, and no endpoint is declared twice', () => {
  const names = served.map(({ name }) => plain(name))
  for (const list of [operations.map(plain), notServed.map(plain), referenceOperations, names])
    expect(list.filter((one, index) => list.indexOf(one) !== index)).toEqual([])
})

/** A row of `docs/operations.md`: paths, which stand for everything at them and below, and single operations. */
interface LeftRow {
  section: string
  patterns: RegExp[]
  number: number
}

const documented = read('../../docs/operations.md')

/** Operations that client libraries name. */
const libraryOperations = read('library-operations.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replace(/^\d /, ''))

function leftRows(): LeftRow[] {
  let section = ''
  return documented.split('\n').flatMap((line) => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const [, operations = '', number] = /^\| (`.+`) \| (\d+) \| .+ \|$/.exec(line) ?? []
    const patterns = operations.split(', ').map((one) => patternOf(one.replaceAll('`', '')))
    return number === undefined ? [] : [{ section, patterns, number: Number(number) }]
  })
}

function patternOf(operation: string): RegExp {
  const [, method, path = operation] = /^([A-Z]+) (.+)$/.exec(operation) ?? []
  const place = path.replace(/:\w+/g, (name) => (name === ':kind' ? '(?:projects|groups)' : '[^/]+'))
  return new RegExp(method === undefined ? `^[A-Z]+ ${place}(?:/.*)?$` : `^${method} ${place}$`)
}

/** A parameter of a library may be one word here, as kinds of templates are. */
function isDeclared(operation: string): boolean {
  const wanted = operation.split('/')
  return declaredParts.some(
    (parts) => parts.length === wanted.length && parts.every((part, at) => part === wanted[at] || wanted[at] === '{}'),
  )
}

const declaredParts = declaredOperations.map((operation) => operation.split('/'))

test('every operation that client libraries name is served, or docs/operations.md says once why not, with the right numbers', () => {
  const missing = libraryOperations.filter((operation) => !isDeclared(operation))
  const rows = leftRows()
  const rowsOf = (operation: string) => rows.filter(({ patterns }) => patterns.some((pattern) => pattern.test(operation)))
  const untold = missing.filter((operation) => rowsOf(operation).length !== 1)
  expect(untold, 'give it exactly one row in docs/operations.md').toEqual([])
  const counted = rows.map(({ patterns }) => missing.filter((operation) => patterns.some((pattern) => pattern.test(operation))).length)
  expect(rows.map(({ number }) => number)).toEqual(counted)
  const sumOf = (name: string) => rows.reduce((sum, { section, number }) => sum + (section === name ? number : 0), 0)
  expect(
    /name (\d+) operations\D+[\d.]+\D+(\d+) of them are served, (\d+) refused on purpose, and (\d+) left/
      .exec(documented)
      ?.slice(1)
      .map(Number),
  ).toEqual([libraryOperations.length, libraryOperations.length - missing.length, sumOf('Refused on purpose'), sumOf('Left')])
})

test('nothing is served that docs/operations.md calls refused or left, and each of its paths is named by a library', () => {
  const patterns = leftRows().flatMap((row) => row.patterns)
  expect(patterns.length).toBeGreaterThan(50)
  const servedNow = declaredOperations.filter((operation) => patterns.some((pattern) => pattern.test(operation)))
  expect(servedNow, 'served now: take it out of its row in docs/operations.md').toEqual([])
  expect(patterns.filter((pattern) => !libraryOperations.some((operation) => pattern.test(operation)))).toEqual([])
})
