/** Reading notes and discussions: their order, their pages, and who sees which. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let author: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  author = await forge.user()
  project = await forge.project({ reporter: author, visibility: 'public', files: null })
})

const at = (iid: number, rest = 'notes') => `/projects/${project.id}/issues/${iid}/${rest}`
const bodies = ({ body }: { body: Array<{ body: string }> }) => body.map((note) => note.body)

test('a note has its author, its noteable and the flags that clients read', async () => {
  const issue = await forge.issue(project, author)
  const note = await forge.note(project, issue, author, { body: 'ünï 😀\n\n**bold**' })

  const { status, body } = await forge.as(author).get(at(issue.iid, `notes/${note.id}`))

  expect([status, body]).toEqual([
    200,
    {
      id: note.id,
      type: null,
      body: 'ünï 😀\n\n**bold**',
      attachment: null,
      author: expect.objectContaining({ id: author.id, username: author.username }),
      created_at: note.created_at,
      updated_at: note.created_at,
      system: false,
      noteable_id: issue.id,
      noteable_type: 'Issue',
      noteable_iid: issue.iid,
      project_id: project.id,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      commands_changes: {},
    },
  ])
})

test('notes are listed newest first, or in the order that is asked for', async () => {
  const issue = await forge.issue(project, author)
  for (const [body, day] of [
    ['b', 2],
    ['a', 1],
    ['c', 3],
  ] as const)
    await forge.note(project, issue, author, { body, created_at: `2018-01-0${day}T00:00:00.000Z` })
  const list = async (query: string) => bodies(await forge.as(author).get(at(issue.iid, `notes${query}`)))
  expect(await list('')).toEqual(['c', 'b', 'a'])
  expect(await list('?sort=asc')).toEqual(['a', 'b', 'c'])
  expect(await list('?sort=asc&order_by=updated_at&per_page=2&page=2')).toEqual(['c'])
  expect(await list('?activity_filter=only_activity')).toEqual([])
})
