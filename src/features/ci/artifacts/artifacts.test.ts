import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { endJobRow, jobOf, type TestJob } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { listArchive } from './archive.ts'
import { parseDotenv } from './artifact-types.ts'
import { removeExpiredJob } from './artifacts.jobs.ts'
import { artifactOf, removeArtifactsOf } from './artifacts.ts'

let forge: Forge
let developer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({ developer })
})

async function zipOf(files: Record<string, string | Buffer>, mode = 0o100644): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name, { mode })
  zip.end()
  return buffer(zip.outputStream)
}

/** As the official agent sends it. */
async function upload({ id, token }: TestJob, bytes: Buffer, query = 'artifact_format=zip&artifact_type=archive', name = 'artifacts.zip') {
  const boundary = 'a-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const answer = await forge.server.inject({
    method: 'POST',
    url: `/api/v4/jobs/${id}/artifacts?${query}`,
    headers: { 'job-token': token, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
  return { status: answer.statusCode, body: answer.json() }
}

const get = (path: string, user = developer) => forge.as(user).get(`/projects/${project.id}/jobs/${path}`)
const asJob = ({ token }: TestJob) => ({ headers: { 'job-token': token } })

test('an archive goes up from its job, and down: whole, in parts, and one file of it', async () => {
  const job = await jobOf(forge, project, developer)
  const bytes = await zipOf({ 'a.txt': 'one', 'folder/b ü.txt': 'two'.repeat(10_000) })
  expect(await upload(job, bytes)).toEqual({ status: 201, body: { message: '201 Created' } })

  const whole = await get(`${job.id}/artifacts`)
  const part = await forge.as(developer, { headers: { range: 'bytes=2-5' } }).get(`/projects/${project.id}/jobs/${job.id}/artifacts`)
  const file = await get(`${job.id}/artifacts/folder/b%20%C3%BC.txt`)
  const none = await get(`${job.id}/artifacts/folder`)

  expect([whole.status, whole.bytes.equals(bytes), whole.headers['content-type']]).toEqual([200, true, 'application/zip'])
  expect(whole.headers['content-disposition']).toContain('artifacts.zip')
  expect([part.status, part.bytes.equals(bytes.subarray(2, 6))]).toEqual([206, true])
  expect([file.status, file.text, file.headers['content-length']]).toEqual([200, 'two'.repeat(10_000), '30000'])
  expect(file.headers['content-security-policy']).toContain('sandbox')
  expect([none.status, (await get(`${job.id}/artifacts/missing.txt`)).status]).toEqual([404, 404])
})

/** The entries of an archive as the page of its job lists them. */
async function listed(bytes: Buffer) {
  const job = await jobOf(forge, project, developer)
  expect((await upload(job, bytes)).status).toBe(201)
  const stored = await artifactOf(forge.app.db, job.id, 'archive')
  return { job, files: await listArchive(forge.app, stored as NonNullable<typeof stored>) }
}

test('entries with longer paths than file systems take are left out', async () => {
  const longest = `${'a/'.repeat(2_047)}bc`
  const { job, files } = await listed(await zipOf({ [longest]: 'kept', [`${longest}d`]: 'left out', last: 'kept, too' }))
  expect(files.map(({ path }) => path)).toEqual([longest, 'last'])
  expect((await get(`${job.id}/artifacts/${encodeURIComponent(`${longest}d`)}`)).status).toBe(404)
})

test(
  'so much of an archive is listed and no more',
  inFullRun('Half a second of processor, for an archive of 2,200 long paths.'),
  async () => {
    const many = Object.fromEntries(Array.from({ length: 2_200 }, (_, n) => [`${String(n).padStart(4, '0')}${'/x'.repeat(2_000)}`, '']))
    const { files: some } = await listed(await zipOf(many))
    expect(some.length).toBe(Math.floor((8 * 1024 * 1024) / 4_004))
  },
)

test('other jobs of the project get it with the token of their own, while they run', async () => {
  const job = await jobOf(forge, project, developer)
  const bytes = await zipOf({ 'a.txt': 'one' })
  await upload(job, bytes)
  await endJobRow(forge, job)
  const next = await jobOf(forge, project, developer)
  const elsewhere = await jobOf(forge, await forge.project({ developer }), developer)
  const at = `/jobs/${job.id}/artifacts`

  expect((await forge.anonymous.get(at, asJob(next))).bytes.equals(bytes)).toBe(true)
  expect((await forge.anonymous.get(`/jobs/${next.id}/artifacts`, asJob(next))).status).toBe(404)
  const refused = [
    await forge.anonymous.get(at, asJob(job)),
    await forge.anonymous.get(at, asJob(elsewhere)),
    await forge.anonymous.get(at),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
})

test('only the job itself sends files, while it runs; one of a type', async () => {
  const job = await jobOf(forge, project, developer)
  const other = await jobOf(forge, project, developer)
  const bytes = await zipOf({ a: '1' })
  expect((await upload({ ...job, token: other.token }, bytes)).status).toBe(403)
  expect((await upload({ ...job, token: '' }, bytes)).status).toBe(403)
  expect((await upload(job, bytes, 'artifact_type=virus')).status).toBe(400)
  expect((await upload(job, bytes, 'expire_in=soon')).status).toBe(400)
  expect((await upload(job, bytes)).status).toBe(201)
  // Sent again after an answer that was lost.
  expect((await upload(job, bytes)).status).toBe(201)
  expect(await upload(job, await zipOf({ a: '2' }))).toEqual({
    status: 400,
    body: { message: 'another artifact of the same type already exists' },
  })
  await endJobRow(forge, job, 'failed')
  expect((await upload(job, bytes, 'artifact_type=junit')).status).toBe(403)
  expect(await forge.app.db.selectFrom('ci_artifacts').select('file_type').where('job_id', '=', job.id).execute()).toHaveLength(1)
})

test('a file beyond max_artifacts_size is refused, and authorize says so before', async () => {
  const job = await jobOf(forge, project, developer)
  await forge.as(forge.root).put('/application/settings', { max_artifacts_size: 1 })
  const authorize = (filesize: number) => forge.anonymous.post(`/jobs/${job.id}/artifacts/authorize`, { filesize }, asJob(job))
  const asked = [await authorize(1024 * 1024), await authorize(1024 * 1024 + 1)]
  const sent = await upload(job, Buffer.alloc(1024 * 1024 + 1))
  await forge.as(forge.root).put('/application/settings', { max_artifacts_size: 100 })
  expect([asked.map(({ status }) => status), asked[0]?.body, sent.status]).toEqual([[200, 413], { MaximumSize: 1024 * 1024 }, 413])
  expect((await get(`${job.id}/artifacts`)).status).toBe(404)
})

test('by branch and job it is that of the newest successful pipeline', async () => {
  const ref = 'feature/x'
  const archive = (text: string) => zipOf({ 'dir/a.txt': text })
  const jobWith = async (status: 'success' | 'failed', text: string) => {
    const job = await jobOf(forge, project, developer, { ref, name: 'build', pipeline_status: status })
    await upload(job, await archive(text))
    await endJobRow(forge, job)
    return job
  }
  await jobWith('success', 'old')
  await jobWith('success', 'new')
  await jobWith('failed', 'broken')
  const at = `artifacts/${encodeURIComponent(ref)}`
  const file = await get(`${at}/raw/dir/a.txt?job=build`)
  expect([file.status, file.text]).toEqual([200, 'new'])
  expect((await get(`${at}/download?job=build`)).status).toBe(200)
  expect([(await get(`${at}/download?job=other`)).status, (await get(`${at}/download`)).status]).toEqual([404, 400])
  const statusBy = async (name: string) => (await get(`artifacts/${encodeURIComponent(name)}/download?job=build`)).status
  expect([await statusBy(`refs/heads/${ref}`), await statusBy(`refs/tags/${ref}`)]).toEqual([200, 404])
  expect((await get(`artifacts/main%00/download?job=build`)).status).toBe(404)
})

test('what has expired is gone, unless it is the latest of its ref; what is kept stays', async () => {
  const past = '2020-01-01T00:00:00.000Z'
  const made = async (name: string, pipeline_status: 'success' | 'failed') => {
    const job = await jobOf(forge, project, developer, { ref: 'expiry', name, pipeline_status })
    await upload(job, await zipOf({ a: name }), 'expire_in=1+week')
    await endJobRow(forge, job)
    return job
  }
  const [latest, failed, kept] = [await made('latest', 'success'), await made('failed', 'failed'), await made('kept', 'failed')]
  const { artifacts_expire_at } = await forge.app.db.selectFrom('ci_jobs').selectAll().where('id', '=', failed.id).executeTakeFirstOrThrow()
  expect(Math.round((Date.parse(artifacts_expire_at as string) - Date.now()) / 86_400_000)).toBe(7)
  const answer = await forge.as(developer).post(`/projects/${project.id}/jobs/${kept.id}/artifacts/keep`)
  expect([answer.status, answer.body.id, answer.body.artifacts_expire_at]).toEqual([200, kept.id, null])
  for (const { id } of [latest, failed])
    await forge.app.db.updateTable('ci_artifacts').set({ expires_at: past }).where('job_id', '=', id).execute()

  const before = await Promise.all([latest, failed, kept].map(async ({ id }) => (await get(`${id}/artifacts`)).status))
  await removeExpiredJob.handle(forge.app, {})
  const rows = await Promise.all([latest, failed, kept].map(({ id }) => artifactOf(forge.app.db, id, 'archive')))

  expect(before).toEqual([200, 404, 200])
  expect(rows.map((row) => row !== null)).toEqual([true, false, true])
})

test('deleted artifacts are gone, with their objects; only maintainers delete', async () => {
  const job = await jobOf(forge, project, developer)
  await upload(job, await zipOf({ a: '1' }))
  const { store_key } = (await artifactOf(forge.app.db, job.id, 'archive')) ?? { store_key: '' }
  const at = `/projects/${project.id}/jobs/${job.id}/artifacts`
  expect((await forge.as(developer).delete(at)).status).toBe(403)
  expect((await forge.as(forge.root).delete(at)).status).toBe(204)
  const rows = await forge.app.db.selectFrom('unreferenced_objects').select('key').where('key', '=', store_key).execute()
  expect([(await get(`${job.id}/artifacts`)).status, rows.length]).toEqual([404, 1])

  await upload(job, await zipOf({ a: '2' }))
  const ended = await jobOf(forge, project, developer)
  await upload(ended, await zipOf({ a: '3' }))
  await endJobRow(forge, ended)
  expect((await forge.as(forge.root).delete(`/projects/${project.id}/artifacts`)).status).toBe(202)
  expect([(await get(`${job.id}/artifacts`)).status, (await get(`${ended.id}/artifacts`)).status]).toEqual([200, 404])
  await inTransaction(forge.app.db, (tx) => removeArtifactsOf(tx, [job.id]))
})

test('artifacts that are not public are for developers', async () => {
  const reporter = await forge.user()
  const open = await forge.project({ developer, reporter, visibility: 'public' })
  const job = await jobOf(forge, open, developer, { options: { artifacts: { public: false } } })
  await upload(job, await zipOf({ a: '1' }))
  const at = `/projects/${open.id}/jobs/${job.id}/artifacts`
  expect([(await forge.as(reporter).get(at)).status, (await forge.as(developer).get(at)).status]).toEqual([403, 200])
  expect((await forge.anonymous.get(`${at}/a`)).status).toBe(403)
})

test('an archive has no links and no names leading out of it, and of equal names the first counts', async () => {
  const job = await jobOf(forge, project, developer)
  // yazl makes no such names: they are put in afterwards, of the same length.
  const files = { 'xx/evil.txt': 'out', 'xroot.txt': 'abs', 'good.txt': 'in', 'copy.txt': 'again' }
  const evil = (await zipOf(files))
    .toString('latin1')
    .replaceAll('xx/evil', '../evil')
    .replaceAll('xroot', '/root')
    .replaceAll('copy', 'good')
  await upload(job, Buffer.from(evil, 'latin1'))
  const stored = await artifactOf(forge.app.db, job.id, 'archive')
  const listed = await listArchive(forge.app, stored as NonNullable<typeof stored>)
  expect(listed.map(({ path }) => path)).toEqual(['good.txt', 'good.txt'])
  expect((await get(`${job.id}/artifacts/good.txt`)).text).toBe('in')
  expect((await get(`${job.id}/artifacts/..%2Fevil.txt`)).status).toBe(400)
  expect((await get(`${job.id}/artifacts/%2Froot.txt`)).status).toBe(404)
  expect((await get(`${job.id}/artifacts/a%00b`)).status).toBe(400)

  const links = await jobOf(forge, project, developer)
  await upload(links, await zipOf({ passwd: '/etc/passwd' }, 0o120777))
  expect((await get(`${links.id}/artifacts/passwd`)).status).toBe(404)
})

test('a file that is no archive is served whole, and not looked into', async () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('no archive'),
    (await zipOf({ a: '1'.repeat(1_000) })).subarray(0, -5),
    Buffer.alloc(100_000),
  ]) {
    const job = await jobOf(forge, project, developer)
    expect((await upload(job, bytes)).status).toBe(201)
    expect((await get(`${job.id}/artifacts`)).bytes.equals(bytes)).toBe(true)
    expect((await get(`${job.id}/artifacts/a`)).status).toBe(422)
  }
})

test('a file that unpacks to more than its archive says ends there, and one of gigabytes is not unpacked', async () => {
  const bytes = await zipOf({ 'zeros.bin': Buffer.alloc(5_000_000) })
  const at = bytes.lastIndexOf(Buffer.from('PK\x01\x02'))
  const unpackedTo = async (said_bytes: number) => {
    const job = await jobOf(forge, project, developer)
    bytes.writeUInt32LE(said_bytes, at + 24)
    await upload(job, bytes)
    const { status, body } = await get(`${job.id}/artifacts/zeros.bin`)
    return [status, body.message]
  }
  expect(await unpackedTo(10)).toEqual([422, '422 The archive can not be read'])
  expect(await unpackedTo(3 * 1024 ** 3)).toEqual([413, '413 The file is too large to be unpacked'])
})

test('one file of an archive of many is read without the rest of it', async () => {
  const job = await jobOf(forge, project, developer)
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`folder/${index}.txt`, `text ${index}`]))
  await upload(job, await zipOf({ ...files, 'large.bin': Buffer.alloc(1_000_000, Math.random().toString()), 'last.txt': 'last' }))
  expect((await get(`${job.id}/artifacts/last.txt`)).text).toBe('last')
  expect((await get(`${job.id}/artifacts/folder/599.txt`)).text).toBe('text 599')
})

test('a dotenv report becomes sealed variables of its job; a wrong one is refused', async () => {
  const job = await jobOf(forge, project, developer)
  const send = (text: string) => upload(job, gzipSync(text), 'artifact_type=dotenv&artifact_format=gzip', 'dotenv.gz')
  expect(await send('no variable')).toEqual({ status: 400, body: { message: 'Invalid Format' } })
  expect(await send(`A=${'x'.repeat(6_000)}`)).toEqual({ status: 400, body: { message: 'Dotenv Artifact Too Big' } })
  expect((await send('# comment\nA=1\n\nB="two words"\nA=3\n')).status).toBe(201)
  const { dotenv } = await forge.app.db.selectFrom('ci_jobs').select('dotenv').where('id', '=', job.id).executeTakeFirstOrThrow()
  expect(JSON.parse(forge.app.secrets.unseal(dotenv as string, 'ci_jobs.dotenv'))).toEqual([
    { key: 'A', value: '3' },
    { key: 'B', value: 'two words' },
  ])
  expect(parseDotenv(Array.from({ length: 200 }, (_, index) => `K${index}=1`).join('\n'))).toContain('more than 150')
})
