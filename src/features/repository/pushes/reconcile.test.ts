import { existsSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { openForge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { thisProcess } from '../../../program/process-identity.ts'
import { insertIntent } from './pushes.queries.ts'
import { intentsUnderWay, openIntent, reconcileAll } from './reconcile.ts'
import { recordPush } from './record.ts'

const zero = '0'.repeat(40)
/** No process has this number. */
const dead = `${hostname()} 99999999 gone`

async function journal(process = dead) {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  const [old, tip] = [await git(project.dir, 'rev-parse', 'main~1'), await git(project.dir, 'rev-parse', 'main')]
  const write = (changes: RefChange[]) => insertIntent(forge.app.db, { project_id: project.id, user_id: forge.root.id, process, changes })
  const open = async () =>
    (await forge.app.db.selectFrom('push_intents').select('id').where('project_id', '=', project.id).execute()).length
  return { forge, project, old, tip, write, open, told: () => eventsOf(project) }
}

/** `refs/heads/x before after` of each push after the one that filled the project. */
async function eventsOf(project: TestProject): Promise<string[]> {
  const { app } = await testForge()
  const rows = await app.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .orderBy('id')
    .execute()
  return rows.slice(1).map(({ ref, before_oid, after_oid }) => `${ref} ${before_oid} ${after_oid}`)
}

test('a ref that moved before its process died gets its event; one that did not is forgotten', async () => {
  const { forge, project, old, tip, write, open, told } = await journal()
  await git(project.dir, 'branch', 'made', tip)
  await git(project.dir, 'branch', 'stayed', old)
  await write([
    { ref: 'refs/heads/made', before: zero, after: tip },
    { ref: 'refs/heads/stayed', before: old, after: tip },
    { ref: 'refs/heads/gone', before: old, after: zero },
    { ref: 'refs/heads/unborn', before: zero, after: tip },
  ])
  await reconcileAll(forge.app)
  expect(await told()).toEqual([`refs/heads/made null ${tip}`, `refs/heads/gone ${old} null`])
  expect(await open()).toBe(0)
})

test('a ref moved on since gets one event', async () => {
  const { forge, project, old, tip, write, told } = await journal()
  await write([{ ref: 'refs/heads/x', before: zero, after: old }])
  await git(project.dir, 'branch', 'x', tip)
  await recordPush(forge.app, { project, user: forge.root }, [{ ref: 'refs/heads/x', before: old, after: tip }], null)
  await reconcileAll(forge.app)
  await reconcileAll(forge.app)
  expect(await told()).toEqual([`refs/heads/x ${old} ${tip}`, `refs/heads/x null ${old}`])
})

test('a ref moved on since, whose move isn’t recorded yet, gets its event', async () => {
  const { forge, project, old, tip, write, open, told } = await journal()
  await git(project.dir, 'branch', 'x', tip)
  await write([{ ref: 'refs/heads/x', before: zero, after: old }])
  const other = await insertIntent(forge.app.db, {
    project_id: project.id,
    user_id: forge.root.id,
    process: thisProcess,
    changes: [{ ref: 'refs/heads/x', before: old, after: tip }],
  })
  intentsUnderWay(forge.app).add(other)
  await reconcileAll(forge.app)
  expect([await told(), await open()]).toEqual([[`refs/heads/x null ${old}`], 1])
  intentsUnderWay(forge.app).delete(other)
  await reconcileAll(forge.app)
  expect([await told(), await open()]).toEqual([[`refs/heads/x null ${old}`, `refs/heads/x ${old} ${tip}`], 0])
})

test('an open intent with another target proves nothing', async () => {
  const { forge, project, old, tip, write, open, told } = await journal()
  await git(project.dir, 'branch', 'x', tip)
  await recordPush(forge.app, { project, user: forge.root }, [{ ref: 'refs/heads/x', before: zero, after: tip }], null)
  await write([{ ref: 'refs/heads/x', before: tip, after: old }])
  await write([{ ref: 'refs/heads/x', before: old, after: zero }])
  await reconcileAll(forge.app)
  expect([await told(), await open()]).toEqual([[`refs/heads/x null ${tip}`], 0])
})

test('a failed change that another push made later is not recorded twice', async () => {
  const { forge, project, tip, write, told } = await journal()
  await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  await git(project.dir, 'branch', 'x', tip)
  await recordPush(forge.app, { project, user: forge.root }, [{ ref: 'refs/heads/x', before: zero, after: tip }], null)
  await reconcileAll(forge.app)
  expect(await told()).toEqual([`refs/heads/x null ${tip}`])
})

test('two concurrent reconciliations record a push once', async () => {
  const { forge, project, tip, write, told } = await journal()
  await git(project.dir, 'branch', 'x', tip)
  await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  await Promise.all([reconcileAll(forge.app), reconcileAll(forge.app), reconcileAll(forge.app)])
  expect(await told()).toEqual([`refs/heads/x null ${tip}`])
})

test('intents under way are left alone: in this process, a living one, or on another machine', async () => {
  for (const process of [thisProcess, `${hostname()} ${globalThis.process.ppid} other`, `elsewhere 1 other`]) {
    const { forge, tip, write, open } = await journal(process)
    const intent = await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
    intentsUnderWay(forge.app).add(intent)
    await reconcileAll(forge.app)
    expect([process, await open()]).toEqual([process, 1])
    intentsUnderWay(forge.app).delete(intent)
  }
})

test('an intent that a living process left open for 15 minutes is settled here', async () => {
  const { forge, project, tip, write, open, told } = await journal(`${hostname()} ${globalThis.process.ppid} other`)
  await git(project.dir, 'branch', 'x', tip)
  const intent = await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  const created_at = new Date(Date.now() - 16 * 60_000).toISOString()
  await forge.app.db.updateTable('push_intents').set({ created_at }).where('id', '=', intent).execute()
  await reconcileAll(forge.app)
  expect([await told(), await open()]).toEqual([[`refs/heads/x null ${tip}`], 0])
})

test('intents of an earlier process with the same pid, and those given up here, are settled', async () => {
  for (const process of [thisProcess, `${hostname()} ${globalThis.process.pid} earlier`]) {
    const { forge, tip, write, open } = await journal(process)
    await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
    await reconcileAll(forge.app)
    expect([process, await open()]).toEqual([process, 0])
  }
})

test.runIf(existsSync('/proc/self/stat'))('an intent of an earlier process is settled though a later one has its pid', async () => {
  // As it was written by pid 1 of a container, say, that was started again.
  const earlier = thisProcess.split(' ').with(5, '1').join(' ')
  const { forge, tip, write, open } = await journal(earlier)
  await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  await reconcileAll(forge.app)
  expect(await open()).toBe(0)
})

test('a lock that a killed git left on a ref blocks nobody after the reconciliation', async () => {
  const { forge, project, tip, write } = await journal()
  const locks = ['refs/heads/x.lock', 'packed-refs.lock'].map((name) => join(project.dir, name))
  for (const lock of locks) {
    await writeFile(lock, '')
    await utimes(lock, new Date(0), new Date(Date.now() - 60_000))
  }
  await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  await reconcileAll(forge.app)
  expect(locks.filter(existsSync)).toEqual([])
})

test('the intents of a project go with it', async () => {
  const { forge, project, tip, write, open } = await journal()
  await write([{ ref: 'refs/heads/x', before: zero, after: tip }])
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  expect(await open()).toBe(0)
  await reconcileAll(forge.app)
})

test(
  'an intent that could not be settled is retried by its own process, once',
  inFullRun('3 s of processor. Other intents are settled at a start, above.'),
  async () => {
    let isAway = false
    const forge = await openForge({
      beforeStatement(statement) {
        if (isAway && /^delete from "push_intents"/.test(statement)) throw new Error('the database is away')
      },
    })
    const project = await forge.project()
    isAway = true
    const answer = await forge.as(forge.root).post(`/projects/${project.id}/repository/branches`, { branch: 'x', ref: 'main' })
    expect(answer.status).toBe(500)
    isAway = false
    const events = () =>
      forge.app.db
        .selectFrom('events')
        .select('ref')
        .where('project_id', '=', project.id)
        .where('action', '=', 'pushed')
        .orderBy('id')
        .execute()
    await expect.poll(async () => (await events()).map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/heads/x'])
    expect(await forge.app.db.selectFrom('push_intents').select('id').execute()).toEqual([])
    await reconcileAll(forge.app)
    expect(await events()).toHaveLength(2)
  },
)

test('a push whose intent a reconciliation reads before the push knows its id is recorded all the same', async () => {
  const { forge, project, old, told, open } = await journal()
  const { app } = forge
  const { db } = app
  let rounds = 0
  // Called when the row is committed, and before the caller gets it.
  const between: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (rounds > 0) return result
      rounds += 1
      app.db = db
      await reconcileAll(app)
      return result
    },
  }
  const change = { ref: 'refs/heads/quick', before: zero, after: old }
  const pusher = { user: forge.root, project }
  app.db = db.withPlugin(between)
  const id = await openIntent(app, { project_id: project.id, user_id: forge.root.id, changes: [change] })
  expect([rounds, await open()]).toEqual([1, 1])
  await git(project.dir, 'branch', 'quick', old)
  await recordPush(app, pusher, [change], id)
  intentsUnderWay(app).delete(id)
  expect([await told(), await open()]).toEqual([[`refs/heads/quick null ${old}`], 0])
})
