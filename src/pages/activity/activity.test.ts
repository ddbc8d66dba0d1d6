/** The activity page of a project: sentences, who sees which, filters, pages, what it costs. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let project: TestProject
const oid = (letter: string) => letter.repeat(40)

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ name: 'Ada <i>' })
  project = await forge.project({ owner, visibility: 'public', files: null })
  await forge.app.db.deleteFrom('events').where('project_id', '=', project.id).execute()
})

const show = async (query = '') => (await browserOf(forge.server).get(`/${project.full_path}/activity${query}`)).text
const plain = (text: string) => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')

async function record(rows: Array<Record<string, unknown>>) {
  const at = new Date().toISOString()
  const base = { project_id: project.id, author_id: owner.id, created_at: at }
  await forge.app.db
    .insertInto('events')
    .values(rows.map((row) => ({ ...base, ...row })) as never)
    .execute()
}

test('a project where nothing has happened says so', async () => {
  expect(await show()).toContain('Nothing has happened here yet')
})

test('each event is a sentence, with hostile names as text', async () => {
  await record([
    { action: 'joined' },
    { action: 'left' },
    { action: 'expired' },
    { action: 'commented', target_type: 'Note' },
    { action: 'pushed', ref: 'refs/heads/new', before_oid: null, after_oid: oid('a') },
    {
      action: 'pushed',
      ref: 'refs/heads/a/<b>\u202e"',
      before_oid: oid('a'),
      after_oid: oid('b'),
      commit_count: 3,
      commit_title: 'Fix <script>',
    },
    { action: 'pushed', ref: 'refs/tags/v1', before_oid: oid('a'), after_oid: null },
  ])
  const text = await show()
  expect(readDocument(text).faults).toEqual([])
  expect(text).not.toMatch(/<script>\s*<|<b>\u202e/)
  const words = plain(text)
  for (const sentence of [
    'Ada &lt;i&gt; joined the project',
    'left the project',
    'the membership expired',
    'commented on a commit',
    'created branch new',
    'pushed 3 commits to branch a/&lt;b&gt;\u202e&quot;',
    'deleted tag v1',
    'Fix &lt;script&gt;',
  ]) {
    expect(words).toContain(sentence)
  }
  expect(text).toContain(`href="/${project.full_path}/commits/a/%3Cb%3E%E2%80%AE%22"`)
  // A deleted branch or tag has no page to link to.
  expect(text).not.toContain(`/${project.full_path}/tree/v1`)
})

test('what happens to issues and milestones leads to them, hidden ones are left out, and notes are cut to a line', async () => {
  const issue = await forge.issue(project, owner, { title: 'Engine <b>' })
  const secret = await forge.issue(project, owner, { title: 'Nobody knows', confidential: true })
  const at = new Date().toISOString()
  const row = { project_id: project.id, author_id: owner.id, discussion_id: 'a'.repeat(40), created_at: at, updated_at: at }
  const { id: note_id } = await forge.app.db
    .insertInto('notes')
    .values({ ...row, issue_id: issue.id, body: `First <i>line</i>\nSecond line` })
    .returning('id')
    .executeTakeFirstOrThrow()
  const milestone = { iid: 1, title: 'v<1>', created_at: at, updated_at: at, project_id: project.id }
  const { id: milestone_id } = await forge.app.db.insertInto('milestones').values(milestone).returning('id').executeTakeFirstOrThrow()
  await record([
    { action: 'commented', target_type: 'Note', issue_id: issue.id, note_id },
    { action: 'closed', target_type: 'Issue', issue_id: secret.id },
    { action: 'reopened', target_type: 'Issue', issue_id: issue.id },
    { action: 'destroyed', target_type: 'Milestone' },
    { action: 'created', target_type: 'Milestone', milestone_id },
    { action: 'created' },
  ])
  const text = await show()
  const words = plain(text)
  for (const sentence of [
    'opened issue #1 Engine &lt;b&gt;',
    'commented on issue #1 Engine &lt;b&gt;',
    'First &lt;i&gt;line&lt;/i&gt;',
    'reopened issue #1',
    'deleted a milestone',
    'opened milestone v&lt;1&gt;',
    'created the project',
  ])
    expect(words).toContain(sentence)
  expect(text).toContain(`href="/${project.full_path}/issues/1#note_${note_id}"`)
  expect(text).toContain(`href="/${project.full_path}/milestones/1"`)
  expect(words).not.toMatch(/Nobody knows|Second line/)
  expect(plain(await show('?event_filter=issue'))).not.toContain('commented on')
})

test('a filter shows one kind, and its pages keep it', async () => {
  await record(Array.from({ length: 25 }, (_, index) => ({ action: 'joined', created_at: new Date(1e12 + index * 1000).toISOString() })))
  const team = await show('?event_filter=team')
  expect(plain(team)).not.toContain('pushed')
  expect(team).toContain(`href="/${project.full_path}/activity?event_filter=team&amp;page=2"`)
  expect(plain(await show('?event_filter=team&page=2'))).toContain('joined')
  expect((await browserOf(forge.server).get(`/${project.full_path}/activity?event_filter=what`)).status).toBe(400)
})

test('a long list costs as many statements as a short one', async () => {
  const long = await forge.cost(() => show())
  const short = await forge.cost(() => show('?event_filter=comments'))
  expect([long, long.processes]).toEqual([short, 0])
})
