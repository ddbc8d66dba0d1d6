/** Each change of a project as a whole publishes one event, in the transaction that makes the change. */
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportOf, importOf } from '../../../../test/support/fixtures/archives.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { connectSubscribers, inSameTransaction, joined } from '../../../domain-events/domain-events.ts'
import type { DomainEvent } from '../../../domain-events/events.ts'
import { subscribers } from '../../subscribers.ts'

const types = ['project_visibility_changed', 'forks_narrowed', 'project_renamed', 'project_transferred', 'project_removed'] as const

let seen: DomainEvent[] = []
let disconnect = () => {}

beforeEach(async () => {
  // The worker of the forge would connect nothing by itself.
  await testForge()
  seen = []
  const recorder = inSameTransaction(async (_, event: DomainEvent) => void seen.push(event))
  disconnect = connectSubscribers(joined(Object.fromEntries(types.map((type) => [type, [recorder]])), subscribers))
})

afterEach(() => disconnect())

const taken = () => seen.splice(0)

test('renaming a project or changing its visibility publishes an event with both states; no change, no event', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null, visibility: 'public' })
  const change = async (body: object) => expect((await forge.as(owner).put(`/projects/${project.id}`, body)).status).toBe(200)
  await change({ description: 'New', name: 'New name', path: project.path, visibility: 'public' })
  expect(taken()).toEqual([])
  await change({ path: 'renamed', visibility: 'internal' })
  const project_id = project.id
  expect(taken()).toEqual([
    { type: 'project_renamed', project_id, before: project.full_path, after: `${owner.username}/renamed` },
    { type: 'project_visibility_changed', project_id, before: 'public', after: 'internal' },
  ])
})

test('forks that are narrowed with their source are named, those that were no more open are not', async () => {
  const forge = await testForge()
  const [owner, other, third] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, visibility: 'public' })
  const fork = (await forge.as(other).post(`/projects/${project.id}/fork`, {})).body
  await forge.drain()
  const inner = (await forge.as(third).post(`/projects/${fork.id}/fork`, {})).body
  await forge.drain()
  await forge.as(third).put(`/projects/${inner.id}`, { visibility: 'private' })
  taken()
  await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'internal' })
  expect(taken()).toEqual([
    { type: 'project_visibility_changed', project_id: project.id, before: 'public', after: 'internal' },
    { type: 'forks_narrowed', source_id: project.id, fork_ids: [fork.id], visibility: 'internal' },
  ])
  const visibilities = await Promise.all(
    [fork, inner].map(async ({ id }) => (await forge.as(forge.root).get(`/projects/${id}`)).body.visibility),
  )
  expect(visibilities).toEqual(['internal', 'private'])
})

test('a transfer says from where to where, and of a narrowed project that too; one that fails leaves nothing', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const group = await forge.group({ owner, visibility: 'private' })
  const project = await forge.project({ owner, files: null, visibility: 'public' })
  const twin = await forge.project({ owner, files: null, name: project.name, group, path: 'twin' })
  expect((await forge.as(owner).put(`/projects/${project.id}/transfer`, { namespace: group.full_path })).status).toBe(400)
  const rows = await forge.app.db.selectFrom('projects').select('visibility').where('id', '=', project.id).execute()
  expect(rows).toEqual([{ visibility: 'public' }])
  await forge.as(owner).delete(`/projects/${twin.id}`)
  taken()
  expect((await forge.as(owner).put(`/projects/${project.id}/transfer`, { namespace: group.full_path })).status).toBe(200)
  expect(taken()).toEqual([
    {
      type: 'project_transferred',
      project_id: project.id,
      from_namespace_id: project.namespace_id,
      to_namespace_id: group.id,
      before: project.full_path,
      after: `${group.full_path}/${project.path}`,
    },
    { type: 'project_visibility_changed', project_id: project.id, before: 'public', after: 'private' },
  ])
})

test('a project is removed by itself, with its group and with its owner; its repository follows each time', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const inner = await forge.group({ owner, parent: group })
  const [single, own] = [await forge.project({ owner, files: null }), await forge.project({ owner, files: null })]
  const grouped = [await forge.project({ group, files: null }), await forge.project({ group: inner, files: null })]
  await forge.as(owner).delete(`/projects/${single.id}`)
  expect(taken()).toEqual([{ type: 'project_removed', project_id: single.id }])
  await forge.as(owner).delete(`/groups/${group.id}`)
  expect(taken()).toEqual(grouped.map(({ id }) => ({ type: 'project_removed', project_id: id })))
  await forge.as(forge.root).delete(`/users/${owner.id}`)
  expect(taken()).toEqual([{ type: 'project_removed', project_id: own.id }])
  await forge.drain()
  expect([single, own, ...grouped].filter(({ dir }) => existsSync(dir))).toEqual([])
})

test(
  'an archive that replaces a project removes that, and has taken its path',
  inFullRun('Half a second of processor. `archive-imports.test.ts` has the new project take the place of the old one.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const old = await forge.project({ owner, visibility: 'public' })
    const file = await exportOf(forge, owner, old)
    taken()
    const imported = await importOf(forge, owner, file, { path: old.path, overwrite: 'true' })
    expect(taken()).toEqual([
      { type: 'project_removed', project_id: old.id },
      expect.objectContaining({ type: 'project_visibility_changed', project_id: imported.id, after: 'public' }),
      expect.objectContaining({ type: 'project_renamed', project_id: imported.id, after: old.full_path }),
    ])
  },
)
