/** How much the rules of approval may name in all. */
import { expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'

/** Public groups without members. */
async function manyGroups(forge: Forge, count: number): Promise<number[]> {
  const { db } = forge.app
  const group = await forge.group({ visibility: 'public' })
  const { id: _, ...like } = await db.selectFrom('namespaces').selectAll().where('id', '=', group.id).executeTakeFirstOrThrow()
  const names = Array.from({ length: count }, (_, at) => `${like.path}-${at}`)
  const ids: number[] = []
  for (let at = 0; at < count; at += 500) {
    const rows = names.slice(at, at + 500).map((path) => ({ ...like, path, name: path }))
    ids.push(...(await db.insertInto('namespaces').values(rows).returning('id').execute()).map(({ id }) => id))
  }
  for (let at = 0; at < count; at += 500) {
    const routes = ids.slice(at, at + 500).map((namespace_id, place) => {
      const path = names[at + place] as string
      return { path, path_key: path.toLowerCase(), namespace_id, project_id: null }
    })
    await db.insertInto('routes').values(routes).execute()
  }
  return ids
}

test('the rules of a project, and those of a merge request, name at most a thousand groups in all', async () => {
  const forge = await testForge()
  const [last, ...groups] = await manyGroups(forge, 1_001)
  const project = await forge.project()
  await shape(project.dir, [{ branch: 'topic', parents: ['main'], files: { f: 'x\n' } }])
  const { iid } = await forge.mergeRequest(project, forge.root, { source_branch: 'topic' })
  const at = `/projects/${project.id}`
  const as = forge.as(forge.root)
  const refusal = { message: { group_ids: ['The rules can name at most 1000 in all'] } }
  for (const path of [at, `${at}/merge_requests/${iid}`]) {
    const first = await as.post(`${path}/approval_rules`, { name: 'Crowd', approvals_required: 0, group_ids: groups })
    expect([first.status, first.body.groups.length]).toEqual([201, 1_000])
    const second = await as.post(`${path}/approval_rules`, { name: 'One more', approvals_required: 0, group_ids: [last] })
    expect([second.status, second.body]).toEqual([400, refusal])
    const empty = await as.post(`${path}/approval_rules`, { name: 'Nobody', approvals_required: 0 })
    const more = await as.put(`${path}/approval_rules/${empty.body.id}`, { group_ids: [last] })
    expect([more.status, more.body]).toEqual([400, refusal])
    const same = await as.put(`${path}/approval_rules/${first.body.id}`, { group_ids: groups.slice(1) })
    expect([same.status, (await as.put(`${path}/approval_rules/${empty.body.id}`, { group_ids: [last] })).status]).toEqual([200, 200])
  }
})
