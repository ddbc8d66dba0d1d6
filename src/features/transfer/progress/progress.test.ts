/** Long work: how far it is, stopping it, and beginning again. */
import { readdir } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { beginExport, exportProject } from '../exports/create-export.service.ts'
import { findExport } from '../exports/exports.queries.ts'
import { startExport, stopExport } from '../exports/exports.ts'
import { forkProject, restartFork } from '../forks/forks.ts'
import { fillProject, stopImport } from '../imports/imports.ts'
import { findProgress, watched } from './progress.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const statusOf = async (id: number) => {
  const { import_status, import_error } = (await forge.as(forge.root).get(`/projects/${id}`)).body
  return [import_status, import_error]
}

/** Resolves once the signal aborts. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }))

test('work records how much is done while it runs, and nothing once it has ended', async () => {
  const project = await forge.project({ files: null })
  let done = 0
  const watch = { project_id: project.id, work: 'import', measure: () => done, total_bytes: 1000, isWanted: async () => true } as const
  const seen = await watched(
    forge.app,
    watch,
    async () => {
      done = 400
      await expect.poll(() => findProgress(forge.app.db, project.id, 'import')).toMatchObject({ done_bytes: 400 })
      return findProgress(forge.app.db, project.id, 'import')
    },
    5,
  )
  expect(seen).toMatchObject({ done_bytes: 400, total_bytes: 1000 })
  expect(await findProgress(forge.app.db, project.id, 'import')).toBeNull()
})

test('work whose project is deleted meanwhile is ended, without an error of its own', async () => {
  const project = await forge.project({ files: null })
  const isWanted = async () => (await forge.as(forge.root).get(`/projects/${project.id}`)).status === 200
  const watch = { project_id: project.id, work: 'import', measure: () => 1, total_bytes: null, isWanted } as const
  const run = watched(forge.app, watch, untilAborted, 5)
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await expect(run).rejects.toThrow('aborted')
})

test(
  'an import that is stopped ends, says by whom, leaves nothing behind, and can begin again',
  inFullRun('1 s of processor. An export that is stopped makes no archive, below.'),
  async () => {
    const owner = await forge.user()
    const source = await forge.project({ visibility: 'public' })
    const fork = await forkProject(forge.app, owner, { project: source, level: 0 }, {})
    const run = fillProject(forge.app, { project_id: fork.id, user_id: owner.id }, { bring: (_, __, signal) => untilAborted(signal) })
    await expect.poll(() => findProgress(forge.app.db, fork.id, 'import')).not.toBeNull()
    expect(await stopImport(forge.app, fork.id, owner)).toBe(true)
    await run
    expect(await statusOf(fork.id)).toEqual(['failed', `Stopped by @${owner.username}`])
    expect(await stopImport(forge.app, fork.id, owner)).toBe(false)
    const { dir } = forge.app.git.open(fork.id)
    expect((await readdir(dir)).filter((name) => name.startsWith('arriving-'))).toEqual([])
    // Two users restart it at once, and exactly one may succeed.
    const again = await Promise.allSettled([restartFork(forge.app, owner, fork), restartFork(forge.app, owner, fork)])
    expect(again.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await forge.drain()
    expect(await statusOf(fork.id)).toEqual(['finished', null])
    await expect(restartFork(forge.app, owner, fork)).rejects.toMatchObject({ code: 'conflict' })
  },
)

test('an export that is stopped makes no archive, before it has begun and while it is written', async () => {
  const project = await forge.project()
  const stateOf = async () => (await findExport(forge.app.db, project.id))?.state
  await startExport(forge.app, forge.root, project.id, {})
  expect([await stopExport(forge.app, project.id), await stateOf()]).toEqual([true, undefined])
  await forge.drain()
  expect(await stateOf()).toBeUndefined()

  await startExport(forge.app, forge.root, project.id, {})
  const started = await beginExport(forge.app, project.id)
  await stopExport(forge.app, project.id)
  if (started) await exportProject(forge.app, started).catch(() => {})
  expect(await stateOf()).toBeUndefined()

  await startExport(forge.app, forge.root, project.id, {})
  await forge.drain()
  expect(await stateOf()).toBe('finished')
  // The archive that is there stays.
  await startExport(forge.app, forge.root, project.id, {})
  await stopExport(forge.app, project.id)
  await forge.drain()
  expect(await findExport(forge.app.db, project.id)).toMatchObject({ state: 'finished', store_key: expect.any(String) })
  expect(await stopExport(forge.app, project.id)).toBe(false)
})
