/** The process survives unhandled rejections, a log that can't be written, and a disk that is full at a COMMIT. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { reconcileAll } from '../../../src/features/repository/pushes/reconcile.ts'
import { engine } from '../../support/database.ts'
import { openForge, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { isGate } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerOptions, startServer } from '../server-process.ts'

cpuBudget(7, 'Servers whose disk, log and promises fail.')

// The engine has no part in these.
const once = test.skipIf(engine === 'postgres')

/** Makes bugs of every kind on a signal. */
const buggy = `
import { EventEmitter } from 'node:events'
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a rejection for nobody'))
  void Promise.reject('no error at all')
  setTimeout(() => { throw new TypeError('a callback that throws') })
  setImmediate(() => new EventEmitter().emit('error', Object.assign(new Error('nobody listens'), { code: 'ECONNRESET' })))
})
`

once('rejections and exceptions that nobody caught are logged with their stack and counted, and the process goes on', async () => {
  const folder = await (await testForge()).folder()
  const [preload, output] = [join(folder, 'buggy.mjs'), join(folder, 'log')]
  await writeFile(preload, buggy)
  await writeFile(output, '')
  const server = await startServer({ output, env: { NODE_OPTIONS: `--import=${preload}`, GITSTEAD_LOG_LEVEL: 'error' } })

  process.kill(server.pid, 'SIGUSR2')
  const lines = async () => (await readFile(output, 'utf8')).split('\n').filter((line) => line.startsWith('{'))
  while ((await lines()).length < 4) await setTimeout(20)

  const logged = (await lines()).map((line) => JSON.parse(line) as { level: number; msg: string; err: { message: string; stack: string } })
  expect(logged.map(({ level, msg, err }) => `${level} ${msg}: ${err.message}`).sort()).toEqual([
    '50 unhandled rejection: a rejection for nobody',
    '50 unhandled rejection: not an Error: no error at all',
    '60 uncaught exception: a callback that throws',
    '60 uncaught exception: nobody listens',
  ])
  expect(logged.every(({ err }) => err.stack.includes('\n    at '))).toBe(true)
  const metrics = await (await fetch(`${server.url}/-/metrics`)).text()
  expect(metrics).toMatch(/^gitstead_stray_failures_total\{origin="unhandled_rejection"\} 2$/m)
  expect(metrics).toMatch(/^gitstead_stray_failures_total\{origin="uncaught_exception"\} 2$/m)
  expect(await server.status('/projects')).toBe(200)
  expect(await server.stop()).toBe(0)
})

const closedLog: Array<[string, ServerOptions]> = isGate ? [] : [['whoever read the log has ended', { limit: 'exec > >(true); ' }]]

// In the gate a log that fails in one way: either is a write that fails.
once.each<[string, ServerOptions]>([['the disk of the log is full', { output: '/dev/full' }], ...closedLog])(
  'where %s requests are answered, and the process stops as it should',
  async (_, options) => {
    const server = await startServer({ ...options, env: { GITSTEAD_LOG_LEVEL: 'trace' } })
    for (let count = 0; count < 50; count += 1) expect(await server.status('/projects')).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)

once(
  'a disk that is full at the end of a push ends the push and nothing else: its refs go back, and the journal is settled once there is room',
  async () => {
    const forge = await openForge()
    const { app } = forge
    const project = await forge.project()
    // Pages that migrations and deletions left free would be room.
    await sql`vacuum`.execute(app.db)
    const strays: unknown[] = []
    const onStray = (error: unknown) => void strays.push(error)
    process.on('unhandledRejection', onStray)
    const dir = await workTree()
    await commit(dir, { 'file.txt': 'text' })
    const branches = Array.from({ length: 120 }, (_, index) => `HEAD:refs/heads/branch-${index}`)
    // Git waits between the journal and the refs until this file is there.
    const go = join(await forge.folder(), 'go')
    const wait = `#!/bin/sh\n[ "$1" != prepared ] || while [ ! -e '${go}' ]; do sleep 0.05; done\n`
    await writeFile(join(app.config.home, 'git', 'hooks', 'reference-transaction'), wait, { mode: 0o755 })
    const intents = () => app.db.selectFrom('push_intents').select('id').execute()
    const pushed = () => app.db.selectFrom('events').select('ref').where('ref', 'like', 'refs/heads/branch-%').execute()

    const push = tryGit(dir, 'push', '--quiet', await forge.remote(project, forge.root), ...branches)
    while ((await intents()).length === 0) await setTimeout(20)
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(app.db)
    await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count)}`.execute(app.db)
    await writeFile(go, '')
    const { code, stderr } = await push

    expect([code, stderr]).toEqual([1, expect.stringMatching(/No storage left on the server|HTTP 500/)])
    expect([(await intents()).length, (await pushed()).length]).toEqual([1, 0])
    expect((await forge.as(forge.root).get(`/projects/${project.id}`)).status).toBe(200)
    await sql`pragma max_page_count = 1000000`.execute(app.db)
    // The push may be under way for a moment after its client has been told.
    const settled = async () => {
      await reconcileAll(app)
      return (await intents()).length
    }
    await expect.poll(settled).toBe(0)
    expect(await pushed()).toEqual([])
    expect(await git(project.dir, 'for-each-ref', 'refs/heads/branch-*')).toBe('')
    const again = await tryGit(dir, 'push', '--quiet', await forge.remote(project, forge.root), ...branches)
    expect([again.code, (await pushed()).length]).toEqual([0, 120])
    process.off('unhandledRejection', onStray)
    expect(strays).toEqual([])
  },
)
