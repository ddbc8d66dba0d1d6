/** The log of what a webhook was sent, as long as it may become. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import { foldCounts } from '../../../db/list-counts.ts'
import { insertDeliveries } from './deliveries.queries.ts'
import { listDeliveries } from './log.queries.ts'

test('each page of a log shows its part, newest first, with statements whose number does not grow', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const as = forge.as(maintainer)
  const ids: number[] = []
  for (const url of ['http://93.184.216.34/one', 'http://93.184.216.34/other']) {
    const made = await as.post(`/projects/${project.id}/hooks`, { url })
    expect(made.body).toMatchObject({ url })
    ids.push(made.body.id)
  }
  const [hook = 0, other = 0] = ids
  const payload = { event: 'Push Hook', body: '{}', facts: null }
  const { db } = forge.app
  for (const id of [hook, other, hook])
    await inTransaction(db, (tx) => insertDeliveries(tx, [{ id, event: 'Push Hook' }], Array(30).fill(payload)))

  const all = (await listDeliveries(db, hook, { limit: 100, offset: 0 })).rows.map(({ id }) => id)
  expect([all.length, all]).toEqual([60, [...all].sort((a, b) => b - a)])
  for (const offset of [0, 10, 25, 40, 55, 60]) {
    const { rows, total } = await listDeliveries(db, hook, { limit: 10, offset })
    expect([offset, total, rows.map(({ id, hook_id, body }) => [id, hook_id, body])]).toEqual([
      offset,
      60,
      all.slice(offset, offset + 10).map((id) => [id, hook, '{}']),
    ])
  }
  expect((await as.get(`/projects/${project.id}/hooks/${other}/events/${all[0]}`)).status).toBe(404)

  // The total, where the page begins, its ids and its rows.
  expect((await forge.cost(() => listDeliveries(db, other, { limit: 10, offset: 5 }))).statements).toBe(4)
})

test('pages follow each other where many ids of other logs lie between, and after some were removed', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const { db } = forge.app
  const hooks: number[] = []
  for (const path of ['a', 'b'])
    hooks.push((await forge.as(maintainer).post(`/projects/${project.id}/hooks`, { url: `http://93.184.216.34/${path}` })).body.id)
  const [hook = 0, other = 0] = hooks
  const payload = { event: 'Push Hook', body: '{}', facts: null }
  const [payload_id = 0] = await inTransaction(db, (tx) => insertDeliveries(tx, [{ id: hook, event: 'Push Hook' }], [payload]))
  const [first] = await db.selectFrom('hook_deliveries').selectAll().where('hook_id', '=', hook).execute()
  const at = (first?.id ?? 0) + 100
  // Ids of several blocks of the counts, of which the second has nothing left.
  const ids = [1, 2, 3, 5_000, 5_001, 10_000, 10_001, 10_002, 30_000].map((n) => at + n)
  const row = { payload_id, uuid: 'u', event: 'Push Hook', due_at: first?.due_at ?? '', created_at: first?.created_at ?? '' }
  const made = ids.flatMap((id) => [
    { ...row, id, hook_id: hook },
    { ...row, id: id + 40, hook_id: other },
  ])
  await db.insertInto('hook_deliveries').values(made).execute()
  await db
    .deleteFrom('hook_deliveries')
    .where('id', 'in', [at + 5_000, at + 5_001])
    .execute()
  const left = ids.filter((id) => id !== at + 5_000 && id !== at + 5_001)
  const whole = [...left.reverse(), first?.id]

  const pages = async () => {
    const found: number[] = []
    for (let offset = 0; offset < 10; offset += 3) {
      const { rows, total } = await listDeliveries(db, hook, { limit: 3, offset })
      expect(total).toBe(whole.length)
      found.push(...rows.map(({ id }) => id))
    }
    return found
  }
  expect(await pages()).toEqual(whole)
  await foldCounts(db)
  expect(await pages()).toEqual(whole)
  await db.deleteFrom('hooks').where('id', '=', hook).execute()
  expect(await listDeliveries(db, hook, { limit: 3, offset: 0 })).toEqual({ rows: [], total: 0 })
})
