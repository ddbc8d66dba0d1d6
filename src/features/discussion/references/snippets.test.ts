/** References to snippets: `$3` and addresses, as far as the reader sees the snippet. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user()])
  project = await forge.project({ owner, guest, visibility: 'public', files: null })
})

const snippetIn = async (place: TestProject, visibility = 'public', author = owner) => {
  const fields = { title: 'A "title" <b>', file_name: 'a', content: 'a', visibility }
  return (await forge.as(author).post(`/projects/${place.id}/snippets`, fields)).body.id as number
}
const render = async (user: TestUser, text: string, where = project) =>
  (await forge.as(user).post('/markdown', { text, gfm: true, project: where.full_path })).body.html as string
const links = (html: string) => [...html.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, url, words]) => `${words} → ${url}`)
const home = (where = project) => `http://gitstead.test/${where.full_path}`

test('snippets are linked by id, path and address, those of other projects by their path', async () => {
  const sibling = await forge.project({ owner, visibility: 'public', files: null })
  const [own, other] = [await snippetIn(project), await snippetIn(sibling)]
  const address = `${home()}/snippets/${own}`
  const html = await render(owner, `$${own} ${sibling.path}$${other} ${address}#note_7 [words](${home()}/-/snippets/${own}) $999999`)
  expect(links(html)).toEqual([
    `$${own} → ${address}`,
    `${sibling.path}$${other} → ${home(sibling)}/snippets/${other}`,
    `$${own} (comment 7) → ${address}#note_7`,
    `words → ${address}`,
  ])
  expect(html).toContain('title="A &quot;title&quot; &lt;b&gt;"')
  expect(html).toContain(`data-reference-type="snippet" data-project="${project.id}" data-snippet="${own}"`)
  expect(html).toContain(' $999999')
})

test('an id is looked for in the project that is named: not in another, and not among personal snippets', async () => {
  const sibling = await forge.project({ owner, visibility: 'public', files: null })
  const other = await snippetIn(sibling)
  const personal = await forge.as(owner).post('/snippets', { title: 'Mine', file_name: 'a', content: 'a', visibility: 'public' })
  expect(links(await render(owner, `$${other} $${personal.body.id}`))).toEqual([])
})

test('who does not see a snippet gets the text that was written', async () => {
  const hidden = await snippetIn(project, 'private')
  const off = await forge.project({ owner, visibility: 'public', files: null })
  const inOff = await snippetIn(off)
  await forge.as(owner).put(`/projects/${off.id}`, { snippets_access_level: 'disabled' })
  const text = `$${hidden} ${off.full_path}$${inOff}`
  expect(links(await render(stranger, text))).toEqual([])
  expect(links(await render(guest, text))).toEqual([`$${hidden} → ${home()}/snippets/${hidden}`])
  const elsewhere = await forge.project({ owner, visibility: 'public', files: null })
  expect(links(await render(stranger, `${project.full_path}$${hidden}`, elsewhere))).toEqual([])
  expect(links(await render(guest, `${project.full_path}$${hidden}`, elsewhere))).toHaveLength(1)
})

test('an issue that moves takes references to snippets and merge requests along', async () => {
  const target = await forge.project({ owner, visibility: 'public', files: null })
  const own = await snippetIn(project)
  const issue = await forge.issue(project, owner, { description: `See $${own} and $999999` })
  const moved = await forge.as(owner).post(`/projects/${project.id}/issues/${issue.iid}/move`, { to_project_id: target.id })
  expect(moved.body.description).toBe(`See ${project.path}$${own} and $999999`)
})

test('any number of snippets costs the same statements', async () => {
  const ids = []
  for (let index = 0; index < 20; index++) ids.push(await snippetIn(project))
  const costs = []
  for (const text of [`$${ids[0]}`, ids.map((id) => `$${id}`).join(' ')])
    costs.push((await forge.cost(() => render(owner, text))).statements)
  expect(costs[1]).toBe(costs[0])
})

const toldOn = async (place: TestProject, iid: number, user = owner) =>
  (await forge.as(user).get(`/projects/${place.id}/issues/${iid}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body)
const comment = (place: TestProject, id: number, body: string, more: object = {}) =>
  forge.as(owner).post(`/projects/${place.id}/snippets/${id}/notes`, { body, ...more })

test('a comment on a snippet leaves one note on each thing that it mentions, and no to-do item', async () => {
  const sibling = await forge.project({ owner, visibility: 'public', files: null })
  const [near, far] = [await forge.issue(project, owner), await forge.issue(sibling, owner)]
  const id = await snippetIn(project)
  const { body: note } = await comment(project, id, `See #${near.iid} and ${sibling.path}#${far.iid}, @${guest.username}`)
  await comment(project, id, `Again #${near.iid}`)
  expect(await toldOn(project, near.iid)).toEqual([`mentioned in snippet $${id}`])
  expect(await toldOn(sibling, far.iid)).toEqual([`mentioned in snippet ${project.path}$${id}`])
  const other = await forge.issue(project, owner)
  await forge.as(owner).put(`/projects/${project.id}/snippets/${id}/notes/${note.id}`, { body: `Rather #${other.iid}` })
  expect(await toldOn(project, other.iid)).toEqual([`mentioned in snippet $${id}`])
  expect((await forge.as(guest).get('/todos')).body).toEqual([])
})

test('a note that tells of a snippet is for those who see the snippet, and goes with it', async () => {
  const issue = await forge.issue(project, owner)
  const [open, hidden] = [await snippetIn(project), await snippetIn(project, 'private')]
  for (const id of [open, hidden]) await comment(project, id, `#${issue.iid}`)
  const both = [`mentioned in snippet $${open}`, `mentioned in snippet $${hidden}`]
  expect(await Promise.all([owner, guest, stranger].map((user) => toldOn(project, issue.iid, user)))).toEqual([
    both,
    both,
    both.slice(0, 1),
  ])
  expect((await forge.as(stranger).get(`/projects/${project.id}/issues/${issue.iid}/participants`)).body).toHaveLength(1)
  await forge.as(owner).delete(`/projects/${project.id}/snippets/${open}`)
  expect(await toldOn(project, issue.iid)).toEqual(both.slice(1))
})

test('an internal comment on a snippet leaves no note', async () => {
  const issue = await forge.issue(project, owner)
  await comment(project, await snippetIn(project), `#${issue.iid}`, { internal: true })
  expect(await toldOn(project, issue.iid)).toEqual([])
})
