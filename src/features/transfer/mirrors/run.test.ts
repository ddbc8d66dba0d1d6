/** Runs of mirrors: so many at once for one host, whatever the mirrors. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { runMirror } from './run.ts'

test('a host gets two runs at once, another its own, and one that ended makes room', async () => {
  const { app } = await testForge()
  const begun: string[] = []
  const ends: Array<() => void> = []
  const project = await (await testForge()).project()
  const rows = await app.db
    .insertInto('push_mirrors')
    .values(
      Array.from({ length: 5 }, () => ({
        project_id: project.id,
        user_id: null,
        url: 'sealed',
        enabled: true,
        created_at: new Date().toISOString(),
        updated_at: new Date().toISOString(),
      })),
    )
    .returningAll()
    .execute()
  const run = (index: number, host: string) => {
    const mirror = rows[index] as (typeof rows)[0]
    const work = () => {
      begun.push(`${index} ${host}`)
      return new Promise<null>((resolve) => ends.push(() => resolve(null)))
    }
    return runMirror(app, { table: 'push_mirrors', mirror, host, work, retry: async () => {} })
  }
  const slow = [run(0, 'slow'), run(1, 'slow')]
  const quick = run(2, 'quick')
  // On PostgreSQL they may overtake each other.
  await expect.poll(() => begun.length).toBe(3)
  expect(await run(3, 'slow')).toBe(false)
  for (const end of ends) end()
  expect(await Promise.all([...slow, quick])).toEqual([true, true, true])
  const later = run(4, 'slow')
  await expect.poll(() => begun.length).toBe(4)
  ends.at(-1)?.()
  expect(await later).toBe(true)
})
