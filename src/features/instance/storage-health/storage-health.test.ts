import { rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openForge } from '../../../../test/support/forge.ts'
import { storageCheck } from './storage-health.service.ts'

const at = '/circuit_breakers/repository_storage'
const healthy = { storage_name: 'default', failing_on_hosts: [], total_failures: 0 }

test('a storage that can be written is healthy', async () => {
  const forge = await openForge()
  await storageCheck(forge.app)()
  const root = forge.as(forge.root)
  expect((await root.get(at)).body).toEqual([healthy])
  expect((await root.get(`${at}/failing`)).body).toEqual([])
})

test('failures are counted by machine, reset by DELETE, and gone once the storage is back', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  const check = storageCheck(forge.app)
  const folder = join(forge.app.config.home, 'repositories')
  await rename(folder, `${folder}.away`)
  await check()
  await check()
  const failing = { storage_name: 'default', failing_on_hosts: [hostname()], total_failures: 2 }
  expect((await root.get(at)).body).toEqual([failing])
  expect((await root.get(`${at}/failing`)).body).toEqual([failing])
  expect((await root.delete(at)).status).toBe(204)
  expect((await root.get(at)).body).toEqual([healthy])
  await check()
  expect((await root.get(`${at}/failing`)).body).toEqual([{ ...failing, total_failures: 1 }])
  await rename(`${folder}.away`, folder)
  await check()
  expect((await root.get(`${at}/failing`)).body).toEqual([])
})

test('a storage that does not answer fails in time, and what an earlier process left is removed by a check that succeeds', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  await storageCheck(forge.app, () => new Promise(() => {}))()
  expect((await root.get(at)).body[0].total_failures).toBe(1)
  await storageCheck(forge.app)()
  expect((await root.get(at)).body).toEqual([healthy])
})

test('a check of a healthy storage costs no SQL', async () => {
  const forge = await openForge()
  const check = storageCheck(forge.app)
  await check()
  expect(await forge.cost(check)).toEqual({ statements: 0, processes: 0 })
})

test('only administrators see it and reset it', async () => {
  const forge = await openForge()
  const user = forge.as(await forge.user())
  for (const path of [at, `${at}/failing`]) {
    expect((await user.get(path)).status).toBe(403)
    expect((await forge.anonymous.get(path)).status).toBe(401)
  }
  expect((await user.delete(at)).status).toBe(403)
  expect((await forge.as(forge.root).get('/circuit_breakers/other')).status).toBe(404)
})
