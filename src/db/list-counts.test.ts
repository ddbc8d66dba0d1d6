/** Totals that triggers keep, and pages that are read from the nearer end of a list. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Forge, testForge } from '../../test/support/forge.ts'
import { pageOfList } from './list-cache.ts'
import { foldCounts } from './list-counts.ts'

/** The counts that are kept and those of the rows, each as lines of list, value and number. */
async function counts(forge: Forge): Promise<{ kept: string[]; real: string[] }> {
  const kept = await sql<{ list: string; value: string; number: number }>`
    select list, value, cast(sum(number) as bigint) as number from list_counts group by list, value having sum(number) <> 0`.execute(
    forge.app.db,
  )
  const real = await sql<{ list: string; value: string; number: number }>`
    select 'projects' as list, visibility as value, count(*) as number from projects group by visibility
    union all select 'namespaces', visibility, count(*) from namespaces where kind = 'group' group by visibility
    union all select 'users', state || ' ' || kind || case when external then ' external' else '' end, count(*) from users group by 2`.execute(
    forge.app.db,
  )
  const lines = (rows: Array<{ list: string; value: string; number: number }>) =>
    rows.map(({ list, value, number }) => `${list} ${value} ${number}`).sort()
  return { kept: lines(kept.rows), real: lines(real.rows) }
}

test('kept totals follow whatever happens to projects, groups and users', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const expectExact = async () => {
    const { kept, real } = await counts(forge)
    expect(kept).toEqual(real)
  }
  await expectExact()

  const user = await forge.user()
  const { body: group } = await root.post('/groups', { name: 'counted', path: 'counted', visibility: 'public' })
  const { body: below } = await root.post('/groups', { name: 'below', path: 'below', parent_id: group.id, visibility: 'internal' })
  for (const name of ['one', 'two']) await root.post('/projects', { name, namespace_id: below.id, visibility: 'internal' })
  await forge.as(user).post('/projects', { name: 'own', visibility: 'private' })
  await expectExact()

  await root.post(`/users/${user.id}/block`)
  await root.put(`/users/${user.id}`, { external: true })
  await root.put(`/groups/${below.id}`, { visibility: 'private' })
  await root.put(`/groups/${group.id}`, { description: 'changed' })
  await expectExact()

  // All that is below goes with it, by foreign keys.
  await forge.app.db.deleteFrom('namespaces').where('id', '=', group.id).execute()
  await forge.app.db.deleteFrom('projects').where('creator_id', '=', user.id).execute()
  await expectExact()

  await foldCounts(forge.app.db)
  await expectExact()
  const { rows } = await sql`select list, value from list_counts group by list, value having count(*) > 1`.execute(forge.app.db)
  expect(rows).toEqual([])
})

test('writes of a failed transaction are not in the totals', async () => {
  const forge = await testForge()
  const before = await counts(forge)

  const failing = forge.app.db.transaction().execute(async (tx) => {
    await tx.updateTable('users').set({ state: 'blocked' }).execute()
    throw new Error('rolled back')
  })

  await expect(failing).rejects.toThrow('rolled back')
  expect(await counts(forge)).toEqual(before)
})

test('the total of a list counts exactly the rows that its viewer sees', async () => {
  const forge = await testForge()
  const [user, other] = [await forge.user(), await forge.user()]
  for (const visibility of ['public', 'internal', 'private'])
    await forge.as(other).post('/projects', { name: `of-${visibility}`, visibility })
  await forge.as(user).post('/projects', { name: 'own', visibility: 'private' })
  await forge.as(user).post('/groups', { name: 'hidden', path: 'hidden', visibility: 'private' })

  for (const path of [
    '/projects',
    '/groups?all_available=true',
    '/users',
    '/users?active=true',
    '/users?humans=true',
    '/users?without_project_bots=true',
    '/users?external=true',
    '/users?active=true&external=true',
  ])
    for (const client of [forge.as(forge.root), forge.as(user), forge.anonymous]) {
      const { headers, status } = await client.get(path)
      if (status !== 200) continue
      const whole = await client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=100`)
      expect([path, headers['x-total']]).toEqual([path, String(whole.body.length)])
    }
})

test('pages from either end are those of the whole list', async () => {
  const forge = await testForge()
  for (let count = 0; count < 7; count += 1) await forge.user()
  const { db } = forge.app
  const all = (await db.selectFrom('users').select('id').orderBy('id').execute()).map(({ id }) => id)
  const rowsOf = async (_: unknown, ids: number[]) => ids.map((id) => ({ id }))

  for (const limit of [1, 2, 3, all.length, all.length + 5]) {
    const found: number[] = []
    for (let offset = 0; offset < all.length; offset += limit) {
      const ids = (isReversed: boolean) =>
        db
          .selectFrom('users')
          .select('id')
          .orderBy('id', isReversed ? 'desc' : 'asc')
      found.push(...(await pageOfList(db, ids, { total: all.length, offset, limit }, rowsOf)).map(({ id }) => id))
    }
    expect(found).toEqual(all)
  }
})
