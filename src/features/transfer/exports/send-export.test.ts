/** Archives that are sent on: where to, that they come whole, and what is left where they can't be. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { filesIn } from '../../../../test/support/fixtures/archives.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { inFullRun, isGate, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { enqueue } from '../../../queue/queue.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { exportJob, removeOldExportsJob, sendExportJob } from './exports.jobs.ts'
import type { Sending } from './send-export.service.ts'

const servers: Server[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))

interface Bucket {
  url: string
  taken: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { bytes: Buffer }>
}

/** A server elsewhere that takes what it is sent, and answers with this status. */
async function bucket(status: number): Promise<Bucket> {
  const taken: Bucket['taken'] = []
  const server = createServer(async (request, reply) => {
    const { method, url, headers } = request
    taken.push({ method, url, headers, bytes: await buffer(request) })
    reply.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('anything')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken }
}

/** The bucket of these tests is on this machine, so that an administrator has to allow it. */
async function forgeWith(local: boolean): Promise<Forge> {
  const forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: local })
  return forge
}

/** How far the export is, and whether there is an archive to be had. */
async function standOf(forge: Forge, { id }: { id: number }): Promise<[status: string, download: number]> {
  await forge.drain()
  const as = forge.as(forge.root)
  return [(await as.get(`/projects/${id}/export`)).body.export_status, (await as.get(`/projects/${id}/export/download`)).status]
}

/** The archive there is, to that address. */
async function sendingTo(forge: Forge, { id }: { id: number }, url: string): Promise<Sending> {
  const found = await forge.app.db.selectFrom('project_exports').select('store_key').where('project_id', '=', id).executeTakeFirstOrThrow()
  const target = { url, host: '127.0.0.1', port: Number(new URL(url).port), credentials: null }
  return { project_id: id, upload: { target, method: 'PUT', asked_by: 1 }, store_key: found.store_key ?? '' }
}

test('an archive is sent to the given address and removed here', async () => {
  const forge = await forgeWith(true)
  const [project, { url, taken }] = [await forge.project(), await bucket(200)]
  const at = new URL(url)

  const asked = await forge
    .as(forge.root)
    .post(`/projects/${project.id}/export`, { upload: { url: `http://ada:secret@${at.host}/put?signature=x%2Fy` } })
  const stand = await standOf(forge, project)

  expect([asked.status, stand]).toEqual([202, ['none', 404]])
  const [{ method, url: path, headers, bytes } = { bytes: Buffer.alloc(0) } as Bucket['taken'][number]] = taken
  expect([taken.length, method, path, headers['content-length']]).toEqual([1, 'PUT', '/put?signature=x%2Fy', String(bytes.length)])
  expect(headers.authorization).toBe(`Basic ${Buffer.from('ada:secret').toString('base64')}`)
  expect((await filesIn(bytes)).map(({ name }) => name)).toContain('repository.bundle')
  const left = [
    await forge.app.db.selectFrom('jobs').select('payload').execute(),
    await forge.app.db.selectFrom('project_exports').selectAll().execute(),
  ]
  expect(JSON.stringify(left)).not.toMatch(/secret|signature/)
})

// In the gate one answer: any other than success is treated the same.
test.each(isGate ? [500] : [500, 302])('an archive answered with %i stays available here and goes nowhere else', async (status) => {
  const forge = await forgeWith(true)
  const [project, { url, taken }] = [await forge.project(), await bucket(status)]

  await forge.as(forge.root).post(`/projects/${project.id}/export`, { upload: { url, http_method: 'post' } })

  expect(await standOf(forge, project)).toEqual(['finished', 200])
  expect(taken.map(({ method }) => method)).toEqual(['POST'])
})

test(
  'of several users who have it sent to their own addresses each gets it, as requested',
  inFullRun('Half a second of processor. An archive is sent to an address and removed, above.'),
  async () => {
    const forge = await forgeWith(true)
    const project = await forge.project()
    const buckets = [await bucket(200), await bucket(200), await bucket(500)]
    await forge.as(forge.root).post(`/projects/${project.id}/export`, { description: 'Mine' })
    expect(await standOf(forge, project)).toEqual(['finished', 200])

    for (const { url } of buckets) {
      const { project_id, upload } = await sendingTo(forge, project, url)
      await exportJob.handle(forge.app, { project_id, description: 'Mine', upload })
    }
    for (let turn = 0; turn < buckets.length; turn += 1) {
      await forge.drain()
      await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', exportJob.name).execute()
    }

    expect(buckets.map(({ taken }) => taken.length)).toEqual([1, 1, 1])
    for (const { taken } of buckets) {
      const files = await filesIn(taken[0]?.bytes ?? Buffer.alloc(0))
      expect(files.find(({ name }) => name === 'project.json')?.content.toString()).toContain('"Mine"')
    }
  },
)

test(
  'an export with email addresses, which an administrator asked for, is only sent to an administrator’s URL',
  inFullRun('Half a second of processor. An archive has emails only for administrators (`round-trip.test.ts`).'),
  async () => {
    const forge = await forgeWith(true)
    const [owner, stranger] = [await forge.user(), await forge.user({ email: 'stranger@private.example' })]
    const project = await forge.project({ owner, guest: stranger })
    const [ours, theirs] = [await bucket(200), await bucket(200)]
    const tells = async ({ taken }: Bucket) => {
      const files = await filesIn(taken[0]?.bytes ?? Buffer.alloc(0))
      return files.find(({ name }) => name === 'tables/people.jsonl')?.content.includes(stranger.email)
    }
    await forge.as(forge.root).post(`/projects/${project.id}/export`)
    expect(await standOf(forge, project)).toEqual(['finished', 200])

    // One that was about to be sent while an administrator's took its place.
    const sending = await sendingTo(forge, project, theirs.url)
    await sendExportJob.handle(forge.app, { ...sending, upload: { ...sending.upload, asked_by: owner.id } })
    expect([theirs.taken.length, await standOf(forge, project)]).toEqual([0, ['finished', 200]])
    await sendExportJob.handle(forge.app, await sendingTo(forge, project, ours.url))
    expect(await tells(ours)).toBe(true)

    // And one that finds an administrator's where its own was to be.
    await forge.as(forge.root).post(`/projects/${project.id}/export`)
    expect(await standOf(forge, project)).toEqual(['finished', 200])
    const { project_id, upload } = await sendingTo(forge, project, theirs.url)
    await exportJob.handle(forge.app, { project_id, upload: { ...upload, asked_by: owner.id } })
    await forge.drain()
    expect(await tells(theirs)).toBe(false)
  },
)

test(
  'an archive can be downloaded while it is sent, and a newer request survives its end',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const forge = await forgeWith(true)
    const [project, { url, taken }] = [await forge.project(), await bucket(200)]
    await forge.as(forge.root).post(`/projects/${project.id}/export`)
    expect(await standOf(forge, project)).toEqual(['finished', 200])
    const put = (state: 'sending' | 'queued') =>
      forge.app.db.updateTable('project_exports').set({ state }).where('project_id', '=', project.id).execute()

    await put('sending')
    const { body } = await forge.as(forge.root).get(`/projects/${project.id}/export`)
    const download = await forge.as(forge.root).get(`/projects/${project.id}/export/download`)
    await put('queued')
    await sendExportJob.handle(forge.app, await sendingTo(forge, project, url))
    const after = await forge.app.db.selectFrom('project_exports').select('state').where('project_id', '=', project.id).execute()

    expect([body.export_status, body._links, download.status]).toEqual(['after_export_action', undefined, 200])
    expect([taken.length, after]).toEqual([1, [{ state: 'queued' }]])
  },
)

test('an invalid address or method gets 400, and nothing starts', async () => {
  const forge = await forgeWith(false)
  const project = await forge.project()
  const refusal = async (upload: object) => {
    const { status, body } = await forge.as(forge.root).post(`/projects/${project.id}/export`, { upload })
    return [status, body.message]
  }
  const blocked = (said: string) => [400, { url: [`is blocked: ${said}`] }]

  expect(await refusal({ url: 'whatever' })).toEqual(blocked('URI is invalid'))
  expect(await refusal({ url: 'file:///etc/passwd' })).toEqual(blocked('Only allowed protocols are http, https'))
  expect(await refusal({ url: 'http://0x7f.1/' })).toEqual(blocked('Requests to the local network are not allowed'))
  expect(await refusal({ url: 'http://localhost/' })).toEqual(blocked('Requests to localhost are not allowed'))
  expect(await refusal({ url: 'https://93.184.215.14/', http_method: 'DELETE' })).toEqual([
    400,
    { http_method: ['invalid. Only PUT and POST methods allowed.'] },
  ])
  expect(await standOf(forge, project)).toEqual(['none', 404])
})

test('an address that is no longer allowed when the job runs is not sent to', async () => {
  const forge = await forgeWith(false)
  const [project, { url, taken }] = [await forge.project(), await bucket(200)]
  await forge.as(forge.root).post(`/projects/${project.id}/export`)
  await forge.drain()
  await forge.app.db.updateTable('project_exports').set({ state: 'sending' }).where('project_id', '=', project.id).execute()

  await sendExportJob.handle(forge.app, await sendingTo(forge, project, url))

  expect([await standOf(forge, project), taken.length]).toEqual([['finished', 200], 0])
})

test('an archive is not uploaded once the user who asked for that may no longer export the project', async () => {
  const forge = await forgeWith(true)
  const [project, maintainer, { url, taken }] = [await forge.project(), await forge.user(), await bucket(200)]
  const root = forge.as(forge.root)
  const losses: Array<[lose: () => Promise<unknown>, restore: () => Promise<unknown>]> = [
    [() => root.post(`/users/${maintainer.id}/block`), () => root.post(`/users/${maintainer.id}/unblock`)],
    [() => root.put(`/projects/${project.id}/members/${maintainer.id}`, { access_level: 30 }), async () => {}],
  ]
  await root.post(`/projects/${project.id}/members`, { user_id: maintainer.id, access_level: 40 })
  for (const [lose, restore] of losses) {
    await root.post(`/projects/${project.id}/export`)
    await forge.drain()
    const { project_id, upload, store_key } = await sendingTo(forge, project, url)
    const theirs = { ...upload, asked_by: maintainer.id }
    await lose()
    await exportJob.handle(forge.app, { project_id, upload: theirs })
    const sending = { state: 'sending', has_addresses: false } as const
    await forge.app.db.updateTable('project_exports').set(sending).where('project_id', '=', project_id).execute()
    await sendExportJob.handle(forge.app, { project_id, upload: theirs, store_key })
    expect([await standOf(forge, project), taken.length]).toEqual([['finished', 200], 0])
    await restore()
  }
})

test('a job that was tried too often keeps no address', async () => {
  const forge = await forgeWith(false)
  const target = { url: 'https://example.com/?signature=hush', host: 'example.com', port: 443, credentials: null }
  await enqueue(
    forge.app.db,
    sendExportJob,
    { project_id: 1, upload: { target, method: 'PUT', asked_by: 1 }, store_key: 'none' },
    { delay_ms: 60_000 },
  )
  await forge.app.db.updateTable('jobs').set({ state: 'dead' }).where('name', '=', sendExportJob.name).execute()

  await removeOldExportsJob.handle(forge.app, null)

  expect(await forge.app.db.selectFrom('jobs').select('id').where('name', '=', sendExportJob.name).execute()).toEqual([])
})
