/**
 * Reads and writes of many senders, gathered into a few statements and transactions: each commit of its own would be flushed to disk by
 * itself, while requests wait.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'

export type Write = (tx: Tx) => Promise<void>

interface Waiting {
  work: Write
  resolve: () => void
  reject: (error: unknown) => void
}

/** Writes in one transaction. On SQLite its statements keep the event loop busy. */
const maxWrites = 32

/**
 * Runs what is written within some time of each other in one transaction. A write resolves once it is committed, and fails alone.
 * @param gather_ms how long to wait for others before a transaction
 */
export function gatheredWrites(db: Kysely<Tables>, gather_ms: () => number): (work: Write) => Promise<void> {
  const waiting: Waiting[] = []
  let isWriting = false
  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      const wait_ms = waiting.length < maxWrites ? gather_ms() : 0
      await (wait_ms > 0 ? delay(wait_ms) : nextTurn())
      await writeTogether(db, waiting.splice(0, maxWrites))
    }
    isWriting = false
  }
  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject })
      if (!isWriting) void writeAll()
    })
}

/** If the transaction fails, each is tried by itself. */
async function writeTogether(db: Kysely<Tables>, group: Waiting[]): Promise<void> {
  try {
    await inTransaction(db, async (tx) => {
      for (const { work } of group) await work(tx)
    })
    for (const { resolve } of group) resolve()
  } catch (error) {
    if (group.length === 1) for (const { reject } of group) reject(error)
    else for (const one of group) await writeTogether(db, [one])
  }
}

interface Reader<K, V> {
  key: K
  resolve: (value: V | null) => void
  reject: (error: unknown) => void
}

/** Reads in one go what is asked for within one turn of the event loop. Null for what `readAll` doesn't find. */
export function gatheredReads<K, V>(readAll: (keys: K[]) => Promise<Map<K, V>>): (key: K) => Promise<V | null> {
  let waiting: Reader<K, V>[] = []
  async function read(): Promise<void> {
    await nextTurn()
    const group = waiting
    waiting = []
    try {
      const found = await readAll(group.map(({ key }) => key))
      for (const { key, resolve } of group) resolve(found.get(key) ?? null)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (waiting.length === 1) void read()
    })
}

/** Resolves callers one by one, each in a turn of the event loop of its own, so that requests are answered between them. */
export function oneByOne(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
