/** References in rendered Markdown: links for those who can see what they lead to, plain text for all others. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ name: 'Ada "<b>" Lovelace' })
  project = await forge.project({ owner, visibility: 'public' })
})

const render = async (user: TestUser, text: string, where = project) =>
  (await forge.as(user).post('/markdown', { text, gfm: true, project: where.full_path })).body.html as string
const links = (html: string) => [...html.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, url, words]) => `${words} → ${url}`)
const home = (where = project) => `http://gitstead.test/${where.full_path}`

test('users, groups and everybody are linked', async () => {
  const group = await forge.group({ owner, name: 'Makers' })
  const html = await render(owner, `@${owner.username} @${group.full_path} @all @nobody-at-all`)
  expect(links(html)).toEqual([
    `@${owner.username} → http://gitstead.test/${owner.username}`,
    `@${group.full_path} → http://gitstead.test/groups/${group.full_path}`,
    `@all → ${home()}`,
  ])
  expect(html).toContain('title="Ada &quot;&lt;b&gt;&quot; Lovelace"')
  expect(html).toContain(' @nobody-at-all')
})

test('issues are linked by number, path and address, with the note and whether they are closed', async () => {
  const issue = await forge.issue(project, owner, { title: 'A "title" <b>' })
  const sibling = await forge.project({ owner, visibility: 'public', files: null })
  const other = await forge.issue(sibling, owner)
  await forge.as(owner).put(`/projects/${sibling.id}/issues/${other.iid}`, { state_event: 'close' })
  const address = `${home()}/issues/${issue.iid}`
  const html = await render(
    owner,
    `#${issue.iid} ${sibling.path}#${other.iid} ${address}#note_7 [words *here*](${address}) ${project.full_path}#${issue.iid} #999`,
  )
  expect(links(html).map((link) => link.replace(' (closed)', ''))).toEqual([
    `#${issue.iid} → ${address}`,
    `${sibling.path}#${other.iid} → ${home(sibling)}/issues/${other.iid}`,
    `#${issue.iid} (comment 7) → ${address}#note_7`,
    `words <em>here</em> → ${address}`,
    `#${issue.iid} → ${address}`,
  ])
  expect(html).toContain('title="A &quot;title&quot; &lt;b&gt;"')
  expect(html).toContain(`data-reference-type="issue" data-project="${project.id}" data-issue="${issue.id}"`)
  expect(html).toContain(' #999')
})

test('labels are linked by number and title', async () => {
  const label = await forge.as(owner).post(`/projects/${project.id}/labels`, { name: 'needs work', color: '#ff0000' })
  const html = await render(owner, `~"needs work" ~${label.body.id} ~nothing`)
  for (const one of ['~"needs work"', `~${label.body.id}`]) expect(links(await render(owner, one)).length).toBe(1)
  const url = `${home()}/issues?label_name[]=needs%20work`
  expect(links(html)).toEqual([`needs work → ${url}`, `needs work → ${url}`])
})

test('commits and ranges are linked by their short ids', async () => {
  const where = await forge.project({
    owner,
    commits: [
      { message: 'First', files: { a: '1' } },
      { message: 'Next', files: { a: '2' } },
    ],
  })
  const [first, next] = [await git(where.dir, 'rev-parse', 'main~1'), await git(where.dir, 'rev-parse', 'main')]
  const html = await render(owner, `${next} ${first.slice(0, 7)}...${next.slice(0, 9)} ${where.full_path}@${first} deadbeef`, where)
  expect(links(html)).toEqual([
    `${next.slice(0, 8)} → ${home(where)}/commit/${next}`,
    `${first.slice(0, 8)}...${next.slice(0, 8)} → ${home(where)}/compare/${first}...${next}`,
    `${first.slice(0, 8)} → ${home(where)}/commit/${first}`,
  ])
  expect(html).toContain('title="Next"')
})

test('a short id reveals no commit of merge requests that the reader cannot see; a whole id is known already', async () => {
  const where = await forge.project({ owner, visibility: 'public' })
  await shape(where.dir, [{ branch: 'topic', parents: ['main'], files: { f: 'x' } }])
  const [hidden, shown] = [await git(where.dir, 'rev-parse', 'topic'), await git(where.dir, 'rev-parse', 'main')]
  await git(where.dir, 'update-ref', 'refs/merge-requests/1/head', hidden)
  await git(where.dir, 'update-ref', '-d', 'refs/heads/topic')
  await forge.as(owner).put(`/projects/${where.id}`, { merge_requests_access_level: 'private' })
  const guest = await forge.user()
  const short = `${hidden.slice(0, 9)} ${shown.slice(0, 9)} ${shown.slice(0, 9)}..${hidden.slice(0, 9)}`
  for (const place of [where, project]) {
    const text = place === where ? short : short.replaceAll(/[0-9a-f]{9}(?!\.)/g, (id) => `${where.full_path}@${id}`)
    expect(links(await render(owner, text, place)).length).toBeGreaterThan(1)
    const seen = await render(guest, text, place)
    expect([links(seen).length, seen.includes(hidden)]).toEqual([1, false])
  }
  expect(links(await render(guest, hidden, where))).toHaveLength(1)
})

test('code, links and escaped signs stay as they are', async () => {
  const issue = await forge.issue(project, owner)
  const html = await render(owner, `\`#${issue.iid}\` [#${issue.iid}](https://example.com) \\#${issue.iid}\n\n    #${issue.iid}`)
  expect(links(html)).toEqual([`#${issue.iid} → https://example.com`].map(() => expect.stringContaining('https://example.com')))
})

test('what the reader can’t see is no link, and no title of it is shown', async () => {
  const [hidden, guest] = [await forge.project({ owner }), await forge.user()]
  const secret = await forge.issue(hidden, owner, { title: 'Secret plans' })
  const confidential = await forge.issue(project, owner, { title: 'Secret too', confidential: true })
  const club = await forge.group({ owner, visibility: 'private' })
  const oid = await git(hidden.dir, 'rev-parse', 'main')
  const text = [
    `${hidden.full_path}#${secret.iid}`,
    `#${confidential.iid}`,
    `${home(hidden)}/issues/${secret.iid}`,
    `@${club.full_path}`,
    `${hidden.full_path}@${oid}`,
  ].join(' and ')
  const seen = await render(owner, text)
  const unseen = await render(guest, text)
  expect([links(seen).length, links(unseen)]).toEqual([5, [`${home(hidden)}/issues/${secret.iid} → ${home(hidden)}/issues/${secret.iid}`]])
  expect(unseen).not.toContain('Secret')
  expect(unseen).toContain(`${hidden.full_path}#${secret.iid} and #${confidential.iid}`)
  expect(await render(owner, text)).toBe(seen)
})

test('labels and milestones are hidden from those who can’t use the issues of the project', async () => {
  const [members, guest] = [await forge.project({ owner, visibility: 'public', files: null }), await forge.user()]
  await forge.as(owner).put(`/projects/${members.id}`, { issues_access_level: 'private', merge_requests_access_level: 'private' })
  const label = await forge.as(owner).post(`/projects/${members.id}/labels`, { name: 'secret', color: '#ff0000' })
  const milestone = await forge.as(owner).post(`/projects/${members.id}/milestones`, { title: 'Hidden release' })
  const text = `${members.full_path}~${label.body.id} ${members.full_path}%${milestone.body.iid}`
  expect(links(await render(owner, text)).map((link) => link.split(' → ')[0])).toEqual([
    `secret in ${members.path}`,
    `%Hidden release in ${members.path}`,
  ])
  expect(await render(guest, text)).toBe(`<p dir="auto">${text}</p>`)
})

test('milestones are linked by number and title, those of groups by title', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const where = await forge.project({ owner, group, visibility: 'public', files: null })
  const own = await forge.as(owner).post(`/projects/${where.id}/milestones`, { title: 'v1.0' })
  const shared = await forge.as(owner).post(`/groups/${group.id}/milestones`, { title: 'Next release' })
  const html = await render(owner, `%${own.body.iid} %v1.0 %"Next release" %"None"`, where)
  expect(links(html)).toEqual([
    `%v1.0 → ${home(where)}/milestones/${own.body.iid}`,
    `%v1.0 → ${home(where)}/milestones/${own.body.iid}`,
    `%Next release → http://gitstead.test/groups/${group.full_path}/-/milestones/${shared.body.iid}`,
  ])
})

test('a project that was moved is found by its earlier path', async () => {
  const moved = await forge.project({ owner, visibility: 'public', files: null })
  const issue = await forge.issue(moved, owner)
  await forge.as(owner).put(`/projects/${moved.id}`, { path: `${moved.path}-now` })
  expect(links(await render(owner, `${moved.full_path}#${issue.iid}`))[0]).toContain(`${moved.path}-now/issues/${issue.iid}`)
})

test('without a project there are no references', async () => {
  const { body } = await forge.as(owner).post('/markdown', { text: `@${owner.username} #1`, gfm: true })
  expect(body.html).toBe(`<p dir="auto">@${owner.username} #1</p>`)
})

test('any number of references costs the same statements', async () => {
  const issues = []
  for (let index = 0; index < 30; index += 1) issues.push(await forge.issue(project, owner))
  const few = `#${issues[0]?.iid} @${owner.username} ~bug %v1`
  const many = `${issues.map(({ iid }) => `#${iid}`).join(' ')} @${owner.username} @all ~bug ~idea %v1 %v2`
  const costs = []
  for (const text of [few, many]) costs.push((await forge.cost(() => render(owner, text))).statements)
  expect(costs[1]).toBe(costs[0])
})
