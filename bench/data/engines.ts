/** Fills a large and a small forge, so that their lists are measured side by side, on both engines. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../tools/postgres.mjs'
import { createDatabase, onServer } from '../databases.ts'
import { type Forge, startForge } from '../forge.ts'
import type { SideBySide, Writes } from '../probes/side-by-side.ts'
import type { Latency } from '../probes/steady.ts'
import { pause, runScript } from '../processes.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { lists_s, onlyEngine, rate_per_s, writes_per_s } from '../settings.ts'
import { member } from './people.ts'

/** A forge, what is looked at in it, and how much of it there is. */
export interface Side<Found, Size> {
  forge: Forge
  found: Found
  size: Size
}

export interface Subject<Found, Size> {
  /** Prefix of the names of folders and databases. */
  name: string
  sizes: [large: Size, small: Size]
  describe: (size: Size) => string
  /** Fills the database at the location, of a server that has started. */
  fill: (forge: Forge, location: string, size: Size) => Promise<Found>
  measure: (engine: string, ours: Side<Found, Size>, few: Side<Found, Size>) => Promise<Row[]>
}

/** The rows of the table; without a PostgreSQL server on this machine only those of SQLite. */
export async function onEachEngine<Found, Size>(folder: string, subject: Subject<Found, Size>): Promise<Row[]> {
  const { name, fill } = subject
  const onSqlite = () =>
    measureOn('SQLite', folder, subject, async (size, home) => {
      const forge = await startForge(home)
      return { forge, size, found: await orStop(forge, () => fill(forge, join(home, 'gitstead.sqlite'), size)) }
    })
  const rows = onlyEngine === 'postgres' ? [] : await onSqlite()
  const postgres = onlyEngine === 'sqlite' ? null : await startPostgres()
  if (!postgres) return rows
  let count = 0
  try {
    const onPostgres = await measureOn('PostgreSQL', folder, subject, async (size, home) => {
      const database_url = await createDatabase(postgres.url, `${name}_${++count}`)
      const forge = await startForge(home, { database_url })
      const found = await orStop(forge, () => fill(forge, database_url, size))
      // PostgreSQL would do this by itself within a minute, in the middle of a measurement.
      await onServer(database_url, 'vacuum analyze')
      return { forge, size, found }
    })
    return [...rows, ...onPostgres]
  } finally {
    await postgres.stop()
  }
}

async function orStop<T>(forge: Forge, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await forge.stop()
    throw error
  }
}

async function measureOn<Found, Size>(
  engine: string,
  folder: string,
  { name, sizes, describe, measure }: Subject<Found, Size>,
  start: (size: Size, home: string) => Promise<Side<Found, Size>>,
): Promise<Row[]> {
  const sides: Array<Side<Found, Size>> = []
  try {
    for (const [index, size] of sizes.entries()) {
      printProgress(`${engine}: ${describe(size)}`)
      const home = join(folder, `${name}-${engine}-${index}`)
      mkdirSync(home, { mode: 0o700 })
      sides.push(await start(size, home))
    }
    // Filling took longer than a connection stays open: now its end is noticed.
    await pause(100)
    const [ours, few] = sides as [Side<Found, Size>, Side<Found, Size>]
    return await measure(engine, ours, few)
  } finally {
    for (const { forge } of sides) await forge.stop()
  }
}

/** A list at a steady rate, as a member of the large forge and of the small one ask for it. */
export async function compareList(engine: string, what: string, sides: [ours: string[], few: string[]], writes?: Writes): Promise<Row> {
  printProgress(`${engine}: ${what}${writes ? ', with writes' : ''}`)
  const [one, other] = await runScript<SideBySide, [Latency, Latency]>('side-by-side.ts', {
    sides,
    headers: { 'private-token': member.token },
    rate_per_s,
    duration_s: lists_s,
    ...(writes && { writes }),
  })
  const row = asLatencyRow(`${engine}, ${what}${writes ? `, with ${writes_per_s} writes a second` : ''}`, one, other)
  // The table comes after half an hour: this is for whoever waits.
  printProgress(`${row.what}: ${row.ours}; ${row.limit}`)
  return row
}

const perPage = 20

/** One in the middle, and the last two. */
export function deepPages(rows: number): number[] {
  const last = Math.ceil(rows / perPage)
  return [Math.ceil(last / 2), last - 1, last]
}

const max_ms = 25
const maxTimes = 1.5

export function asLatencyRow(what: string, ours: Latency, few: Latency): Row {
  const ratio = ours.p90_ms / few.p90_ms
  return {
    what: `${what}, ${rate_per_s}/s: p90`,
    ours: `${digits(ours.p90_ms)} ms (p50 ${digits(ours.p50_ms)} ms)`,
    limit: `${digits(few.p90_ms)} ms (p50 ${digits(few.p50_ms)} ms) with a hundredth of the rows`,
    ratio: digits(ratio),
    aim: `${atMost(0, max_ms, 'ms').aim} and ${atMost(0, maxTimes).aim} ×`,
    met: ours.p90_ms <= max_ms && ratio <= maxTimes,
  }
}
