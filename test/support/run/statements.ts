/**
 * Records the SQL texts of each test, as one line of JSON per test in the file that GITSTEAD_TEST_STATEMENTS names, and the texts themselves
 * in a file beside it.
 */
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'

const report = process.env.GITSTEAD_TEST_STATEMENTS
const seen = new Set<string>()
const hashes = new Map<string, string>()
/** Hashes whose text this worker has written. */
const written = new Set<string>()

/** A line of the record. */
export interface RecordedTest {
  engine: string
  /** Relative to the root of the project. */
  file: string
  /** Names of its suites and its own, separated by ` > `. */
  name: string
  /** Whether the gate leaves it out. */
  in_full_run: boolean
  /** Whether the gate leaves it to PostgreSQL, which runs it in any case then. */
  on_postgres_alone: boolean
  /** Processor time of the worker, in milliseconds. */
  cpu_ms: number
  /** Hashes of the SQL texts, regardless of the engine's placeholders and of their number. */
  statements: string[]
}

/** A line of the file with `.texts` at the end of its name. */
export type RecordedText = [hash: string, text: string]

export function noteStatement(text: string): void {
  if (!report) return
  seen.add(hashOf(text))
}

let cpu = process.cpuUsage()

/** Call it before each test, so that statements of other tests don't count. */
export function startRecord(): void {
  if (!report) return
  cpu = process.cpuUsage()
}

/** Hooks that run before the first test count for it. */
export function writeRecord(test: Omit<RecordedTest, 'cpu_ms' | 'statements'>): void {
  if (!report) return
  const { user, system } = process.cpuUsage(cpu)
  const recorded: RecordedTest = { ...test, cpu_ms: Math.round((user + system) / 1000), statements: [...seen].sort() }
  appendFileSync(report, `${JSON.stringify(recorded)}\n`)
  seen.clear()
}

function hashOf(text: string): string {
  const known = hashes.get(text)
  if (known) return known
  const plain = text
    .replace(/\$\d+/g, '?')
    .replace(/\?(?:, \?)+/g, '?')
    .replace(/(\(\?\))(?:, \(\?\))+/g, '$1')
  const hash = createHash('md5').update(plain).digest('hex').slice(0, 12)
  if (!written.has(hash)) appendFileSync(`${report}.texts`, `${JSON.stringify([hash, plain] satisfies RecordedText)}\n`)
  written.add(hash)
  hashes.set(text, hash)
  return hash
}
