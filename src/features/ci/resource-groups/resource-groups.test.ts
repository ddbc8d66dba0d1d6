import { expect, test } from 'vitest'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
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

test('the jobs that wait for a resource group are listed in the order in which they will start', async () => {
  const forge = await testForge()
  const [reporter, guest] = [await forge.user(), await forge.user()]
  const project = await forge.project({ reporter })
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  const created_at = '2026-01-01T00:00:00.000Z'
  const { id: resource_group_id } = await forge.app.db
    .insertInto('ci_resource_groups')
    .values({ project_id: project.id, key: 'production', created_at, updated_at: created_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const ids: number[] = []
  for (const status of ['running', 'waiting_for_resource', 'waiting_for_resource'] as const) {
    const { id } = await jobOf(forge, project, reporter, { status })
    await forge.app.db.updateTable('ci_jobs').set({ resource_group_id }).where('id', '=', id).execute()
    ids.push(id)
  }
  await jobOf(forge, project, reporter, { status: 'waiting_for_resource', name: 'of no group' })
  const at = `/projects/${project.id}/resource_groups/production`
  const current = async () => (await forge.as(reporter).get(`${at}/current_job`)).body
  const upcoming = async () => (await forge.as(reporter).get(`${at}/upcoming_jobs`)).body.map(({ id }: { id: number }) => id)

  expect(await upcoming()).toEqual(ids.slice(1))
  await forge.as(forge.root).put(at, { process_mode: 'newest_first' })
  expect(await upcoming()).toEqual(ids.slice(1).reverse())
  expect(await current()).toMatchObject({ id: ids[0], status: 'running' })
  for (const list of ['upcoming_jobs', 'current_job']) {
    expect((await forge.as(guest).get(`${at}/${list}`)).status).toBe(403)
    expect((await forge.as(reporter).get(`${at}x/${list}`)).status).toBe(404)
  }
  await forge.app.db
    .updateTable('commit_statuses')
    .set({ status: 'success' })
    .where('id', '=', ids[0] as number)
    .execute()
  expect(await current()).toEqual({ message: '404 Job Not Found' })
})
