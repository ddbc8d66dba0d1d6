/** The distance of tests from a change in the graph of imports. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesIn, isTest } from './files.mjs'
import { importsOf } from './import-law.mjs'
import { root } from './prepare.mjs'

/** They import all features or pages, so their importers depend on everything. */
const tables = /^src\/(features\/(index|subscribers|.*\.feature)|pages\/index|server|cli|app|main)\.ts$|^test\/support\/forge\.ts$/

/**
 * Test files that a change of these sources may affect, nearest first: those that import them or are beside them, then those of their
 * importers, and so on.
 * @param {string[]} changed
 * @returns {string[]}
 */
export function testsByDistance(changed) {
  project ??= readProject()
  const { importers, beside } = project
  const seen = new Set(changed)
  const tests = new Set()
  for (let step = [...seen]; step.length > 0; ) {
    const next = step.flatMap((file) => (tables.test(file) ? [] : (importers.get(file) ?? [])))
    for (const test of [...step.flatMap((file) => beside.get(dirname(file)) ?? []), ...next.filter(isTest)]) tests.add(test)
    step = [...new Set(next)].filter((file) => !isTest(file) && !seen.has(file))
    for (const file of step) seen.add(file)
  }
  return [...tests]
}

/** @type {ReturnType<typeof readProject> | undefined} */
let project

/** The importers of each file, and the test files of each folder. */
function readProject() {
  const isOurs = (/** @type {string} */ name) => /(?<!\.d)\.ts$/.test(name)
  const files = ['src', 'test'].flatMap((folder) => filesIn(join(root, folder), isOurs).map((name) => `${folder}/${name}`))
  const pairs = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')).map((imported) => [imported, file]))
  return { importers: grouped(pairs), beside: grouped(files.filter(isTest).map((file) => [dirname(file), file])) }
}

/**
 * @param {string[][]} pairs
 * @returns {Map<string, string[]>}
 */
function grouped(pairs) {
  const groups = new Map()
  for (const [name, one] of pairs) {
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return groups
}
