/** A project that leaves a group keeps copies of the group's labels and milestones that it uses. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

test('a project that leaves its group takes the labels and milestones along that it uses', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const [group, other] = [await forge.group({ owner }), await forge.group({ owner })]
  const project = await forge.project({ group, files: null })
  const client = forge.as(owner)
  const idOf = async (path: string, body: object) => (await client.post(path, body)).body.id as number
  const label = (place: object & { id: number }, name: string) => idOf(`/groups/${place.id}/labels`, { name, color: '#123456' })
  const [own, known, unused] = [await label(group, 'own'), await label(group, 'known'), await label(group, 'unused')]
  const there = await label(other, 'known')
  const milestone_id = await idOf(`/groups/${group.id}/milestones`, { title: '1.0', due_date: '2030-01-01' })
  const issue = await forge.issue(project, owner, { label_ids: [own, known], milestone_id })
  await client.put(`/projects/${project.id}/labels/${own}`, { priority: 1 })
  const board = await idOf(`/projects/${project.id}/boards`, { name: 'Board' })
  for (const label_id of [own, known]) await client.post(`/projects/${project.id}/boards/${board}/lists`, { label_id })
  const stays = await forge.issue(await forge.project({ group, files: null }), owner, { label_ids: [own], milestone_id })

  expect((await client.put(`/projects/${project.id}/transfer`, { namespace: other.id })).status).toBe(200)

  const moved = (await client.get(`/projects/${project.id}/issues/${issue.iid}?with_labels_details=true`)).body
  expect([moved.labels, moved.milestone]).toMatchObject([
    ['known', 'own'],
    { title: '1.0', project_id: project.id, due_date: '2030-01-01', iid: 1 },
  ])
  const { body: labels } = await client.get(`/projects/${project.id}/labels`)
  expect(labels.map(({ id, name, is_project_label }: Record<string, unknown>) => [id === there, name, is_project_label])).toEqual([
    [true, 'known', false],
    [false, 'own', true],
  ])
  expect(labels.some(({ id }: { id: number }) => id === unused)).toBe(false)
  const lists = (await client.get(`/projects/${project.id}/boards/${board}/lists`)).body
  expect(lists.map((list: { label: { id: number } }) => list.label.id)).toEqual([labels[1].id, there])
  const left = (await client.get(`/projects/${stays.project_id}/issues/${stays.iid}`)).body
  expect([left.labels, left.milestone.id]).toEqual([['own'], milestone_id])
})
