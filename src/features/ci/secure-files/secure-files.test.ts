/** Secure files: what they may be, who has them, and that nobody reads them where they are stored. */
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { removeObjectsJob } from '../../storage/object-storage/object-storage.jobs.ts'
import { addSecureFile } from './secure-files.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let reporter: TestUser
beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer, reporter] = [await forge.user(), await forge.user(), await forge.user()]
})

const fresh = () => forge.project({ maintainer, developer, reporter, files: null })

async function send(project: TestProject, user: TestUser, name: string, bytes: Buffer) {
  const form = new FormData()
  form.set('name', name)
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'upload')
  const url = `${await forge.url()}/api/v4/projects/${project.id}/secure_files`
  const answer = await fetch(url, { method: 'POST', headers: { 'private-token': user.token }, body: form })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('a file of any bytes is added, listed, downloaded as it was, and removed', async () => {
  const project = await fresh()
  const bytes = randomBytes(300_000)
  const added = await send(project, maintainer, 'release.jks', bytes)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  expect([added.status, added.body]).toMatchObject([
    201,
    { name: 'release.jks', checksum, checksum_algorithm: 'sha256', expires_at: null, metadata: null, file_extension: 'jks' },
  ])
  const at = `/projects/${project.id}/secure_files`
  const one = `${at}/${added.body.id}`
  expect((await forge.as(developer).get(at)).body).toEqual([added.body])
  expect((await forge.as(developer).get(one)).body).toEqual(added.body)
  const url = `${await forge.url()}/api/v4${one}/download`
  const download = await fetch(url, { headers: { 'private-token': developer.token } })
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)
  expect(download.headers.get('content-disposition')).toContain('release.jks')
  expect((await forge.as(maintainer).delete(one)).status).toBe(204)
  expect((await forge.as(developer).get(one)).status).toBe(404)
})

test('what cannot be a secure file is refused', async () => {
  const project = await fresh()
  await send(project, maintainer, 'taken', Buffer.from('one'))
  for (const name of ['', ' ', '..', '.', 'a/b', 'a\\b', 'line\nbreak', 'x'.repeat(256), 'taken'])
    expect([name, (await send(project, maintainer, name, Buffer.from('two'))).status]).toEqual([name, 400])
  expect((await send(project, maintainer, 'empty', Buffer.alloc(0))).status).toBe(400)
  expect((await send(project, maintainer, 'large', Buffer.alloc(5 * 1024 * 1024 + 1))).status).toBe(400)
  expect((await send(project, maintainer, 'larger', Buffer.alloc(6 * 1024 * 1024))).status).toBe(413)
  expect((await forge.as(maintainer).get(`/projects/${project.id}/secure_files`)).body).toHaveLength(1)
})

test('developers download, maintainers add and remove; a file is of its project alone', async () => {
  const project = await fresh()
  const other = await fresh()
  const { body } = await send(project, maintainer, 'key', Buffer.from('one'))
  const one = `/projects/${project.id}/secure_files/${body.id}`
  expect((await send(project, developer, 'more', Buffer.from('two'))).status).toBe(403)
  expect((await forge.as(developer).delete(one)).status).toBe(403)
  expect((await forge.as(reporter).get(`${one}/download`)).status).toBe(403)
  expect((await forge.as(maintainer).get(`/projects/${other.id}/secure_files/${body.id}/download`)).status).toBe(404)
})

test('a file is sealed where it is stored, and goes with its project', async () => {
  const project = await fresh()
  const { store_key } = await addSecureFile(forge.app, project.id, { name: 'key', bytes: Buffer.from('swordfish of the file') })
  expect((await buffer(await forge.app.store.open(store_key))).includes('swordfish')).toBe(false)
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await forge.drain()
  await removeObjectsJob.handle(forge.app, {})
  await expect(forge.app.store.open(store_key)).rejects.toMatchObject({ code: 'not_found' })
})

test('of ten files of one name that come at once one stays', async () => {
  const project = await fresh()
  const add = (index: number) => addSecureFile(forge.app, project.id, { name: 'raced', bytes: Buffer.from(`file ${index}`) })
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => add(index)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
