/** Events of wiki pages: who did what to which, as those see it who may read the wiki. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { recordWikiPush } from '../../repository/pushes/pushes.ts'
import { recordPagesJob } from './activity.jobs.ts'

let forge: Forge
let ada: TestUser
let guest: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[ada, guest] = await Promise.all([forge.user(), forge.user()])
})

const eventsOf = async (project: TestProject, as = ada, filter = '?target_type=wiki') =>
  (await forge.as(as).get(`/projects/${project.id}/events${filter}`)).body
const told = (events: Array<{ action_name: string; target_title: string }>) =>
  events.map(({ action_name, target_title }) => `${action_name} ${target_title}`)

async function written(project: TestProject) {
  const at = `/projects/${project.id}/wikis`
  await forge.as(ada).post(at, { title: 'animals/Red Panda', content: 'one' })
  await forge.drain()
  await forge.as(ada).put(`${at}/animals%2FRed-Panda`, { content: 'two' })
  await forge.drain()
  await forge.as(ada).delete(`${at}/animals%2FRed-Panda`)
  await forge.drain()
}

test('pages that are created, changed and deleted are events, as clients know them', async () => {
  const project = await forge.project({ owner: ada, files: null })
  await written(project)

  const events = await eventsOf(project)

  expect(told(events)).toEqual(['destroyed Red Panda', 'updated Red Panda', 'created Red Panda'])
  expect(events[2]).toMatchObject({
    target_type: 'WikiPage::Meta',
    target_id: null,
    target_iid: null,
    author_username: ada.username,
    wiki_page: { slug: 'animals/Red-Panda', title: 'Red Panda', format: 'markdown' },
  })
  expect(told(await eventsOf(project, ada, '?action=updated'))).toEqual(['updated Red Panda'])
  expect((await eventsOf(project, ada, '?action=created'))[0].wiki_page).toBeDefined()
})

test('a push by git tells of each page once, however often its job runs, and of no other file or branch', async () => {
  const project = await forge.project({ owner: ada, files: null })
  await forge.as(ada).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'one' })
  await forge.drain()
  const { id: wiki_id } = await forge.app.db.selectFrom('wikis').select('id').where('project_id', '=', project.id).executeTakeFirstOrThrow()
  const { dir } = forge.app.git.openWiki(wiki_id)
  const [head, before] = [await git(dir, 'symbolic-ref', 'HEAD'), await git(dir, 'rev-parse', 'HEAD')]
  const blob = await git(dir, 'rev-parse', 'HEAD:home.md')
  const tree = (...entries: string[]) => gitWriting(dir, entries.map((entry) => `${entry}\n`).join(''), 'mktree')
  const file = (name: string) => `100644 blob ${blob}\t${name}`
  const uploads = await tree(file('a.md'))
  const root = await tree(...['home.md', 'b.adoc', '_sidebar.md', 'image.png'].map(file), `040000 tree ${uploads}\tuploads`)
  const after = await git(dir, 'commit-tree', '-p', before, '-m', 'More', root)
  await git(dir, 'update-ref', head, after)
  const changes = [
    { ref: 'refs/heads/draft', before, after },
    { ref: head, before, after },
  ]
  await recordWikiPush(forge.app, { wiki_id, user_id: ada.id }, changes, null)
  await forge.drain()
  await recordPagesJob.handle(forge.app, { wiki_id, user_id: ada.id, at: '2026-01-01T00:00:00.000Z', changes })

  expect(told(await eventsOf(project))).toEqual(['created b', 'created home'])
})

test('who may not read the wiki gets no event of it', async () => {
  const project = await forge.project({ owner: ada, guest, visibility: 'public', files: null })
  await written(project)
  const stranger = await forge.user()
  const seenBy = async () => Promise.all([ada, guest, stranger].map(async (user) => (await eventsOf(project, user)).length))
  expect(await seenBy()).toEqual([3, 3, 3])
  await forge.as(ada).put(`/projects/${project.id}`, { wiki_access_level: 'private' })
  expect(await seenBy()).toEqual([3, 3, 0])
  expect(
    (await forge.as(stranger).get(`/users/${ada.id}/events?target_type=wiki`)).body.filter(
      ({ project_id }: { project_id: number }) => project_id === project.id,
    ),
  ).toEqual([])
  await forge.as(ada).put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
  expect(await seenBy()).toEqual([0, 0, 0])
})

test('the activity of a project and its feed tell of pages, with links to those that are there', async () => {
  const project = await forge.project({ owner: ada, visibility: 'public', files: null })
  await forge.as(ada).post(`/projects/${project.id}/wikis`, { title: 'a <b> & c', content: 'one' })
  await written(project)
  const browser = browserOf(forge.server)
  const page = await browser.get(`/${project.full_path}/activity?event_filter=wiki`)
  const link = `/${project.full_path}/wikis/a-%3Cb%3E-%26-c`
  expect([page.status, page.text.includes(`created wiki page <a href="${link}"`)]).toEqual([200, true])
  expect(page.text).toContain('deleted wiki page')
  expect(page.text).not.toContain('<b> &')
  const feed = await browser.get(`/${project.full_path}.atom`)
  expect(feed.text).toContain('created wiki page a &amp;lt;b&amp;gt; &amp;amp; c')
})
