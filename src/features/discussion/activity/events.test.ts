/** Events: who may see which, in the lists of a project, a group and a user. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { seesAllEvents } from '../../../access/events.ts'
import { canDownload, findProject } from '../../../access/find.ts'
import type { FeatureLevel, User } from '../../../db/tables.ts'
import { listEvents } from './activity.ts'
import { pageOfEvents } from './events.queries.ts'

let forge: Forge
const everything = { limit: 100, offset: 0 }

beforeAll(async () => {
  forge = await testForge()
})

async function record(project: TestProject, author: User) {
  const at = new Date().toISOString()
  const base = { project_id: project.id, author_id: author.id, created_at: at }
  await forge.app.db
    .insertInto('events')
    .values([
      { ...base, action: 'joined' },
      { ...base, action: 'commented', target_type: 'Note' },
      { ...base, action: 'pushed', ref: 'refs/heads/main', before_oid: 'a'.repeat(40), after_oid: 'b'.repeat(40) },
    ])
    .execute()
}

const actionsSeenBy = async (viewer: User | null, project: TestProject) =>
  (await listEvents(forge.app, viewer, { project_id: project.id }, everything)).rows
    .filter(({ author }) => author.username !== 'root')
    .map(({ action }) => action)

test('pushes and comments are listed for exactly those who may read the code', async () => {
  const [owner, guest, reporter, stranger] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const external = await forge.user({ external: true })
  for (const visibility of ['private', 'internal', 'public'] as const) {
    for (const repository_access_level of ['enabled', 'private', 'disabled'] satisfies FeatureLevel[]) {
      const project = await forge.project({ owner, guest, reporter, visibility, files: null })
      await forge.app.db.updateTable('projects').set({ repository_access_level }).where('id', '=', project.id).execute()
      await forge.app.db.deleteFrom('events').where('project_id', '=', project.id).execute()
      await record(project, owner)
      for (const viewer of [owner, guest, reporter, stranger, external, forge.root, null] as Array<TestUser | null>) {
        const access = await findProject(forge.app.db, String(project.id), viewer).catch(() => null)
        const wanted = access ? (canDownload(access, viewer) ? ['pushed', 'commented', 'joined'] : ['joined']) : []
        const seen = await actionsSeenBy(viewer, project)
        expect([visibility, repository_access_level, viewer?.id, seen]).toEqual([visibility, repository_access_level, viewer?.id, wanted])
      }
    }
  }
})

test('who is known to see all events of a project is listed the same ones as if each were asked for', async () => {
  const [owner, guest, reporter, stranger] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const levels = ['enabled', 'private', 'disabled'] satisfies FeatureLevel[]
  let shortcuts = 0
  for (const issues_access_level of levels) {
    for (const repository_access_level of levels) {
      const project = await forge.project({ owner, guest, reporter, visibility: 'public', files: null })
      const issue = await forge.issue(project, guest, { confidential: true })
      await forge.note(project, issue, owner, { internal: true })
      await forge.app.db
        .updateTable('projects')
        .set({ issues_access_level, repository_access_level })
        .where('id', '=', project.id)
        .execute()
      await record(project, owner)
      for (const viewer of [owner, guest, reporter, stranger, forge.root, null] as Array<TestUser | null>) {
        const access = await findProject(forge.app.db, String(project.id), viewer)
        if (!seesAllEvents(access, viewer)) continue
        const list = (seesAll: boolean) =>
          pageOfEvents(forge.app.db, viewer, { project_id: project.id, seesAll }, { sort: 'desc' }, everything)
        expect(await list(true)).toEqual(await list(false))
        shortcuts += 1
      }
    }
  }
  expect(shortcuts).toBeGreaterThan(5)
})

test('a group lists the events of the projects below it, a user those they caused, each only where the viewer sees the project', async () => {
  const [ada, bob] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: ada, visibility: 'public' })
  const below = await forge.group({ owner: ada, parent: group, visibility: 'private' })
  const [open, hidden] = [
    await forge.project({ group, visibility: 'public', files: null }),
    await forge.project({ group: below, visibility: 'private', files: null }),
  ]
  for (const project of [open, hidden]) {
    await forge.app.db.deleteFrom('events').where('project_id', '=', project.id).execute()
    await record(project, ada)
  }
  const paths = async (viewer: User | null, scope: Parameters<typeof listEvents>[2]) =>
    new Set((await listEvents(forge.app, viewer, scope, everything)).rows.map(({ project_path }) => project_path))
  for (const scope of [{ group_id: group.id }, { author_id: ada.id }]) {
    expect(await paths(ada, scope)).toEqual(new Set([open.full_path, hidden.full_path]))
    expect(await paths(bob, scope)).toEqual(new Set([open.full_path]))
    expect(await paths(null, scope)).toEqual(new Set([open.full_path]))
  }
  expect(await paths(ada, { member_id: ada.id })).toEqual(new Set([open.full_path, hidden.full_path]))
  expect(await paths(bob, { member_id: bob.id })).toEqual(new Set())
  await forge.as(bob).post(`/projects/${open.id}/star`)
  expect(await paths(bob, { starred_by: bob.id })).toEqual(new Set([open.full_path]))
})

test('a page says whether there are more, and a filter shows one kind', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  for (let index = 0; index < 3; index += 1) await record(project, owner)
  const first = await listEvents(forge.app, owner, { project_id: project.id }, { limit: 2, offset: 0 }, 'push')
  expect([first.hasMore, first.rows.map(({ action }) => action)]).toEqual([true, ['pushed', 'pushed']])
  const last = await listEvents(forge.app, owner, { project_id: project.id }, { limit: 2, offset: 2 }, 'push')
  expect([last.hasMore, last.rows.length]).toEqual([false, 1])
  const team = await listEvents(forge.app, owner, { project_id: project.id }, everything, 'team')
  expect(team.rows.every(({ action }) => action === 'joined')).toBe(true)
})
