import { afterEach, expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { noObject } from '../git/objects/object-id.ts'
import { job } from '../queue/queue.ts'
import { connectSubscribers, enqueued, inSameTransaction, joined, publish, type Subscribers } from './domain-events.ts'
import type { EventOf } from './events.ts'

let disconnect = () => {}
afterEach(() => disconnect())

/** A database in which these are the only subscribers. */
async function connect(subscribers: Subscribers) {
  const { app } = await testForge()
  disconnect = connectSubscribers(subscribers)
  return app.db
}

const restored = (project_id: number): EventOf<'project_restored'> => ({
  type: 'project_restored',
  project_id,
  default_branch: 'main',
  changes: [{ ref: 'refs/heads/main', before: noObject, after: '1'.repeat(40) }],
})

const insertEmail = (tx: Tx, email: string) => {
  const row = { user_id: 1, email, email_key: email, is_primary: false, confirmed_at: null, created_at: '2030-01-01T00:00:00.000Z' }
  return tx.insertInto('emails').values(row).execute()
}
const emails = async () => {
  const { app } = await testForge()
  const rows = await app.db.selectFrom('emails').select('email').where('is_primary', '=', false).orderBy('id').execute()
  await app.db.deleteFrom('emails').where('is_primary', '=', false).execute()
  return rows.map(({ email }) => email)
}
const waiting = async () => {
  const { app } = await testForge()
  const rows = await app.db.selectFrom('jobs').selectAll().where('name', '=', 'test.follow').orderBy('id').execute()
  await app.db.deleteFrom('jobs').where('name', '=', 'test.follow').execute()
  return rows.map(({ payload, unique_key }) => [JSON.parse(payload), unique_key])
}
const follow = job<number>('test.follow', { key: (id) => `follow ${id}`, handle: async () => {} })

test('subscribers of an event are called in the order of the table, others are not', async () => {
  const called: string[] = []
  const first: Subscribers = {
    project_restored: [inSameTransaction(async (_, { project_id }) => void called.push(`first ${project_id}`))],
    refs_pushed: [inSameTransaction(async () => void called.push('another event'))],
  }
  const second: Subscribers = {
    project_restored: [inSameTransaction(async (_, { default_branch }) => void called.push(`second ${default_branch}`))],
  }
  const db = await connect(joined(first, second))
  await inTransaction(db, (tx) => publish(tx, restored(7)))
  expect(called).toEqual(['first 7', 'second main'])
})

test('what a subscriber writes is committed and rolled back with the transaction of the publisher', async () => {
  const db = await connect({
    project_restored: [inSameTransaction(async (tx, { project_id }) => void (await insertEmail(tx, `${project_id}@a`)))],
  })
  await inTransaction(db, (tx) => publish(tx, restored(1)))
  const rolledBack = inTransaction(db, async (tx) => {
    await publish(tx, restored(2))
    throw new Error('no')
  })
  await expect(rolledBack).rejects.toThrow('no')
  expect(await emails()).toEqual(['1@a'])
})

test('a job is enqueued when, and only when, the transaction is committed', async () => {
  const db = await connect({ project_restored: [enqueued(follow, ({ project_id }) => project_id)] })
  const rolledBack = inTransaction(db, async (tx) => {
    await publish(tx, restored(1))
    throw new Error('no')
  })
  await expect(rolledBack).rejects.toThrow('no')
  await inTransaction(db, (tx) => publish(tx, restored(2)))
  expect(await waiting()).toEqual([[2, 'follow 2']])
})

test('events published twice enqueue a job with a key once, and none where there is no payload', async () => {
  const db = await connect({ project_restored: [enqueued(follow, ({ project_id }) => (project_id === 1 ? null : project_id))] })
  await inTransaction(db, async (tx) => {
    for (const id of [1, 2, 2]) await publish(tx, restored(id))
  })
  expect(await waiting()).toEqual([[2, 'follow 2']])
})

test('what a subscriber throws fails the transaction, and those after it are not called', async () => {
  const called: string[] = []
  const db = await connect({
    project_restored: [
      inSameTransaction(async (tx) => void (await insertEmail(tx, 'a@a'))),
      inSameTransaction(async () => {
        throw new Error('subscriber failed')
      }),
      inSameTransaction(async () => void called.push('after')),
    ],
  })
  await expect(inTransaction(db, (tx) => publish(tx, restored(1)))).rejects.toThrow('subscriber failed')
  expect([called, await emails()]).toEqual([[], []])
})

test('an event without subscribers is published all the same', async () => {
  const db = await connect({})
  await expect(inTransaction(db, (tx) => publish(tx, restored(1)))).resolves.toBeUndefined()
})

test('the subscribers of a process are put back after a test', async () => {
  const called: string[] = []
  const db = await connect({ project_restored: [inSameTransaction(async () => void called.push('own'))] })
  connectSubscribers({})()
  await inTransaction(db, (tx) => publish(tx, restored(1)))
  expect(called).toEqual(['own'])
})
