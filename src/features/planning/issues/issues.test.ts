/** One issue: what is shown of it, and to whom. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

test('a confidential issue is seen by its author, its assignees and reporters alone', async () => {
  const [owner, reporter, guest, author, assignee] = await Promise.all([1, 2, 3, 4, 5].map(() => forge.user()))
  if (!owner || !reporter || !guest || !author || !assignee) throw new Error('no users')
  const project = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  const issue = await forge.issue(project, author, { confidential: true, assignee_ids: [assignee.id] })
  const statuses = []
  for (const user of [owner, reporter, author, assignee, guest, await forge.user()])
    statuses.push((await forge.as(user).get(`/projects/${project.id}/issues/${issue.iid}`)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 404, 404])
})

test('an issue links to the one that it duplicates, for those who can see that one', async () => {
  const [owner, guest] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, guest, files: null })
  const hidden = await forge.issue(project, owner, { confidential: true })
  const issue = await forge.issue(project, owner, {})
  const at = `/projects/${project.id}/issues`
  await forge.as(owner).post(`${at}/${issue.iid}/notes`, { body: `/duplicate #${hidden.iid}` })
  const [one, list] = [`${at}/${issue.iid}`, `${at}?iids[]=${issue.iid}`]
  const linkFor = async (user: typeof owner) => {
    const [{ body }, listed] = [await forge.as(user).get(one), await forge.as(user).get(list)]
    return [body._links.closed_as_duplicate_of, listed.body[0]._links.closed_as_duplicate_of]
  }
  const address = `http://gitstead.test/api/v4${at}/${hidden.iid}`
  expect(await linkFor(owner)).toEqual([address, address])
  expect(await linkFor(guest)).toEqual([null, null])
  const before = await forge.cost(() => forge.as(owner).get(at))
  const second = await forge.issue(project, owner, {})
  await forge.as(owner).post(`${at}/${second.iid}/notes`, { body: `/duplicate #${hidden.iid}` })
  expect(await forge.cost(() => forge.as(owner).get(at))).toEqual(before)
})
