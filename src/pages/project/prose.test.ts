/** Long texts on pages: each is shown up to a bound, all together up to another, and the rest is one link away. */
import { expect, test } from 'vitest'
import { signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { testForge } from '../../../test/support/forge.ts'

test('a page of an issue with many of the longest comments shows their beginnings and where all of each is', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const issue = await forge.issue(project, forge.root)
  const body = '<&>"'.repeat(96 * 1024)
  const notes = await forge.app.db
    .insertInto('notes')
    .values(
      Array.from({ length: 8 }, (_, index) => ({
        project_id: project.id,
        author_id: forge.root.id,
        issue_id: issue.id,
        discussion_id: String(index).padStart(40, '0'),
        body,
        created_at: issue.created_at,
        updated_at: issue.created_at,
      })),
    )
    .returning('id')
    .execute()

  const me = await signedIn(forge, forge.root)
  const { text } = await me.get(`/${project.full_path}/issues/${issue.iid}`)
  // Each character of a MiB that is shown takes up to six in the page.
  expect(text.length).toBeLessThan(7 * 1024 * 1024)
  const whole = notes.map(({ id }) => `/api/v4/projects/${project.id}/issues/${issue.iid}/notes/${id}`)
  expect(whole.filter((address) => !text.includes(`<a href="${address}">`))).toEqual([])
  expect(JSON.parse((await me.get(whole.at(-1) ?? '')).text).body).toBe(body)
})

test('a long text is shown as it was written, and a short one has no link', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const long = await forge.issue(project, forge.root, { description: `# Long ${'x'.repeat(300 * 1024)}` })
  const short = await forge.issue(project, forge.root, { description: '# Short' })
  const me = await signedIn(forge, forge.root)
  const pageOf = async (iid: number) => (await me.get(`/${project.full_path}/issues/${iid}`)).text
  expect(await pageOf(long.iid)).toContain(`<a href="/api/v4/projects/${project.id}/issues/${long.iid}">All of it, as JSON</a>`)
  expect(await pageOf(short.iid)).not.toContain('All of it')
})
