import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Forge, openForge } from '../../test/support/forge.ts'
import { git } from '../../test/support/git.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import type { Finding } from './checks/findings.ts'
import { runDoctor } from './doctor.ts'

/** A port that nothing listens on. */
const nothing = '9'

async function examine(home: string, env: Record<string, string> = {}, strict = false) {
  const lines: string[] = []
  const all = { GITSTEAD_HOME: home, GITSTEAD_PORT: nothing, GITSTEAD_SSH_PORT: 'off', ...env }
  const status = await runDoctor(all, { json: true, strict, becomeOwnerOf: () => {}, printLine: (line) => lines.push(line) })
  const findings = JSON.parse(lines.join('')) as Finding[]
  return { status, findings, of: (check: string) => findings.find((finding) => finding.check === check) }
}

const databaseOf = ({ app }: Forge): Record<string, string> =>
  app.config.database_url ? { GITSTEAD_DATABASE_URL: app.config.database_url } : {}

const examineForge = (forge: Forge, env: Record<string, string> = {}) => examine(forge.app.config.home, { ...databaseOf(forge), ...env })

/** Every file below, with its size and time; SQLite's own companions come and go. */
async function listing(home: string): Promise<string[]> {
  const names = (await readdir(home, { recursive: true })).filter((name) => !/sqlite-(wal|shm)$|\.probe-/.test(name)).sort()
  return Promise.all(names.map(async (name) => `${name} ${(await stat(join(home, name))).mtimeMs}`))
}

test('a healthy installation passes, and nothing in it is changed', async () => {
  const forge = await openForge()
  await forge.project()
  await forge.project({ files: null })
  await forge.drain()
  const before = await listing(forge.app.config.home)
  const { status, findings } = await examineForge(forge)
  expect([status, findings.filter(({ level }) => level === 'fail')]).toEqual([0, []])
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'settings',
      'node',
      'git',
      'folder',
      'space',
      'hooks',
      'database',
      'clock',
      'repositories',
      'objects',
      'server',
      'ssh',
      'address',
    ]),
  )
  expect((await listing(forge.app.config.home)).filter((line) => !line.includes('.sqlite'))).toEqual(
    before.filter((line) => !line.includes('.sqlite')),
  )
})

test('before the first start there is nothing to complain about, and no folder is created', async () => {
  const forge = await openForge()
  const home = join(await forge.folder(), 'new')
  const { status, of } = await examine(home)
  expect([status, of('folder')?.level, of('database')?.level]).toEqual([0, 'warn', 'ok'])
  await expect(stat(home)).rejects.toThrow(/ENOENT/)
})

test('warnings fail only on request', async () => {
  const forge = await openForge()
  await chmod(forge.app.config.home, 0o755)
  expect((await examineForge(forge)).status).toBe(0)
  expect((await examine(forge.app.config.home, databaseOf(forge), true)).status).toBe(1)
})

test('wrong settings and a data folder that is a file are one failure', async () => {
  const forge = await openForge()
  const wrong = await examine(forge.app.config.home, { GITSTEAD_GIT_MEMORY: '1' })
  expect([wrong.status, wrong.findings.length, wrong.of('settings')?.text]).toEqual([
    1,
    1,
    expect.stringContaining('GITSTEAD_GIT_MEMORY must be'),
  ])
  const file = join(await forge.folder(), 'file')
  await writeFile(file, '')
  expect((await examine(file)).of('folder')).toMatchObject({ level: 'fail', text: `${file} is no folder` })
})

test.skipIf(process.getuid?.() !== 0)('a folder that the user may not read fails with what to do', async () => {
  const forge = await openForge()
  process.seteuid?.(65_534)
  const found = await examine(forge.app.config.home).finally(() => process.seteuid?.(0))
  expect([found.status, found.findings.length]).toEqual([1, 1])
  expect(found.of('settings')).toMatchObject({
    level: 'fail',
    text: expect.stringMatching(/GITSTEAD_HOME: .*permission denied/),
    advice: expect.stringContaining('run this command as the user of the server'),
  })
})

test('repositories that are missing, or are not where the last push left them, are named', async () => {
  const forge = await openForge()
  const [lost, moved, headless, whole] = [await forge.project(), await forge.project(), await forge.project(), await forge.project()]
  await rename(lost.dir, `${lost.dir}.away`)
  const tree = await git(moved.dir, 'rev-parse', 'main^{tree}')
  await git(moved.dir, 'update-ref', 'refs/heads/main', await git(moved.dir, 'commit-tree', '-m', 'Behind our back', tree))
  await git(headless.dir, 'symbolic-ref', 'HEAD', 'refs/heads/other')
  const { status, of } = await examineForge(forge)
  const { text = '' } = of('repositories') ?? {}
  expect([status, text.startsWith('3 of 4 repositories')]).toEqual([1, true])
  expect(text).toContain(`${lost.full_path} has no repository`)
  expect(text).toContain(`${moved.full_path} has main at`)
  expect(text).toContain(`${headless.full_path} has HEAD at other, not at main`)
  expect(text).not.toContain(whole.full_path)
})

test('dead and overdue jobs, hooks that were changed and large files that are gone are found', async () => {
  const forge = await openForge()
  const { app } = forge
  await forge.cost(async () => {})
  const row = {
    payload: '{}',
    attempts: 5,
    last_error: 'no',
    unique_key: null,
    asked_by: null,
    owner: null,
    created_at: '2026-01-01T00:00:00.000Z',
  }
  await app.db
    .insertInto('jobs')
    .values([
      { ...row, name: 'test.dead', state: 'dead', run_at: '2026-01-01T00:00:00.000Z' },
      { ...row, name: 'test.late', state: 'ready', run_at: '2026-01-01T00:00:00.000Z' },
    ])
    .execute()
  await writeFile(join(app.config.home, 'git', 'hooks', 'pre-receive'), '#!/bin/sh\nexit 0\n')
  const large = { size: 3, created_at: '2026-01-01T00:00:00.000Z', orphaned_at: null }
  const [there, gone] = ['a'.repeat(64), 'b'.repeat(64)]
  await app.db
    .insertInto('lfs_objects')
    .values([there, gone].map((oid) => ({ ...large, oid, store_key: `lfs/${oid}` })))
    .execute()
  await mkdir(join(app.config.home, 'objects', 'lfs'), { recursive: true })
  await writeFile(join(app.config.home, 'objects', 'lfs', there), 'abc')
  const { status, of } = await examineForge(forge)
  expect(status).toBe(1)
  expect(of('jobs')).toMatchObject({ level: 'warn', text: '1 dead job (test.dead)' })
  expect(of('queue')).toMatchObject({ level: 'warn', text: expect.stringMatching(/overdue/) })
  expect(of('hooks')).toMatchObject({ level: 'fail', text: expect.stringContaining('pre-receive') })
  expect(of('objects')).toMatchObject({ level: 'fail', text: `1 of 2 large files missing or cut: ${gone}` })
})

test('a schema that is older or newer than the program fails, and is not migrated', async () => {
  const forge = await openForge()
  const rows = () =>
    forge.app.db
      .selectFrom('schema_migrations' as never)
      .selectAll()
      .execute()
  await forge.app.db
    .insertInto('schema_migrations' as never)
    .values({ name: '9999-future', timestamp: 'now' } as never)
    .execute()
  const before = (await rows()).length
  expect((await examineForge(forge)).of('database')).toMatchObject({ level: 'fail', text: expect.stringContaining('9999-future') })
  await forge.app.db
    .deleteFrom('schema_migrations' as never)
    .where('name' as never, 'in', ['9999-future', '0016-operations'] as never)
    .execute()
  expect((await examineForge(forge)).of('database')).toMatchObject({
    level: 'fail',
    text: expect.stringContaining('lacks 0016-operations'),
  })
  expect((await rows()).length).toBe(before - 2)
})

test(
  'a running server is distinguished from a stopped one and from another program',
  inFullRun('3 s of processor. It starts a server and another program. The other checks of the doctor are in the gate.'),
  async () => {
    const forge = await openForge()
    const port = new URL(await forge.url()).port
    expect((await examineForge(forge, { GITSTEAD_PORT: port })).of('server')).toMatchObject({
      level: 'ok',
      text: `ready on 127.0.0.1:${port}`,
    })
    expect((await examineForge(forge)).of('server')?.text).toContain('not running')
    const other = createServer((_, reply) => reply.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port: taken } = other.address() as AddressInfo
    const found = await examineForge(forge, { GITSTEAD_PORT: String(taken), GITSTEAD_SSH_PORT: String(taken) })
    other.close()
    expect(found.of('server')).toMatchObject({ level: 'fail', text: expect.stringContaining('another program') })
  },
)

test('a database that cannot be reached or read is a failure with its reason', async () => {
  const forge = await openForge()
  const away = await examine(forge.app.config.home, { GITSTEAD_DATABASE_URL: 'postgres://gitstead:s3cret@127.0.0.1:9/none' })
  expect(away.of('database')).toMatchObject({ level: 'fail', text: expect.stringContaining('connection refused') })
  expect(JSON.stringify(away.findings)).not.toContain('s3cret')
  const home = join(await forge.folder(), 'broken')
  await mkdir(home, { mode: 0o700 })
  await writeFile(join(home, 'gitstead.sqlite'), 'this is no database'.repeat(100))
  expect((await examine(home)).of('database')).toMatchObject({ level: 'fail', text: expect.stringContaining('damaged') })
  await rm(home, { recursive: true })
})
