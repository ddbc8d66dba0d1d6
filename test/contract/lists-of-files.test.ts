/** Lists of files and folders, by which tests are chosen and imports refused, name what there is: what moves takes its line along. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testsOf } from '../../tools/files.mjs'
import { namedInLaw } from '../../tools/import-law.mjs'
import { laws } from '../../tools/quick.mjs'
import { chosen, fileOf, isIn, isWhole, whole, withoutDatabase } from '../support/run/on-postgres.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = testsOf(root)

test('each name of the lists by which tests run on PostgreSQL is of a test file, or of a folder that has some', () => {
  const gone = [...whole, ...withoutDatabase].filter((name) => !files.some((file) => isIn([name], file)))
  expect(gone, 'rename it in test/support/run/on-postgres.ts').toEqual([])
  const moved = [...new Set([...chosen].map(fileOf))].filter((file) => !files.includes(file))
  expect(moved, 'rename its lines in test/on-postgres.txt').toEqual([])
})

test('no test is chosen that the lists leave out or take in anyway', () => {
  const inVain = [...new Set([...chosen].map(fileOf))].filter((file) => isIn(withoutDatabase, file) || isWhole(file))
  expect(inVain).toEqual([])
})

test('the file of timings has test files alone', () => {
  const named = readFileSync(join(root, 'test', 'timings.txt'), 'utf8').match(/(?<= )\S+(?= )/g) ?? []
  expect(named.length).toBeGreaterThan(100)
  const gone = named.filter((file) => !files.includes(file))
  expect(gone, 'rename or remove its lines in test/timings.txt').toEqual([])
})

test('each law that `npm run test:quick` asks is one', () => {
  expect(laws.filter((law) => !files.some((file) => file.startsWith(law)))).toEqual([])
})

test('each room, wing and file of the import law is there', () => {
  expect(namedInLaw().filter((name) => !existsSync(join(root, 'src', name)))).toEqual([])
})
