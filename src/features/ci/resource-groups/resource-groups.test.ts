import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

test('the order in which a resource group runs its jobs is changed', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const at = `/projects/${project.id}/resource_groups`
  const created_at = '2026-01-01T00:00:00.000Z'
  await forge.app.db
    .insertInto('ci_resource_groups')
    .values({ project_id: project.id, key: 'a/b', created_at, updated_at: created_at })
    .execute()
  const client = forge.as(developer)

  const changed = await client.put(`${at}/a%2Fb`, { process_mode: 'newest_first' })

  expect([changed.status, changed.body]).toMatchObject([200, { key: 'a/b', process_mode: 'newest_first' }])
  expect((await client.get(at)).body).toEqual([changed.body])
  expect((await client.put(`${at}/a%2Fb`, { process_mode: 'random' })).status).toBe(400)
  expect((await client.get(`${at}/none`)).body).toEqual({ message: '404 Resource Group Not Found' })
})
