/** Changelogs through the API: which commits they tell of, in which words, and how they get into a file. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'

let forge: Forge
let dev: TestUser
let guest: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[dev, guest] = [await forge.user(), await forge.user()]
})

const saying = (title: string, value: string, more = '') => `${title}\n\n${more}Changelog: ${value}`

async function history(files: Record<string, string> = {}): Promise<TestProject> {
  const project = await forge.project({
    maintainer: dev,
    visibility: 'public',
    commits: [
      { message: saying('Before', 'added'), files: { 'README.md': '0', ...files } },
      { message: saying('Turn the wheel', 'added'), files: { 'README.md': '1' } },
      { message: 'Nothing to tell', files: { 'README.md': '2' } },
      { message: saying('Oil it', 'fixed'), files: { 'README.md': '3' } },
      { message: saying('Paint it', 'added', 'Reviewed-by: Ann\n'), files: { 'README.md': '4' } },
      { message: saying('A mistake', 'fixed'), files: { 'README.md': '5' } },
    ],
  })
  const mistake = await git(project.dir, 'rev-parse', 'main')
  const undo = await git(
    project.dir,
    'commit-tree',
    '-p',
    'main',
    '-m',
    `Revert "A mistake"\n\nThis reverts commit ${mistake}.`,
    'main~1^{tree}',
  )
  await git(project.dir, 'update-ref', 'refs/heads/main', undo)
  await git(project.dir, 'tag', 'v1.0.0', 'main~6')
  return project
}

const at = ({ id }: TestProject) => `/projects/${id}/repository/changelog`
const entry = async (project: TestProject, title: string, revision: string) =>
  `- [${title}](${project.full_path}@${await git(project.dir, 'rev-parse', revision)})`

test('the section of a version tells of the commits with the trailer since the last release, by category', async () => {
  const project = await history()
  const { status, body } = await forge.anonymous.get(`${at(project)}?version=1.1.0&date=2026-01-02`)
  const lines = [
    await entry(project, 'Turn the wheel', 'main~5'),
    await entry(project, 'Paint it', 'main~2'),
    await entry(project, 'Oil it', 'main~3'),
  ]
  expect([status, body.notes]).toEqual([
    200,
    `## 1.1.0 (2026-01-02)\n\n### added (2 changes)\n\n${lines[0]}\n${lines[1]}\n\n### fixed (1 change)\n\n${lines[2]}\n`,
  ])
  const early = await forge.anonymous.get(`${at(project)}?version=1.1.0&from=v1.0.0&to=main~4&trailer=Changelog`)
  expect(early.body.notes).toContain('### added (1 change)')
  expect((await forge.anonymous.get(`${at(project)}?version=1.1.0&trailer=Reviewed-by`)).body.notes).toContain('### Ann (1 change)')
  expect((await forge.anonymous.get(`${at(project)}?version=1.1.0&trailer=Nothing`)).body.notes).toContain('No changes.')
})

test('a contributor who shows their address is named, a member is not, and a merged request is linked for who may see it', async () => {
  const project = await history()
  const contributor = await forge.user()
  const actions = [{ action: 'create', file_path: 'help.txt', content: 'Help' }]
  const author = { author_name: contributor.name, author_email: contributor.email }
  const commit = { branch: 'help', start_branch: 'main', commit_message: saying('Help', 'added'), actions, ...author }
  expect((await forge.as(dev).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  const made = await forge
    .as(dev)
    .post(`/projects/${project.id}/merge_requests`, { title: 'Help', source_branch: 'help', target_branch: 'main' })
  const merged = await forge.as(forge.root).put(`/projects/${project.id}/merge_requests/${made.body.iid}/merge`)
  expect(merged.status).toBe(200)
  const unknown = await forge.anonymous.get(`${at(project)}?version=1.1.0`)
  expect(unknown.body.notes).toMatch(/\[Help\]\(\S+\) \(\[merge request\]/)
  await forge.as(forge.root).put(`/users/${contributor.id}`, { public_email: contributor.email })
  const { body } = await forge.anonymous.get(`${at(project)}?version=1.1.0`)
  expect(body.notes).toMatch(
    new RegExp(`\\[Help\\]\\(.*\\) by @${contributor.username} \\(\\[merge request\\]\\(${project.full_path}!1\\)\\)`),
  )
  await forge.as(forge.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'private' })
  expect((await forge.anonymous.get(`${at(project)}?version=1.1.0`)).body.notes).not.toContain('merge request')
})

test('a file of the repository says how they are written', async () => {
  const config =
    "date_format: '%d %B %Y'\ncategories:\n  added: New\ntemplate: |\n  {% each categories %}\n  {{ title }}: {{ count }}\n  {% end %}\n"
  const project = await history({
    '.gitlab/changelog_config.yml': config,
    'other.yml': 'template: "{% if %}"\n',
    'bomb.yml': 'a: &a [1]\nb: [*a, *a]\n',
  })
  const get = (query: string) => forge.anonymous.get(`${at(project)}?version=1.1.0&date=2026-01-02${query}`)
  expect((await get('')).body.notes).toBe('## 1.1.0 (02 January 2026)\n\nNew: 2\nfixed: 1\n')
  expect((await get('&config_file=none.yml')).body.notes).toContain('### added')
  for (const query of ['&config_file=other.yml', '&config_file=bomb.yml', '&trailer=-x', '&date=soon'])
    expect([query, (await get(query)).status]).toEqual([query, 400])
})

test('it is committed to a file, once above the section of the version before, and once in place of its own', async () => {
  const project = await history({ 'CHANGELOG.md': '# Changes\n\n## 1.0.0 (2025-01-01)\n\n- All\n' })
  const post = (body: object, user = dev) => forge.as(user).post(at(project), { version: '1.1.0', date: '2026-01-02', ...body })
  expect(await post({ trailer: 'Reviewed-by' })).toMatchObject({ status: 200, text: 'null' })
  const file = () => git(project.dir, 'show', 'main:CHANGELOG.md')
  expect(await file()).toMatch(/^# Changes\n\n## 1\.1\.0 \(2026-01-02\)\n\n### Ann[\s\S]*\n\n## 1\.0\.0 \(2025-01-01\)\n\n- All$/)
  expect(await git(project.dir, 'log', '-1', '--format=%s', 'main')).toBe('Add changelog for version 1.1.0')
  expect((await post({ message: 'Again', to: 'main~1' })).status).toBe(200)
  expect((await file()).match(/^## /gm)).toHaveLength(2)
  expect(await file()).toContain('### added (2 changes)')
  await git(project.dir, 'branch', 'topic', 'main')
  expect((await post({ branch: 'topic', file: 'docs/NEWS.md' })).status).toBe(200)
  expect(await git(project.dir, 'show', 'topic:docs/NEWS.md')).toMatch(/^## 1\.1\.0/)
})

test('what can not be told is refused with the reason, and nothing is committed', async () => {
  const project = await history({ 'binary.md': '\0\ufffd' })
  const target = await gitWriting(project.dir, 'README.md', 'hash-object', '-w', '--stdin')
  const tree = await gitWriting(project.dir, `120000 blob ${target}\tLINK.md\n`, 'mktree')
  await git(project.dir, 'update-ref', 'refs/heads/linked', await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'Link', tree))
  const tip = await git(project.dir, 'rev-parse', 'main')
  const post = (body: object, user = dev) => forge.as(user).post(at(project), { version: '1.1.0', ...body })
  const refused: Array<[object, number]> = [
    [{ version: 'soon' }, 400],
    [{ version: '0.9.0' }, 422],
    [{ from: 'nowhere' }, 404],
    [{ to: 'nowhere' }, 404],
    [{ branch: 'nowhere' }, 404],
    [{ file: '../out.md' }, 400],
    [{ file: '.git/config' }, 400],
    [{ branch: 'linked', file: 'LINK.md' }, 400],
  ]
  for (const [body, status] of refused) expect([body, (await post(body)).status]).toEqual([body, status])
  expect((await post({}, guest)).status).toBe(403)
  expect(
    (await forge.as(forge.root).get(`/projects/${(await forge.project({ files: null })).id}/repository/changelog?version=1.0.0`)).status,
  ).toBe(404)
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(tip)
})
