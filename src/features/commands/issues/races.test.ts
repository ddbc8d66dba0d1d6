/** Changes of one issue at the same time: each keeps what the others have done. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let project: TestProject
let at: string

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({ owner, files: null })
  at = `/projects/${project.id}/issues`
})

const names = Array.from({ length: 8 }, (_, index) => `label ${index}`)
const label = async (name: string): Promise<number> =>
  (await forge.as(owner).post(`/projects/${project.id}/labels`, { name, color: 'red' })).body.id

test('labels that are added and removed at once are all added and removed', async () => {
  for (const name of names) await label(name)
  const { iid } = await forge.issue(project, owner)
  const one = `${at}/${iid}`
  const added = await Promise.all(names.map((name) => forge.as(owner).put(one, { add_labels: name })))
  expect(added.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect((await forge.as(owner).get(one)).body.labels).toEqual(names)
  await Promise.all(names.slice(1).map((name) => forge.as(owner).put(one, { remove_labels: name })))
  expect((await forge.as(owner).get(one)).body.labels).toEqual(names.slice(0, 1))
  await Promise.all(names.map((name) => forge.as(owner).post(`${one}/notes`, { body: `/label ~"${name}"` })))
  expect((await forge.as(owner).get(one)).body.labels).toEqual(names)
  await Promise.all(names.map((name) => forge.as(owner).post(`${one}/notes`, { body: `/unlabel ~"${name}"` })))
  expect((await forge.as(owner).get(one)).body.labels).toEqual([])
})

test('what is deleted while it is set is set no more, or the change finds it gone', async () => {
  for (let round = 0; round < 6; round += 1) {
    const id = await label(`goes ${round}`)
    const milestone = (await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: `Goes ${round}` })).body
    const issues = await Promise.all([1, 2, 3, 4].map(() => forge.issue(project, owner)))
    const answers = await Promise.all([
      ...issues.map(({ iid }) =>
        forge.as(owner).put(`${at}/${iid}`, { title: 'Changed', add_labels: `goes ${round}`, milestone_id: milestone.id }),
      ),
      forge.as(owner).delete(`/projects/${project.id}/labels/${id}`),
      forge.as(owner).delete(`/projects/${project.id}/milestones/${milestone.id}`),
      ...issues.map(({ iid }) => forge.as(owner).post(`${at}/${iid}/notes`, { body: `Note\n/label ~"goes ${round}"` })),
      forge.as(owner).post(at, { title: 'New', labels: `goes ${round}`, milestone_id: milestone.id }),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status >= 400 && status !== 404)).toEqual([])
  }
})

test('a change during the deletion of an issue either succeeds or gets 404', async () => {
  for (let round = 0; round < 4; round += 1) {
    const [{ iid }, other] = [await forge.issue(project, owner), await forge.issue(project, owner)]
    const one = `${at}/${iid}`
    const answers = await Promise.all([
      forge.as(owner).post(`${one}/notes`, { body: `See #${other.iid}` }),
      forge.as(owner).post(`${one}/award_emoji`, { name: 'thumbsup' }),
      forge.as(owner).post(`${one}/unsubscribe`),
      forge.as(owner).delete(one),
      forge.as(owner).post(`${one}/todo`),
      forge.as(owner).post(`${one}/links`, { target_project_id: project.id, target_issue_iid: other.iid }),
      forge.as(owner).post(`${one}/add_spent_time`, { duration: '1h' }),
      forge.as(owner).post(`${at}/${other.iid}/notes`, { body: `See #${iid}\n/duplicate #${iid}` }),
      forge.as(owner).put(one, { state_event: 'close', assignee_ids: [owner.id] }),
    ])
    expect(answers.map(({ status }, index) => [index, status]).filter(([, status = 0]) => status >= 500)).toEqual([])
  }
})
