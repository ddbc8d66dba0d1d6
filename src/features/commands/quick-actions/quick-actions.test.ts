/** Quick actions on issues: in notes and in descriptions, for whom, and what they change. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { today } from '../../../db/instants.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let author: TestUser
let project: TestProject
let at: string

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, author] = await Promise.all([forge.user(), forge.user(), forge.user()])
  project = await forge.project({ owner, reporter, visibility: 'public', files: null })
  at = `/projects/${project.id}/issues`
  for (const name of ['bug', 'in progress', 'ui']) await forge.as(owner).post(`/projects/${project.id}/labels`, { name, color: 'red' })
  await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'Next release' })
})

/** Runs the actions in a note on an issue; the reply, and the issue afterwards. */
async function act(user: TestUser, iid: number, body: string) {
  const { status, body: reply } = await forge.as(user).post(`${at}/${iid}/notes`, { body })
  return { status, reply, issue: (await forge.as(owner).get(`${at}/${iid}`)).body }
}

const made = async (fields = {}) => (await forge.issue(project, author, fields)).iid

describe('in a note of a reporter', () => {
  test('they change everything at once, and the rest of the text is the note', async () => {
    const iid = await made()
    const body = [
      'Done with it',
      '/close',
      '/title Other title',
      `/assign @${reporter.username}`,
      '/label ~bug ~"in progress"',
      '/milestone %"Next release"',
      '/due 2031-12-31',
      '/estimate 1w 2d',
      '/spend 1h 30m 2018-12-30',
      '/lock',
      '/confidential',
    ].join('\n')
    const { status, reply, issue } = await act(reporter, iid, body)
    expect([status, reply.body]).toEqual([201, 'Done with it'])
    expect(issue).toMatchObject({
      state: 'closed',
      title: 'Other title',
      assignee: { id: reporter.id },
      labels: ['bug', 'in progress'],
      milestone: { title: 'Next release' },
      due_date: '2031-12-31',
      time_stats: { human_time_estimate: '1w 2d', human_total_time_spent: '1h 30m' },
      discussion_locked: true,
      confidential: true,
    })
    const undone = await act(
      reporter,
      iid,
      '/unassign\n/unlabel ~bug\n/remove_milestone\n/remove_due_date\n/remove_estimate\n/remove_time_spent\n/unlock',
    )
    expect(undone.issue).toMatchObject({
      assignees: [],
      labels: ['in progress'],
      milestone: null,
      due_date: null,
      time_stats: { time_estimate: 0, total_time_spent: 0 },
      discussion_locked: false,
    })
    expect((await act(reporter, iid, '/reopen\n/unlabel')).issue).toMatchObject({ state: 'opened', labels: [] })
  })

  test('labels are replaced, copied from another issue, and combined in one note', async () => {
    const iid = await made()
    await act(reporter, iid, '/label bug')
    expect((await act(reporter, iid, '/relabel ~ui')).issue.labels).toEqual(['ui'])
    expect((await act(reporter, iid, '/label ~bug\n/unlabel ~ui')).issue.labels).toEqual(['bug'])
    await act(reporter, iid, '/milestone Next release')
    const other = await made()
    expect((await act(reporter, other, `/copy_metadata #${iid}`)).issue).toMatchObject({
      labels: ['bug'],
      milestone: { title: 'Next release' },
    })
  })

  test('spent time is subtracted down to nothing, and not in the future', async () => {
    const iid = await made()
    await act(reporter, iid, '/spend 2h')
    expect((await act(reporter, iid, '/spent -30m')).issue.time_stats.total_time_spent).toBe(5_400)
    for (const argument of ['-2h', '1h 2999-01-01', 'foo', '']) {
      expect((await act(reporter, iid, `Text\n/spend ${argument}`)).issue.time_stats.total_time_spent).toBe(5_400)
    }
    const logged = await forge.app.db
      .selectFrom('time_logs')
      .select(['time_spent', 'spent_at', 'user_id'])
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(logged).toEqual({ time_spent: -1_800, spent_at: today(), user_id: reporter.id })
  })
})

describe('for everybody who can see the issue', () => {
  test('they mark todos, subscribe, and award emoji', async () => {
    const iid = await made()
    const stranger = await forge.user()
    const todos = async () => (await forge.as(stranger).get('/todos')).body.map(({ action_name }: { action_name: string }) => action_name)
    await act(stranger, iid, 'Me too\n/todo')
    expect(await todos()).toEqual(['marked'])
    await act(stranger, iid, '/done')
    expect(await todos()).toEqual([])
    const subscribed = async () => (await forge.as(stranger).get(`${at}/${iid}`)).body.subscribed
    await act(stranger, iid, '/unsubscribe')
    expect(await subscribed()).toBe(false)
    await act(stranger, iid, '/subscribe')
    expect(await subscribed()).toBe(true)
    expect((await act(stranger, iid, '/award :thumbsup:')).issue.upvotes).toBe(1)
    expect((await act(stranger, iid, '/award thumbsup')).issue.upvotes).toBe(0)
    expect((await act(stranger, iid, 'x\n/award :no_such_emoji:')).status).toBe(201)
  })

  test('what they may not do is refused, dropped from the text, and changes nothing', async () => {
    const iid = await made()
    const stranger = await forge.user()
    const before = (await forge.as(owner).get(`${at}/${iid}`)).body
    const all = [
      '/close',
      '/title Mine',
      '/assign me',
      '/label ~bug',
      '/milestone %"Next release"',
      '/due tomorrow',
      '/estimate 1h',
      '/spend 1h',
      '/lock',
      '/confidential',
      `/duplicate #1`,
      `/move ${project.full_path}`,
      '/copy_metadata #1',
      '/tag v1',
    ]
    const alone = await act(stranger, iid, all.join('\n'))
    expect(alone.status).toBe(400)
    const { reply, issue } = await act(stranger, iid, `Text\n${all.join('\n')}`)
    expect(reply.body).toBe('Text')
    expect(issue).toEqual({ ...before, user_notes_count: 1, updated_at: expect.any(String) })
  })

  test('the author may close, reopen and rename, and plan nothing', async () => {
    const iid = await made()
    const { issue } = await act(author, iid, '/close\n/title Renamed\n/label ~bug\n/due tomorrow')
    expect(issue).toMatchObject({ state: 'closed', title: 'Renamed', labels: [], due_date: null })
  })

  test('what does not exist is refused: other users, labels, milestones, dates', async () => {
    const iid = await made()
    const nobody = [
      '/assign @nobody-at-all',
      '/label ~unknown',
      '/milestone %unknown',
      '/due someday',
      '/estimate soon',
      '/duplicate #4000',
    ]
    for (const body of [...nobody, `/duplicate #${iid}`, '/reopen', '/unassign', '/unlock', '/move no/where', '/title'])
      expect([body, (await act(reporter, iid, body)).status]).toEqual([body, 400])
  })
})

test('a duplicate is closed and leads to the other issue, with a note on both', async () => {
  const [one, other] = [await made(), await made()]
  const { issue } = await act(reporter, other, `/duplicate #${one}`)
  expect(issue.state).toBe('closed')
  const notes = async (iid: number) => (await forge.as(owner).get(`${at}/${iid}/notes`)).body.map(({ body }: { body: string }) => body)
  expect(await notes(other)).toContain(`marked this issue as a duplicate of #${one}`)
  expect(await notes(one)).toEqual([`marked #${other} as a duplicate of this issue`])
})

describe('in a description', () => {
  test('they count for a new issue, and leave the text', async () => {
    const description = `It is broken\n/label ~bug\n/assign @${owner.username}\n/milestone %"Next release"\n/due 2031-01-02\n/estimate 2h\n/spend 1h\n/confidential\n/close`
    const { status, body } = await forge.as(reporter).post(at, { title: 'New', description, labels: 'ui' })
    expect([status, body]).toMatchObject([
      201,
      {
        description: 'It is broken',
        labels: ['bug', 'ui'],
        assignee: { id: owner.id },
        milestone: { title: 'Next release' },
        due_date: '2031-01-02',
        time_stats: { time_estimate: 7_200, total_time_spent: 3_600 },
        confidential: true,
        state: 'opened',
      },
    ])
    const { body: plain } = await forge.as(author).post(at, { title: 'New', description: '/label ~bug\nText' })
    expect(plain).toMatchObject({ description: 'Text', labels: [] })
  })

  test('they are run when it is edited', async () => {
    const iid = await made()
    const edited = await forge.as(reporter).put(`${at}/${iid}`, { description: 'Text\n/close\n/label ~bug' })
    expect([edited.status, edited.body]).toMatchObject([200, { description: 'Text', state: 'closed', labels: ['bug'] }])
  })
})

test('an author who may not plan copies no labels and no milestone', async () => {
  const planned = await forge.issue(project, reporter)
  await forge.as(reporter).put(`${at}/${planned.iid}`, { labels: 'bug' })
  const iid = await made()
  const { status, issue } = await act(author, iid, `Like the other\n/copy_metadata #${planned.iid}`)
  expect([status, issue.labels]).toEqual([201, []])
  const alone = await act(author, iid, `/copy_metadata #${planned.iid}`)
  expect([alone.status, alone.reply.message]).toEqual([400, { commands_only: ['Could not apply copy_metadata command.'] }])
  expect((await act(reporter, iid, `/copy_metadata #${planned.iid}`)).issue.labels).toEqual(['bug'])
})
