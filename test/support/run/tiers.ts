/**
 * The two tiers of tests. `npm test` is the gate: what a change must pass to be merged, in minutes. `npm run test:all` runs everything. A
 * test is in the gate unless it is marked here; files named as arguments of `npm test` run completely.
 */

export const isGate = process.env.GITSTEAD_TEST_TIER === 'gate'

/** Whether only the tests run that the gate leaves out: after a gate they are what the full run still has to show. */
export const isRest = process.env.GITSTEAD_TEST_TIER === 'rest'

/** How many times its processor time a test may take: PostgreSQL doubles it, and on a busy machine others have most of the processor. */
const patience = 20
/** `testTimeout` in `vitest.config.ts`. */
const usual_s = 30

/**
 * Options of a test or a `describe` that the gate leaves out. `reason` says what it costs there, or which other test covers it. One that costs
 * `10 s of processor` has more time than others: a `timeout` of its own comes after these options.
 */
export function inFullRun(reason: string): { skip?: true; timeout?: number; meta?: { in_full_run: true } } {
  if (reason === '') throw new Error('Say why the gate leaves this test out')
  // Not `skip: false`, which would run what `test.skipIf` skips.
  if (isGate) return { skip: true }
  const [, seconds] = /(\d+) s of processor/.exec(reason) ?? []
  const timeout = 1000 * Math.max(usual_s, patience * Number(seconds ?? 0))
  return { timeout, meta: { in_full_run: true } }
}

/**
 * Options of a test of `test/on-postgres.txt` that the gate runs on PostgreSQL alone, where there is one: what it shows doesn't depend on the
 * engine. `reason` says what a second time costs.
 */
export function onPostgresAlone(reason: string): { skip?: true; meta?: { on_postgres_alone: true } } {
  if (reason === '') throw new Error('Say what the test costs')
  const isAlone = isGate && process.env.GITSTEAD_TEST_DATABASE_URL !== '' && process.env.GITSTEAD_TEST_ENGINE !== 'postgres'
  return isAlone ? { skip: true } : { meta: { on_postgres_alone: true } }
}

declare module 'vitest' {
  interface TaskMeta {
    /** For a test that the gate leaves out. */
    in_full_run?: true
    /** For a test that the gate leaves out on SQLite. */
    on_postgres_alone?: true
  }
}

/** Whether to test a pair of things: in the gate one in `count` pairs, always the same ones, from each row and each column. */
export function isInSample(row: number, column: number, count: number): boolean {
  return !isGate || (row + column) % count === 0
}
