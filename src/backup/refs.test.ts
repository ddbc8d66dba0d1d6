/** Refs as of a snapshot: every way a change of refs can lie around the snapshot and the copy. */
import { writeFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../test/support/forge.ts'
import { git } from '../../test/support/git.ts'
import { accessLevels } from '../access/levels.ts'
import { beginBackup, endBackup } from '../db/backups.ts'
import { insertIntent } from '../features/repository/pushes/pushes.queries.ts'
import { changeRefs } from '../features/repository/pushes/pushes.service.ts'
import { recordPush } from '../features/repository/pushes/record.ts'
import { removeProject } from '../features/spaces/projects/removal.service.ts'
import { noObject } from '../git/objects/object-id.ts'
import { refsAtSnapshot, type SnapshotMarks } from './refs.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

interface Scene {
  project: TestProject
  /** Commits that follow each other. */
  oids: [string, string, string, string]
  /** Moves a ref as a push does. */
  push: (ref: string, before: string | null, after: string | null) => Promise<void>
  /** The first half of a push, intent and refs. `record` adds the event later, so that a snapshot can fall in between. */
  move: (ref: string, before: string | null, after: string | null) => Promise<{ record: () => Promise<void>; intent: number }>
}

const main = 'refs/heads/main'
const topic = 'refs/heads/topic'

async function scene(): Promise<Scene> {
  const commits = [0, 1, 2, 3].map((number) => ({ message: `Commit ${number}`, files: { file: String(number) }, branch: 'all' }))
  const project = await forge.project({ commits: [...commits.slice(0, 1).map((one) => ({ ...one, branch: 'main' })), ...commits] })
  const oids = (await git(project.dir, 'rev-list', '--reverse', 'all')).split('\n') as Scene['oids']
  const pusher = { user: forge.root, project, level: accessLevels.owner }
  const changeOf = (ref: string, before: string | null, after: string | null) => ({
    ref,
    before: before ?? noObject,
    after: after ?? noObject,
  })
  return {
    project,
    oids,
    push: (...move) => changeRefs(forge.app, pusher as never, [changeOf(...move)]),
    async move(...move) {
      const change = changeOf(...move)
      const intent = await insertIntent(forge.app.db, {
        project_id: project.id,
        user_id: forge.root.id,
        process: 'elsewhere 1 x',
        changes: [change],
      })
      await git(project.dir, 'update-ref', ...(move[2] === null ? ['-d', move[0]] : [move[0], move[2]]))
      return { intent, record: () => recordPush(forge.app, { project, user: forge.root }, [change], intent) }
    },
  }
}

/** The marks that a snapshot taken at this moment has. */
async function marks(): Promise<SnapshotMarks> {
  const events = await forge.app.db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  const intents = await forge.app.db.selectFrom('push_intents').select('id').execute()
  return { last_event: Number(events.last ?? 0), intents: new Set(intents.map(({ id }) => id)) }
}

async function refsOf(
  { project, import_status = 'none' }: Scene & { import_status?: string },
  at: SnapshotMarks,
  wait_ms = 200,
  tips = {},
): Promise<Record<string, string>> {
  const tipsOf = async () => new Map<string, string | null>(Object.entries(tips))
  const { refs } = await refsAtSnapshot(
    forge.app.db,
    forge.app.git.open(project.id),
    { id: project.id, import_status },
    at,
    tipsOf,
    wait_ms,
  )
  return Object.fromEntries([...refs].filter(([ref]) => ref !== 'refs/heads/all'))
}

test('pushes since are undone: fast-forward, forced, several, there and back', async () => {
  const it = await scene()
  const [a, b, c, d] = it.oids
  const first = await git(it.project.dir, 'rev-parse', 'main')
  await it.push(topic, null, b)
  const at = await marks()
  await it.push(topic, b, c)
  await it.push(topic, c, a)
  await it.push(topic, a, d)
  await it.push('refs/tags/v1', null, d)
  await it.push('refs/heads/gone', null, a)
  await it.push('refs/heads/gone', a, null)
  expect(await refsOf(it, at)).toEqual({ [main]: first, [topic]: b })
  await it.push(topic, d, b)
  expect(await refsOf(it, at)).toEqual({ [main]: first, [topic]: b })
})

test('a branch that was deleted since is there, beside none of what took its place', async () => {
  const it = await scene()
  const [a, b] = it.oids
  await it.push(topic, null, a)
  const at = await marks()
  await it.push(topic, a, null)
  await it.push(`${topic}/below`, null, b)
  expect(await refsOf(it, at)).toMatchObject({ [topic]: a })
  expect(Object.keys(await refsOf(it, at))).not.toContain(`${topic}/below`)
})

test('a push under way in the snapshot, recorded before the copy, is undone: its intent is settled at the first start', async () => {
  const it = await scene()
  const [a, b] = it.oids
  await it.push(topic, null, a)
  const { record } = await it.move(topic, a, b)
  const at = await marks()
  await record()
  expect(await refsOf(it, at)).toMatchObject({ [topic]: a })
})

test('a push whose process died before the snapshot is left as it is: its intent is in the snapshot', async () => {
  const it = await scene()
  const [a, b] = it.oids
  await it.push(topic, null, a)
  await it.move(topic, a, b)
  expect(await refsOf(it, await marks())).toMatchObject({ [topic]: b })
})

test('a push that is recorded while the copy waits for it is undone', async () => {
  const it = await scene()
  const [a, b] = it.oids
  await it.push(topic, null, a)
  const at = await marks()
  const { record } = await it.move(topic, a, b)
  const copied = refsOf(it, at, 30_000)
  await record()
  expect(await copied).toMatchObject({ [topic]: a })
})

test('a push whose process died after the snapshot is undone, on top of one that was recorded; a change that never came is none', async () => {
  const it = await scene()
  const [a, b, c, d] = it.oids
  await it.push(topic, null, a)
  const at = await marks()
  await it.push(topic, a, b)
  await it.move(topic, b, c)
  // It lost against the one before.
  await insertIntent(forge.app.db, {
    project_id: it.project.id,
    user_id: forge.root.id,
    process: 'elsewhere 1 x',
    changes: [{ ref: topic, before: b, after: d }],
  })
  expect(await refsOf(it, at)).toMatchObject({ [topic]: a })
})

test('a push whose process died reverts nothing of an identical later push', async () => {
  const it = await scene()
  const [a, b] = it.oids
  await it.push(topic, null, a)
  await it.push(topic, a, b)
  const at = await marks()
  const changes = [{ ref: topic, before: a, after: b }]
  await insertIntent(forge.app.db, { project_id: it.project.id, user_id: forge.root.id, process: 'elsewhere 1 x', changes })
  expect(await refsOf(it, at, 100, { [topic]: b })).toMatchObject({ [topic]: b })
})

test('refs that make no event are as they are when they are copied', async () => {
  const it = await scene()
  const [a] = it.oids
  const at = await marks()
  await git(it.project.dir, 'update-ref', 'refs/keep-around/1', a)
  expect(await refsOf(it, at)).toMatchObject({ 'refs/keep-around/1': a })
})

test('a broken ref is reported as an error, not left out', async () => {
  const it = await scene()
  await git(it.project.dir, 'update-ref', 'refs/heads/broken', it.oids[0])
  await writeFile(`${it.project.dir}/refs/heads/broken`, '')
  await expect(refsOf(it, await marks())).rejects.toThrow('broken')
})

test('of a project that was deleted since, with its events, the events of the snapshot tell', async () => {
  const it = await scene()
  const [a, b, c] = it.oids
  const first = await git(it.project.dir, 'rev-parse', 'main')
  await it.push(topic, null, a)
  const at = await marks()
  await it.push(topic, a, b)
  await it.push('refs/heads/later', null, c)
  const lease = await beginBackup(forge.app.db)
  await removeProject(forge.app, it.project.id)
  const tips = { [main]: first, [topic]: a, 'refs/heads/gone': null }
  expect(await refsOf(it, at, 0, tips)).toEqual({ [main]: first, [topic]: a })
  // Most branches of a fork have no event, because they came with the copy.
  expect(await refsOf({ ...it, import_status: 'finished' }, at, 0, tips)).toEqual({ [main]: first, [topic]: a, 'refs/heads/later': c })
  await endBackup(forge.app.db, lease)
})
