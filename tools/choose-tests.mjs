/**
 * Chooses the tests that the gate runs on PostgreSQL, from the record of `npm run test:all -- --record`: few seconds of processor time that
 * run nearly every SQL text. Tests of the current list are preferred, so that it changes little.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWhole, lineOf } from '../test/support/run/on-postgres.ts'
import { root, say } from './prepare.mjs'

/** Share of the SQL texts of tests that the gate doesn't leave out. Most of the others are only run by a single, expensive test. */
const wantedShare = 0.99
/** Minimum cost of a test: its hooks, and what the worker doesn't measure. */
const base_ms = 20
/**
 * Cost of the first chosen test of a file: its forge with a user and a project takes 130 ms of the worker, and 110 of the server that copies
 * the database.
 */
const file_ms = 240
/** The part of that which was recorded with the first test of the file. */
const opening_ms = 130
/** Most of the cost of servers and clients isn't measured in the worker. */
const startsPrograms = /^test\/(?:clients|scripts)\//
const ofPrograms = 4
/** Factor for the cost of tests of the current list. */
const kept = 0.9

const list = join(root, 'test', 'on-postgres.txt')

const tests = readRecord(process.argv[2])
const before = new Set(readFileSync(list, 'utf8').split('\n'))
const chosen = cover(tests, before)
const lines = new Set(chosen.map(({ file, name }) => lineOf(file, name)))
writeFileSync(list, `${[...lines].sort().join('\n')}\n`)
const seconds = (recorded) => recorded.reduce((sum, { cpu_ms }) => sum + cpu_ms / 1000, 0).toFixed(0)
const files = new Set(chosen.map(({ file }) => file)).size
say(
  `PostgreSQL in the gate: ${lines.size} tests of ${files} files (${seconds(chosen)} s of processor) besides the files that run whole; ` +
    `of ${tests.length} (${seconds(tests)} s).`,
)

const percent = (share) => `${(100 * share).toFixed(1)} %`
const listed = tests.filter(({ file, name }) => before.has(lineOf(file, name)))
say(
  `They run ${percent(shareOf(tests, chosen))} of the SQL texts of the gate; those that were listed ran ${percent(shareOf(tests, listed))}.`,
)

/** The tests on PostgreSQL of the file that GITSTEAD_TEST_STATEMENTS named (`RecordedTest`). */
function readRecord(path) {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const known = new Set()
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ engine }) => engine === 'postgres')
    .map((test) => {
      const isFirst = !known.has(test.file)
      known.add(test.file)
      return { ...test, isFirst }
    })
}

/** The SQL texts of tests that the gate doesn't leave out. */
function textsOfGate(tests) {
  return new Set(tests.flatMap(({ in_full_run, statements }) => (in_full_run ? [] : statements)))
}

/** The share of them that these tests and the whole files run. */
function shareOf(tests, chosen) {
  const all = textsOfGate(tests)
  const run = new Set([...chosen, ...tests.filter(runsAnyway)].flatMap(({ statements }) => statements))
  return [...all].filter((text) => run.has(text)).length / all.size
}

/**
 * Chooses tests that the gate doesn't run on SQLite, and a greedy cover of the statements that neither they nor the whole files run:
 * repeatedly takes the test that runs most new texts for its cost.
 */
function cover(tests, before) {
  const all = textsOfGate(tests)
  const missing = new Set(all)
  const pass = ({ statements }) => {
    for (const text of statements) missing.delete(text)
  }
  for (const test of tests) if (runsAnyway(test)) pass(test)
  const chosen = tests.filter(({ file, on_postgres_alone }) => on_postgres_alone && !isWhole(file))
  for (const test of chosen) pass(test)
  let rest = tests.filter((test) => !isWhole(test.file) && !test.in_full_run && !chosen.includes(test))
  const files = new Set(chosen.map(({ file }) => file))
  const gainOf = (test) => {
    const count = test.statements.reduce((sum, text) => sum + (missing.has(text) ? 1 : 0), 0)
    const price = (base_ms + ownPrice(test) + (files.has(test.file) ? 0 : file_ms)) * (before.has(lineOf(test.file, test.name)) ? kept : 1)
    return count / price
  }
  while (missing.size > all.size * (1 - wantedShare)) {
    const gains = rest.map((test) => ({ test, gain: gainOf(test) })).filter(({ gain }) => gain > 0)
    if (gains.length === 0) break
    const { test } = gains.reduce((best, other) => (other.gain > best.gain ? other : best))
    chosen.push(test)
    files.add(test.file)
    pass(test)
    // The gain of a test only rises with a choice in its file, and never from zero.
    rest = gains.map((one) => one.test).filter((one) => one !== test)
  }
  return withoutSpare(chosen, tests)
}

/** Whether the gate runs all of its file, and doesn't leave it out. */
function runsAnyway({ file, in_full_run }) {
  return isWhole(file) && !in_full_run
}

function ownPrice({ file, cpu_ms, isFirst }) {
  return Math.max(cpu_ms - (isFirst ? opening_ms : 0), 0) * (startsPrograms.test(file) ? ofPrograms : 1)
}

/** Removes tests whose texts are all run by tests chosen later. */
function withoutSpare(chosen, tests) {
  const runs = new Map()
  const count = ({ statements }, by) => {
    for (const text of statements) runs.set(text, (runs.get(text) ?? 0) + by)
  }
  for (const test of [...chosen, ...tests.filter(runsAnyway)]) count(test, 1)
  return [...chosen]
    .sort((a, b) => ownPrice(b) - ownPrice(a))
    .filter((test) => {
      if (test.on_postgres_alone || test.statements.some((text) => runs.get(text) === 1)) return true
      count(test, -1)
      return false
    })
}
