/**
 * Chooses the tests that the gate runs on PostgreSQL, from what `npm run test:all -- --record` has recorded: few seconds of processor that run
 * nearly every SQL text. What was chosen before is preferred, so that the list changes little.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineOf } from '../test/support/on-postgres.ts'
import { root, say } from './prepare.mjs'

/** Of all SQL texts. Most of the others are run by one test alone, and a dear one. */
const wantedShare = 0.99
/** What a test costs at least, by its hooks and by what isn't the worker's own. */
const base_ms = 20
/** A test that was chosen before counts as so much cheaper. */
const kept = 0.7

const list = join(root, 'test', 'on-postgres.txt')

const tests = readRecord(process.argv[2])
const chosen = cover(tests, new Set(readFileSync(list, 'utf8').split('\n')))
const lines = new Set(chosen.map(({ file, name }) => lineOf(file, name)))
writeFileSync(list, `${[...lines].sort().join('\n')}\n`)
const seconds = (recorded) => recorded.reduce((sum, { cpu_ms }) => sum + cpu_ms / 1000, 0).toFixed(0)
say(`PostgreSQL in the gate: ${lines.size} tests (${seconds(chosen)} s of processor) of ${tests.length} (${seconds(tests)} s).`)

/** The tests on PostgreSQL of the file that GITSTEAD_TEST_STATEMENTS named (`RecordedTest`). */
function readRecord(path) {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).filter(({ engine }) => engine === 'postgres')
}

/** The greedy cover: again and again the test that runs most new texts for its time. */
function cover(tests, before) {
  const all = new Set(tests.flatMap(({ statements }) => statements))
  const missing = new Set(all)
  const chosen = []
  const price = (test) => (test.cpu_ms + base_ms) * (before.has(lineOf(test.file, test.name)) ? kept : 1)
  const gain = (test) => test.statements.reduce((count, text) => count + (missing.has(text) ? 1 : 0), 0) / price(test)
  let rest = tests.map((test) => ({ test, gain: gain(test) })).sort((a, b) => b.gain - a.gain)
  while (missing.size > all.size * (1 - wantedShare) && rest.length > 0) {
    // Gains only fall: the first whose gain of now is no less than that of the next one is the best.
    const first = rest[0]
    first.gain = gain(first.test)
    if (rest.length > 1 && first.gain < rest[1].gain) {
      rest = rest.sort((a, b) => b.gain - a.gain)
      continue
    }
    if (first.gain === 0) break
    chosen.push(first.test)
    for (const text of first.test.statements) missing.delete(text)
    rest.shift()
  }
  return chosen
}
