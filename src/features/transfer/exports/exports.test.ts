import { expect, test } from 'vitest'
import { exportOf, filesIn, withoutQueue } from '../../../../test/support/fixtures/archives.ts'
import { type Forge, openForge, testForge } from '../../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { removeOldExports } from './create-export.service.ts'
import { exportJob } from './exports.jobs.ts'
import { startExport } from './exports.service.ts'

async function keysToRemove({ app }: Forge): Promise<string[]> {
  const rows = await app.db.selectFrom('unreferenced_objects').select('key').where('key', 'like', 'exports/%').execute()
  return rows.map(({ key }) => key)
}

async function exportRow({ app }: Forge, { id }: { id: number }) {
  return app.db.selectFrom('project_exports').selectAll().where('project_id', '=', id).executeTakeFirst()
}

test('an export is none, then started, then finished, and only then has links', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, name: 'Some project' })
  const as = forge.as(maintainer)
  const at = `/projects/${project.id}/export`
  const identity = {
    id: project.id,
    description: null,
    name: 'Some project',
    name_with_namespace: 'Administrator / Some project',
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
  }

  const before = await as.get(at)
  const none = await as.get(`${at}/download`)
  await forge.app.db.insertInto('project_exports').values({ project_id: project.id, state: 'queued', updated_at: '' }).execute()
  const started = await as.get(at)
  const asked = await as.post(at)
  await forge.drain()
  const finished = await as.get(at)
  const download = await as.get(`${at}/download`)

  expect([before.status, before.body]).toEqual([200, { ...identity, export_status: 'none' }])
  expect([none.status, none.body]).toEqual([404, { message: '404 Not found or has expired' }])
  expect(started.body).toEqual({ ...identity, export_status: 'started' })
  expect([asked.status, asked.body]).toEqual([202, { message: '202 Accepted' }])
  expect(finished.body).toEqual({
    ...identity,
    export_status: 'finished',
    _links: {
      api_url: `http://gitstead.test/api/v4/projects/${project.id}/export/download`,
      web_url: `http://gitstead.test/${project.full_path}/download_export`,
    },
  })
  expect([download.status, download.headers['content-type']]).toEqual([200, 'application/gzip'])
  const name = project.full_path.replace('/', '_')
  expect(download.headers['content-disposition']).toMatch(
    new RegExp(`^attachment; filename="\\d{4}-\\d\\d-\\d\\d_\\d\\d-\\d\\d-\\d{3}_${name}_export.tar.gz"$`),
  )
})

test('the archive supports range requests', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const whole = await exportOf(forge, forge.root, project)

  const part = await forge
    .as(forge.root)
    .request('GET', `/projects/${project.id}/export/download`, undefined, { headers: { range: 'bytes=10-19' } })

  expect([part.status, part.bytes]).toEqual([206, whole.subarray(10, 20)])
})

test('only maintainers start, watch and download an export', async () => {
  const forge = await testForge()
  const [developer, guest, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ developer, guest })
  await exportOf(forge, forge.root, project)
  const statuses = async (client: Forge['anonymous']) => [
    (await client.post(`/projects/${project.id}/export`)).status,
    (await client.get(`/projects/${project.id}/export`)).status,
    (await client.get(`/projects/${project.id}/export/download`)).status,
  ]

  expect(await statuses(forge.as(developer))).toEqual([403, 403, 403])
  expect(await statuses(forge.as(guest))).toEqual([403, 403, 403])
  expect(await statuses(forge.as(stranger))).toEqual([404, 404, 404])
  expect(await statuses(forge.anonymous)).toEqual([401, 401, 401])
  expect((await exportRow(forge, project))?.state).toBe('finished')
})

test('a given description replaces the project’s, and one too long is rejected', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const as = forge.as(forge.root)

  const refused = await as.post(`/projects/${project.id}/export`, { description: 'x'.repeat(2_001) })
  await as.post(`/projects/${project.id}/export`, { description: 'For you' })
  await forge.drain()
  const archive = await as.get(`/projects/${project.id}/export/download`)

  expect([refused.status, refused.body]).toEqual([400, { error: 'description does not have a valid value' }])
  const settings = (await filesIn(archive.bytes)).find(({ name }) => name === 'project.json')
  expect(JSON.parse(String(settings?.content)).description).toBe('For you')
  expect((await as.get(`/projects/${project.id}`)).body.description).toBe(null)
})

test('the archive is removed when a newer one replaces it or its project is deleted', async () => {
  const forge = await testForge()
  const project = await forge.project()
  await exportOf(forge, forge.root, project)
  const first = (await exportRow(forge, project))?.store_key
  await exportOf(forge, forge.root, project)
  const second = (await exportRow(forge, project))?.store_key

  const replaced = await keysToRemove(forge)
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  const deleted = await keysToRemove(forge)

  expect(second).not.toBe(first)
  expect([replaced.includes(first ?? ''), replaced.includes(second ?? ''), deleted.includes(second ?? '')]).toEqual([true, false, true])
})

test('an archive is kept for a day', async () => {
  const forge = await testForge()
  const [old, fresh] = [await forge.project(), await forge.project()]
  await exportOf(forge, forge.root, old)
  await exportOf(forge, forge.root, fresh)
  const key = (await exportRow(forge, old))?.store_key ?? ''
  const longAgo = new Date(Date.now() - 25 * 3_600_000).toISOString()
  await forge.app.db.updateTable('project_exports').set({ updated_at: longAgo }).where('project_id', '=', old.id).execute()

  await removeOldExports(forge.app)

  expect([await exportRow(forge, old), (await exportRow(forge, fresh))?.state]).toEqual([undefined, 'finished'])
  expect(await keysToRemove(forge)).toContain(key)
  expect((await forge.as(forge.root).get(`/projects/${old.id}/export/download`)).status).toBe(404)
})

test(
  'an export whose process ended is begun again, and given up after the fourth time',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const forge = await testForge()
    const project = await forge.project()
    const begin = async (attempts: number) => {
      await startExport(forge.app, forge.root, project.id, {})
      await forge.app.db.updateTable('project_exports').set({ state: 'started', attempts }).where('project_id', '=', project.id).execute()
      await exportJob.handle(forge.app, { project_id: project.id })
      return (await exportRow(forge, project))?.state
    }

    const states = await withoutQueue(forge, async () => [await begin(3), await begin(4)])

    expect(states).toEqual(['finished', 'failed'])
  },
)

test('a stopping process postpones its export without counting the attempt', async () => {
  const forge = await testForge()
  const project = await forge.project()
  await forge.app.db.insertInto('project_exports').values({ project_id: project.id, state: 'queued', updated_at: '' }).execute()
  const stopping = AbortSignal.abort(new Error('the process ends'))

  await expect(exportJob.handle(forge.app, { project_id: project.id }, stopping)).rejects.toThrow()

  expect(await exportRow(forge, project)).toMatchObject({ state: 'started', attempts: 0, store_key: null })
})

test('where the instance allows no exports there are none', async () => {
  const forge = await openForge()
  const project = await forge.project()
  await writeSettings(forge.app.db, { project_export_enabled: false })

  const refused = await forge.as(forge.root).post(`/projects/${project.id}/export`)

  expect([refused.status, refused.body]).toEqual([404, { message: '404 Not Found' }])
  expect(await exportRow(forge, project)).toBe(undefined)
})
