/**
 * A law of the full run: each SQL text that a test of the gate runs on SQLite meets PostgreSQL there. Otherwise what PostgreSQL says of it is
 * first seen by whoever uses it.
 */
import { readFileSync } from 'node:fs'

/**
 * Texts that only tests without PostgreSQL run, each with one of these tests. What a test that runs on both engines asks of SQLite counts as
 * met, though its text differs on PostgreSQL.
 */
export function unmet(tests) {
  const nameOf = ({ file, name }) => `${file} › ${name}`
  const onPostgres = new Set(tests.filter(({ engine }) => engine === 'postgres').map(nameOf))
  const met = new Set(tests.filter((test) => onPostgres.has(nameOf(test))).flatMap(({ statements }) => statements))
  const found = new Map()
  for (const test of tests) {
    if (test.in_full_run) continue
    for (const hash of test.statements) if (!met.has(hash)) found.set(hash, nameOf(test))
  }
  return [...found].map(([hash, test]) => ({ hash, test }))
}

/** A line for each text that the record of a full run (GITSTEAD_TEST_STATEMENTS) shows to have met SQLite alone. */
export function unmetIn(record) {
  const texts = new Map(linesOf(`${record}.texts`))
  return unmet(linesOf(record)).map(({ hash, test }) => `${test} runs on SQLite what never meets PostgreSQL: ${texts.get(hash)}`)
}

function linesOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
