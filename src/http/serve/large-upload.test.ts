import { readdir, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Forge, testForge } from '../../../test/support/forge.ts'
import { asForm } from '../../../test/support/form.ts'

const draftsOf = (forge: Forge) => join(forge.app.config.home, 'objects', '.drafts')

/** How many files this process has open, with names or without. */
async function openTempFiles(forge: Forge): Promise<number> {
  const folder = draftsOf(forge)
  const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return links.filter((link) => link.startsWith(folder)).length
}

const until = (reached: () => Promise<boolean>) => expect.poll(reached).toBe(true)

test('an interrupted upload of a large file leaves nothing behind', async () => {
  const forge = await testForge()
  const { hostname, port } = new URL(await forge.url())
  const { payload, headers } = asForm({ path: 'a', file: Buffer.alloc(2_000_000, 'x') })
  const sending = request({
    hostname,
    port,
    method: 'POST',
    path: '/api/v4/projects/import',
    headers: { ...headers, 'content-length': payload.length, 'private-token': forge.root.token },
  })
  sending.on('error', () => {})
  sending.write(payload.subarray(0, 1_500_000))
  await until(async () => (await openTempFiles(forge)) === 1)

  sending.destroy()

  await until(async () => (await openTempFiles(forge)) === 0)
  // It is closed and removed side by side.
  await expect.poll(() => readdir(draftsOf(forge))).toEqual([])
})

test('a second large file, one in another field, and too many fields leave nothing behind', async () => {
  const forge = await testForge()
  const send = async (fields: Record<string, unknown>) => {
    const { payload, headers } = asForm(fields)
    return forge.as(forge.root).post('/projects/import', payload, { headers })
  }

  const nameless = await send({ file: Buffer.from('x'), other: Buffer.from('y') })
  const besides = await send({ file: Buffer.from('x'), path: 'a', other: Buffer.alloc(1_100_000) })
  const text = await send({ file: Buffer.from('x'), path: 'a'.repeat(1_100_000) })

  expect([nameless.status, nameless.body]).toEqual([400, { error: 'path is missing' }])
  expect([besides.status, text.status]).toEqual([413, 413])
  expect(await openTempFiles(forge)).toBe(0)
})

test('a multipart form may exceed the limit of bodies in memory; a JSON body may not', async () => {
  const forge = await testForge()
  const { payload, headers } = asForm({ path: 'large', file: Buffer.alloc(2_000_000) })

  const form = await forge.as(forge.root).post('/projects/import', payload, { headers })
  const json = await forge.as(forge.root).post('/projects/import', { path: 'x'.repeat(2_000_000) })

  expect([form.status, json.status]).toEqual([201, 413])
  expect(await openTempFiles(forge)).toBe(0)
})
