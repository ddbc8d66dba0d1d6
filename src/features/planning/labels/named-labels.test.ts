/** Labels as issues name them, and labels that become those of a group. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import { findLabelsByIds, findLabelsByTitles, findOrCreateLabels, titlesIn } from './labels.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

async function setUp() {
  const group = await forge.group({ owner })
  const project = await forge.project({ group, files: null })
  const client = forge.as(owner)
  const create = async (place: string, name: string) => (await client.post(`/${place}/labels`, { name, color: 'red' })).body.id as number
  return { group, project, client, ofGroup: await create(`groups/${group.id}`, 'shared'), create }
}

test('titles are separated by commas; spaces around them, and repeated ones, don’t count', () => {
  expect(titlesIn(' one, two,,one ,"three four", ')).toEqual(['one', 'two', '"three four"'])
  expect(titlesIn(['a,b', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  expect(titlesIn('')).toEqual([])
})

describe('labels named by title', () => {
  const find = (project: Awaited<ReturnType<typeof setUp>>['project'], titles: string[], level = 20) =>
    inTransaction(forge.app.db, async (tx) => (await findOrCreateLabels(tx, { project, level }, titles)).map(({ title }) => title))

  test('are found in the project and the groups above, and created where there are none', async () => {
    const { project, ofGroup } = await setUp()
    expect(await find(project, ['new', 'shared', 'say "yes"'])).toEqual(['new', 'shared', 'say "yes"'])
    const found = await findLabelsByTitles(forge.app.db, project, ['shared', 'new', 'unknown', 'a,b'])
    expect(found.map(({ title, project_id, color }) => [title, project_id, color])).toEqual([
      ['shared', null, '#FF0000'],
      ['new', project.id, '#428BCA'],
    ])
    expect((await findLabelsByIds(forge.app.db, project, [ofGroup, 99_999])).map(({ id }) => id)).toEqual([ofGroup])
    const elsewhere = await setUp()
    expect(await findLabelsByIds(forge.app.db, elsewhere.project, [ofGroup])).toEqual([])
  })

  test('are left out for those who may not create labels', async () => {
    const { project } = await setUp()
    expect(await find(project, ['new', 'shared'], 10)).toEqual(['shared'])
    expect(await findLabelsByTitles(forge.app.db, project, ['new'])).toEqual([])
  })

  test('are created once when many name them at once', async () => {
    const { project } = await setUp()
    const found = await Promise.all(Array.from({ length: 6 }, () => find(project, ['x', 'y'])))
    expect(found).toEqual(Array.from({ length: 6 }, () => ['x', 'y']))
  })

  test('are refused where no label can have the title, and where they are too many, and none is created', async () => {
    const { project } = await setUp()
    const message = async (titles: string[]) => find(project, titles).catch((error) => error.message)
    expect(await message(['fine', 'x'.repeat(256)])).toBe('{"labels":["is too long (maximum is 255 characters)"]}')
    expect(await message(['fine', 'a\u0000b'])).toBe('{"labels":["is invalid"]}')
    expect(await message(Array.from({ length: 501 }, (_, index) => `n${index}`))).toBe('{"labels":["are too many (maximum is 500)"]}')
    expect(await findLabelsByTitles(forge.app.db, project, ['fine', 'n1'])).toEqual([])
    expect(await find(project, ['x'.repeat(255)])).toHaveLength(1)
  })
})

describe('promotion', () => {
  test('replaces the labels with its title in all projects of the group by one group label, also where they are used', async () => {
    const { group, project, client, create } = await setUp()
    const other = await forge.project({ group, files: null })
    const [one, two] = [await create(`projects/${project.id}`, 'bug'), await create(`projects/${other.id}`, 'bug')]
    await client.put(`/projects/${other.id}/labels/${two}`, { priority: 3 })
    await client.post(`/projects/${other.id}/labels/${two}/subscribe`)
    const issues = [
      await forge.issue(project, owner, { label_ids: [one] }),
      await forge.issue(other, owner, { label_ids: [two] }),
      await forge.issue(other, owner, { label_ids: [one, two] }),
    ]
    const { body: board } = await client.post(`/projects/${other.id}/boards`, { name: 'Board' })
    await client.post(`/projects/${other.id}/boards/${board.id}/lists`, { label_id: two })

    const promoted = await client.put(`/projects/${project.id}/labels/${one}/promote`)
    expect([promoted.status, promoted.body]).toEqual([200, expect.objectContaining({ id: one, name: 'bug', is_project_label: false })])
    for (const { project_id, iid } of issues)
      expect((await client.get(`/projects/${project_id}/issues/${iid}`)).body.labels).toEqual(['bug'])
    const seen = await client.get(`/projects/${other.id}/labels/bug`)
    expect(seen.body).toMatchObject({ id: one, priority: 3, subscribed: true, is_project_label: false, open_issues_count: 2 })
    const lists = await client.get(`/projects/${other.id}/boards/${board.id}/lists`)
    expect(lists.body.map(({ label }: { label: { id: number } }) => label.id)).toEqual([one])
    const events = await client.get(`/projects/${other.id}/issues/${issues[1]?.iid}/resource_label_events`)
    expect(events.body[0].label.id).toBe(one)
    expect((await client.get(`/groups/${group.id}/labels/bug`)).body.id).toBe(one)
  })

  test('merges it into the label that the group has already', async () => {
    const { project, client, ofGroup, create } = await setUp()
    // Created while the group had none of this name.
    const own = await create(`projects/${project.id}`, 'mine')
    await client.put(`/projects/${project.id}/labels/${own}`, { new_name: 'shared' })
    const issue = await forge.issue(project, owner, { label_ids: [own, ofGroup] })
    const promoted = await client.put(`/projects/${project.id}/labels/${own}/promote`)
    expect([promoted.status, promoted.body.id]).toEqual([200, ofGroup])
    expect((await client.get(`/projects/${project.id}/issues/${issue.iid}`)).body.labels).toEqual(['shared'])
    expect((await client.put(`/projects/${project.id}/labels/${own}/promote`)).status).toBe(404)
  })

  test('is refused without a group, and to those who are no reporters of the group', async () => {
    const own = await forge.project({ owner, files: null })
    const { body } = await forge.as(owner).post(`/projects/${own.id}/labels`, { name: 'bug', color: 'red' })
    const alone = await forge.as(owner).put(`/projects/${own.id}/labels/${body.id}/promote`)
    expect([alone.status, alone.body]).toEqual([400, { message: 'Failed to promote project label to group label' }])
    const maintainer = await forge.user()
    const project = await forge.project({ group: await forge.group({ owner }), maintainer, files: null })
    const created = await forge.as(maintainer).post(`/projects/${project.id}/labels`, { name: 'bug', color: 'red' })
    expect((await forge.as(maintainer).put(`/projects/${project.id}/labels/${created.body.id}/promote`)).status).toBe(403)
  })
})

test('in an archived project labels are read, and not changed; without issues and merge requests they are hidden', async () => {
  const own = await forge.project({ owner, files: null })
  const client = forge.as(owner)
  const url = `/projects/${own.id}/labels`
  const { body } = await client.post(url, { name: 'one', color: 'red' })
  await client.post(`/projects/${own.id}/archive`)
  expect((await client.get(url)).body).toEqual([body])
  expect((await client.post(url, { name: 'two', color: 'red' })).status).toBe(403)
  expect((await client.put(`${url}/${body.id}`, { new_name: 'two' })).status).toBe(403)
  expect((await client.delete(`${url}/${body.id}`)).status).toBe(403)
  await client.post(`/projects/${own.id}/unarchive`)
  await client.put(`/projects/${own.id}`, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' })
  expect((await client.get(url)).status).toBe(403)
})
