/** Readings that end before they have collected too much, on both engines. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { ReadLimitReached, readMeter } from '../limits/read-meter.ts'
import { metered } from './database.ts'
import { prepared } from './prepared-queries.ts'

const kilobyte = 'x'.repeat(1024)

async function largeIssues() {
  const { app, ...forge } = await testForge()
  const project = await forge.project()
  for (let count = 0; count < 5; count += 1) await forge.issue(project, forge.root, { description: kilobyte })
  return { db: app.db, project }
}

test('a statement throws as soon as its rows are more than its meter lets in, and the next one works', async () => {
  const { db, project } = await largeIssues()
  const list = (limit_bytes: number) => {
    const meter = readMeter(limit_bytes)
    const query = metered(db, meter).selectFrom('issues').select(['id', 'description']).where('project_id', '=', project.id)
    return { meter, rows: query.execute() }
  }
  const { meter, rows } = list(2_500)
  await expect(rows).rejects.toThrow(ReadLimitReached)
  expect([meter.isSpent, meter.bytes < 4 * 1024]).toEqual([true, true])
  expect(await list(6_000).rows).toHaveLength(5)
  expect(await db.selectFrom('issues').select('description').where('project_id', '=', project.id).execute()).toHaveLength(5)
})

test('prepared statements and statements of their own text are counted, too', async () => {
  const { db, project } = await largeIssues()
  const issuesOf = prepared((on, id: number) => on.selectFrom('issues').select(['description', 'title']).where('project_id', '=', id))
  await expect(issuesOf(metered(db, readMeter(2_500)), project.id)).rejects.toThrow(ReadLimitReached)
  const raw = sql<{ description: string }>`select description from issues where project_id = ${project.id}`
  await expect(raw.execute(metered(db, readMeter(2_500)))).rejects.toThrow(ReadLimitReached)
  expect(await issuesOf(metered(db, readMeter(6_000)), project.id)).toHaveLength(5)
})

test('a transaction of a metered database is one of the database itself', async () => {
  const { db, project } = await largeIssues()
  const read = metered(db, readMeter(1)).transaction()
  const rows = await read.execute((tx) => tx.selectFrom('issues').select('description').where('project_id', '=', project.id).execute())
  expect(rows).toHaveLength(5)
})
