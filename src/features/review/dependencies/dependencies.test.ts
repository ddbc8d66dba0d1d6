/** Merge requests that wait for others, and stacks: what blocks, what nobody hears of, and where a stack goes when its lowest is merged. */
import { expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { stackOf } from './stacks.ts'

async function propose(forge: Forge, user: TestUser, { id }: TestProject, branch: string, base = 'main') {
  const api = forge.as(user)
  const actions = [{ action: 'create', file_path: `${branch}.txt`, content: branch }]
  await api.post(`/projects/${id}/repository/commits`, { branch, start_branch: base, commit_message: branch, actions })
  const { body } = await api.post(`/projects/${id}/merge_requests`, { source_branch: branch, target_branch: base, title: branch })
  return { ...(body as { id: number; iid: number }), at: `/projects/${id}/merge_requests/${body.iid}` }
}

test('one is merged only after another, also of a project that others do not see; a circle is refused', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer })
  const hidden = await forge.project({ maintainer })
  const api = forge.as(maintainer)
  const [first, second, third] = [
    await propose(forge, maintainer, hidden, 'first'),
    await propose(forge, maintainer, project, 'second'),
    await propose(forge, maintainer, project, 'third'),
  ]
  const wait = (one: { at: string }, other: { id: number }, user = maintainer) =>
    forge.as(user).post(`${one.at}/blocks`, { blocking_merge_request_id: other.id })
  expect((await wait(second, first, developer)).status).toBe(403)
  const added = await wait(second, first)
  expect([added.status, added.body]).toEqual([
    201,
    expect.objectContaining({ blocking_merge_request: expect.objectContaining({ id: first.id }), project_id: project.id }),
  ])
  expect((await wait(second, first)).status).toBe(409)
  expect((await wait(third, second)).status).toBe(201)
  expect([(await wait(first, third)).status, (await wait(first, first)).status]).toEqual([422, 422])
  // Counted for everybody, named for those who see it.
  const [seen] = (await forge.as(developer).get(`${second.at}/blocks`)).body
  expect([seen.blocking_merge_request, seen.blocked_merge_request.id]).toEqual([undefined, second.id])
  const [after] = (await api.get(`${second.at}/blockees`)).body
  expect(after.blocked_merge_request.id).toBe(third.id)
  expect((await forge.as(developer).get(second.at)).body.detailed_merge_status).toBe('merge_request_blocked')
  expect((await api.put(`${second.at}/merge`)).status).toBe(405)
  // Merging the one it depends on releases it.
  const waiting = await api.put(`${second.at}/merge`, { merge_when_pipeline_succeeds: true })
  expect([waiting.status, waiting.body.state]).toEqual([200, 'opened'])
  expect((await api.put(`${first.at}/merge`)).body.state).toBe('merged')
  await forge.drain()
  expect((await api.get(second.at)).body.state).toBe('merged')
  // Two requests at the same moment must not complete a circle either.
  const rivals = [await propose(forge, maintainer, project, 'left'), await propose(forge, maintainer, project, 'right')] as const
  const both = await Promise.all([wait(rivals[0], rivals[1]), wait(rivals[1], rivals[0])])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
  const { body } = await api.get(`${third.at}/blocks`)
  expect((await api.delete(`${third.at}/blocks/${body[0].id}`)).status).toBe(204)
  expect((await api.get(`${third.at}/blocks`)).body).toEqual([])
})

test('merge requests into a merged branch are retargeted to where it was merged, once the branch is deleted', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const api = forge.as(maintainer)
  const lower = await propose(forge, maintainer, project, 'lower')
  const upper = await propose(forge, maintainer, project, 'upper', 'lower')
  const top = await propose(forge, maintainer, project, 'top', 'upper')
  await api.put(`${lower.at}/merge`)
  expect((await api.get(upper.at)).body.target_branch).toBe('lower')
  await api.delete(`/projects/${project.id}/repository/branches/lower`)
  await forge.drain()
  expect((await api.get(upper.at)).body).toMatchObject({ target_branch: 'main', detailed_merge_status: 'mergeable' })
  await api.put(`${upper.at}/merge`, { should_remove_source_branch: true })
  await forge.drain()
  expect((await api.get(top.at)).body).toMatchObject({ target_branch: 'main', state: 'opened', changes_count: '1' })
  // A branch that is deleted without having been merged leaves what was built on it as it is.
  const other = await propose(forge, maintainer, project, 'other')
  const onOther = await propose(forge, maintainer, project, 'on-other', 'other')
  await api.delete(`/projects/${project.id}/repository/branches/other`)
  expect((await api.get(onOther.at)).body.target_branch).toBe('other')
  expect((await api.get(other.at)).body.state).toBe('closed')
})

test('a stack is read from the branches, from the lowest to the highest, and circles end', () => {
  const row = (id: number, source_branch: string, target_branch: string, ...change_ids: string[]) => {
    return { id, iid: id, title: '', source_branch, target_branch, isOwn: true, change_ids }
  }
  const open = [row(1, 'c', 'b'), row(2, 'a', 'main'), row(3, 'b', 'a'), row(4, 'd', 'b'), row(5, 'alone', 'main')]
  const idsOf = (id: number) => stackOf(id, open).map((one) => one.id)
  expect([1, 2, 3].map(idsOf)).toEqual([
    [2, 3, 1],
    [2, 3, 1],
    [2, 3, 1],
  ])
  expect([idsOf(4), idsOf(5), idsOf(6)]).toEqual([[2, 3, 4], [], []])
  expect(stackOf(1, [row(1, 'x', 'y'), row(2, 'y', 'x')]).map(({ id }) => id)).toEqual([2, 1])
  // A branch of a fork has the name of a target, and says nothing.
  const ofFork = { ...row(7, 'main', 'main', 'I1', 'I2'), isOwn: false }
  expect(stackOf(8, [ofFork, row(8, 'topic', 'main')])).toEqual([])
  // Branches made anew, by their changes; of many with the same change the oldest counts, and into another branch is another stack.
  const copies = Array.from({ length: 100 }, (_, index) => row(10 + index, `copy-${index}`, 'main', 'I1'))
  const remade = [row(3, 'three', 'main', 'I1', 'I2', 'I3'), row(2, 'two', 'main', 'I1', 'I2'), row(4, 'back', 'stable', 'I1'), ...copies]
  const stacked = (one: number) => stackOf(one, remade).map(({ id }) => id)
  expect([2, 3, 10, 109, 4].map(stacked)).toEqual([[10, 2, 3], [10, 2, 3], [10, 2, 3], [109, 2, 3], []])
})
