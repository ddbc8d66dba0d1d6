/** Creating, editing and deleting issues: who may set what, and what is refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let guest: TestUser
let project: TestProject
let at: string

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, guest] = await Promise.all([forge.user(), forge.user(), forge.user()])
  project = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  at = `/projects/${project.id}/issues`
})

describe('an issue', () => {
  test('is created with everything that a reporter may set, and shown so', async () => {
    const milestone = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'One' })
    const created = await forge.as(reporter).post(at, {
      title: ' New issue ',
      description: 'It is broken',
      labels: 'label, label2,label?,label&foo',
      assignee_ids: [guest.id],
      milestone_id: milestone.body.id,
      due_date: '2031-02-03',
      confidential: 'y',
      discussion_locked: true,
    })
    expect([created.status, created.body]).toMatchObject([
      201,
      {
        iid: 1,
        title: 'New issue',
        description: 'It is broken',
        labels: ['label', 'label&foo', 'label2', 'label?'],
        assignee: { id: guest.id },
        assignees: [{ id: guest.id }],
        author: { id: reporter.id },
        milestone: { id: milestone.body.id },
        due_date: '2031-02-03',
        confidential: true,
        discussion_locked: true,
        state: 'opened',
        subscribed: true,
      },
    ])
    expect((await forge.as(reporter).get(`${at}/${created.body.iid}`)).body).toEqual(created.body)
  })
})
