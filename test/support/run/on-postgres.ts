/**
 * Which tests the gate runs on PostgreSQL, besides SQLite: files about the database itself, and those that `test/on-postgres.txt` names,
 * which together run nearly every SQL text. `npm run test:all -- --record` chooses them.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** They are run whole. */
const whole = [
  /^src\/(?:access|db|queue)\//,
  /^src\/.*race[^/]*$/,
  /^test\/contract\/(?:access|replies)\.test\.ts$/,
  /^test\/scripts\/(?:database-away|full-database)\.test\.ts$/,
]
const separator = ' › '
const list = fileURLToPath(new URL('../../on-postgres.txt', import.meta.url))
const chosen = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))
const filesOfChosen = new Set([...chosen].map((line) => line.split(separator)[0]))

/** Whether it has at least one test for the gate. `file` is relative to the root of the project. */
export function hasTestsOnPostgres(file: string): boolean {
  return isWhole(file) || filesOfChosen.has(file)
}

export function isOnPostgres(file: string, test: string): boolean {
  return isWhole(file) || chosen.has(lineOf(file, test))
}

/** As it stands in the list. */
export function lineOf(file: string, test: string): string {
  return `${file}${separator}${test.replaceAll('\n', ' ')}`
}

/** Whether the gate runs all of its tests on PostgreSQL. */
export function isWhole(file: string): boolean {
  return whole.some((pattern) => pattern.test(file))
}
