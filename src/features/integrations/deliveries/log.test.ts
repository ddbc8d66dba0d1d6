/** The log of what a webhook was sent, as long as it may become. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
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

  // The total, the ids of the page and its rows; on PostgreSQL also what tells whether something was written.
  expect((await forge.cost(() => listDeliveries(db, other, { limit: 10, offset: 5 }))).statements).toBeLessThanOrEqual(5)
})
