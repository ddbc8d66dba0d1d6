/**
 * Budgets of the laws in the gate: a fixed number of requests for each endpoint instead of products of endpoints, callers and values. The
 * full run sends all of them, and so does a run for chosen endpoints (`GITSTEAD_TEST_ENDPOINTS`).
 */
import { createHash } from 'node:crypto'
import { engine } from '../../support/database.ts'
import { isGate } from '../../support/run/tiers.ts'

/** Whether this run keeps to the budgets. */
export const isSampled = isGate && process.env.GITSTEAD_TEST_ENDPOINTS === undefined

/**
 * The seed of all samples: a number in the repository, so that the same commit is asked the same. Another number asks others; raise it
 * when the full run has passed.
 */
const seed = 1

/** A number below 2 ** 32 that depends on the name and the seed alone: a new endpoint doesn't change the samples of others. */
export function lotOf(name: string): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE()
}

/** In the gate one of `parts`, at least one; else all. */
export function sampled<T>(all: readonly T[], parts: number, nameOf: (one: T) => string): T[] {
  if (!isSampled) return [...all]
  const chosen = all.filter((one) => lotOf(nameOf(one)) % parts === 0)
  return chosen.length > 0 ? chosen : all.slice(0, 1)
}

/** The first of each kind. */
export function firstOfEach<T>(all: readonly T[], kindOf: (one: T) => string): T[] {
  const known = new Set<string>()
  return all.filter((one) => {
    const kind = kindOf(one)
    const isNew = !known.has(kind)
    known.add(kind)
    return isNew
  })
}

/** All of them on SQLite, and on PostgreSQL one in `parts`: `replies.test.ts` asks every endpoint on both, so each statement runs there. */
export function sampledOnPostgres<T>(all: readonly T[], parts: number, nameOf: (one: T) => string): T[] {
  return engine === 'postgres' ? sampled(all, parts, nameOf) : [...all]
}

/** To be said by the laws that sample, once for each file. */
export function saySample(law: string, asked: number, all: number): void {
  if (isSampled) console.info(`${law}: ${asked} of ${all} by seed ${seed}; the full run asks all`)
}

/** Options of a test that asks every endpoint or page: up to 10 s of processor, which grow with their number, beside much else. */
export const ofEveryEndpoint = { timeout: 300_000 }
