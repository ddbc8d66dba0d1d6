/** The issues of a milestone: which, in which order, and for whom. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let owner: TestUser
beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

test.each(['project', 'group'] as const)(
  'the issues and merge requests of a milestone of a %s: those with labels of high priority first',
  async (kind) => {
    const group = await forge.group({ owner })
    const project = await forge.project({ group })
    const client = forge.as(owner)
    const labels = `/projects/${project.id}/labels`
    const label = async (name: string, priority?: number) => (await client.post(labels, { name, color: 'red', priority })).body.id as number
    const [first, second, none] = [await label('one', 1), await label('two', 2), await label('three')]
    const url = kind === 'project' ? `/projects/${project.id}/milestones` : `/groups/${group.id}/milestones`
    const { body: milestone } = await client.post(url, { title: '1.0' })
    const fields = { milestone_id: milestone.id }
    const iids = []
    const mergeRequestIids = []
    for (const [index, label_ids] of [[none], [first, second], [second], []].entries()) {
      iids.push((await forge.issue(project, owner, { ...fields, label_ids })).iid)
      await git(project.dir, 'branch', `topic-${index}`, 'main')
      mergeRequestIids.push((await forge.mergeRequest(project, owner, { ...fields, label_ids, source_branch: `topic-${index}` })).iid)
    }
    await forge.issue(project, owner)

    const listed = await client.get(`${url}/${milestone.id}/issues`)
    expect([listed.status, listed.body.map(({ iid }: { iid: number }) => iid)]).toEqual([200, [iids[1], iids[2], iids[3], iids[0]]])
    expect(listed.body[0].milestone).toEqual(milestone)
    expect(listed.headers['x-total']).toBe('4')
    const requests = await client.get(`${url}/${milestone.id}/merge_requests`)
    expect([requests.status, requests.body.map(({ iid }: { iid: number }) => iid)]).toEqual([
      200,
      [mergeRequestIids[1], mergeRequestIids[2], mergeRequestIids[3], mergeRequestIids[0]],
    ])
    expect((await client.get(`${url}/${milestone.id + 1000}/issues`)).status).toBe(404)
    const costOf = (per_page: number) => forge.cost(() => client.get(`${url}/${milestone.id}/issues?per_page=${per_page}`))
    expect(await costOf(1)).toEqual(await costOf(4))
  },
)

test('confidential issues, and those of hidden projects, are left out', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const open = await forge.project({ group, visibility: 'public', files: null })
  const hidden = await forge.project({ group, files: null })
  const { body: milestone } = await forge.as(owner).post(`/groups/${group.id}/milestones`, { title: '1.0' })
  const fields = { milestone_id: milestone.id }
  const seen = await forge.issue(open, owner, fields)
  const secret = await forge.issue(open, owner, { ...fields, confidential: true })
  const inHidden = await forge.issue(hidden, owner, fields)
  const idsFor = async (user: TestUser) => {
    const { body, headers } = await forge.as(user).get(`/groups/${group.id}/milestones/${milestone.id}/issues`)
    return [headers['x-total'], body.map(({ id }: { id: number }) => id)]
  }
  expect(await idsFor(owner)).toEqual(['3', [inHidden.id, secret.id, seen.id]])
  expect(await idsFor(await forge.user())).toEqual(['1', [seen.id]])
})
