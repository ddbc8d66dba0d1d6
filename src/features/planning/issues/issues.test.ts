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
