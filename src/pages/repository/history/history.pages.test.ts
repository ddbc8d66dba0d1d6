/** The pages of histories and commits: what they show, what their forms do, what they refuse, and what they cost. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

cpuBudget(6, 'Commits with long notes and large trees.')

const password = 'correct horse battery'
let forge: Forge
let developer: TestUser
let project: TestProject
let me: Browser
let anonymous: Browser
let tip: string
const at = (rest: string, browser = anonymous) => browser.get(`/${project.full_path}/${rest}`)
const idOf = (revision: string) => git(project.dir, 'rev-parse', revision)

async function signedIn(user: TestUser): Promise<Browser> {
  const browser = browserOf(forge.server)
  expect((await browser.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return browser
}

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user({ password })
  project = await forge.project({
    developer,
    visibility: 'public',
    commits: [
      { files: { 'a.txt': 'one\ntwo\nthree\n', 'src/b.c': 'int b;\n' }, message: 'Begin', time: 1_700_000_000 },
      { files: { 'a.txt': 'one\n2\nthree\n' }, message: 'Count with digits\n\nThe words were <long>.', time: 1_700_000_060 },
      { files: { 'src/b.c': 'int b;\nint c;\n' }, message: 'Add c', time: 1_700_100_000 },
    ],
  })
  await git(project.dir, 'branch', 'feature/one.two', 'main~1')
  await git(project.dir, 'tag', 'v1.0', 'main~2')
  anonymous = browserOf(forge.server)
  me = await signedIn(developer)
  tip = await idOf('main')
})

test('a history is grouped by day, with ids to copy and the files of each commit', async () => {
  const { text } = await at('commits/main')
  expect([...text.matchAll(/<h2 class="day">([^<]+)</g)].map(([, day]) => day)).toEqual([
    'Thursday, November 16, 2023',
    'Tuesday, November 14, 2023',
  ])
  expect(text).toContain(`<code aria-label="Commit id">${tip.slice(0, 8)}</code>`)
  expect(text).toContain(`/${project.full_path}/tree/${tip}"`)
  expect((await at('commits')).location).toBe(`/${project.full_path}/commits/main`)
})

test('a history is searched by message and author, and of a path it has the commits that changed it', async () => {
  const titles = async (rest: string) =>
    [...(await at(rest)).text.matchAll(/<div class="what"><a [^>]*><bdi>([^<]*)</g)].map(([, title]) => title)
  expect(await titles('commits/main?search=DIGITS')).toEqual(['Count with digits'])
  expect(await titles('commits/main?search=a.*c')).toEqual([])
  expect(await titles('commits/main?author=ada')).toHaveLength(3)
  expect(await titles('commits/main?author=nobody')).toEqual([])
  expect(await titles('commits/main/a.txt')).toEqual(['Count with digits', 'Begin'])
  expect(await titles('commits/feature/one.two/src')).toEqual(['Begin'])
  expect((await at('commits/main?author=nobody')).text).toContain('No commit matches.')
  expect((await at('commits/main/missing')).text).toContain('No commit has changed this.')
})

test('pages of a history follow each other without a gap to the first commit; a made-up place to begin is not found', async () => {
  const long = await forge.project({
    visibility: 'public',
    commits: Array.from({ length: 95 }, (_, n) => ({ files: { f: `${n}`, [`g${n % 2}`]: `${n}` } })),
  })
  await git(long.dir, 'branch', 'other', 'main~30')
  for (const path of ['commits/main', 'commits/main/g0', 'network/main?all=true']) {
    const found: string[] = []
    let next: string | undefined = `/${long.full_path}/${path}`
    while (next) {
      const { text } = await anonymous.get(next)
      found.push(...[...text.matchAll(/\/commit\/([0-9a-f]{40})"><(?:bdi|code)>/g)].map(([, oid = '']) => oid))
      next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    const wanted = await git(long.dir, 'rev-list', 'main', '--', ...(path.endsWith('g0') ? ['g0'] : []))
    expect([path, found]).toEqual([path, wanted.split('\n')])
  }
  for (const after of ['AAAA', Buffer.alloc(20, 1).toString('base64url'), '..']) {
    expect([after, (await anonymous.get(`/${long.full_path}/commits/main?after=${after}`)).status]).toEqual([after, 404])
  }
})

test('an empty repository has pages that say so', async () => {
  const empty = await forge.project({ files: null, visibility: 'public' })
  expect((await anonymous.get(`/${empty.full_path}/commits`)).text).toContain('There are no commits yet.')
  expect((await anonymous.get(`/${empty.full_path}/compare`)).status).toBe(200)
})

test('a commit shows its parents, its message, the branches that contain it, and offers its text', async () => {
  const { text } = await at('commit/main~1')
  expect(text).toContain('<pre class="message">The words were &lt;long&gt;.</pre>')
  expect(text).toContain(`/commit/${await idOf('main~2')}"`)
  const refs = await at(`commit/${await idOf('main~2')}/branches`)
  expect([...refs.text.matchAll(/class="tag ref" href="[^"]*"><bdi>([^<]+)/g)].map(([, name]) => name)).toEqual([
    'feature/one.two',
    'main',
    'v1.0',
  ])
})

test('a commit is a patch for git am and a plain diff, as text; a merge is the patches it brought', async () => {
  const patch = await at('commit/main.patch')
  expect([patch.status, patch.headers['content-type'], patch.headers['content-security-policy']]).toEqual([
    200,
    'text/plain; charset=utf-8',
    "default-src 'none'; sandbox",
  ])
  expect(patch.text).toMatch(/^From [0-9a-f]{40} /)
  expect(patch.text).toContain('Subject: [PATCH] Add c')
  expect((await at(`commit/${tip}.diff`)).text).toBe(`${await git(project.dir, 'diff', 'main~1', 'main')}\n`)
  expect((await at(`commit/${await idOf('main~2')}.patch`)).text).toContain('Subject: [PATCH] Begin')
  for (const missing of ['commit/nothing.patch', 'commit/.patch', 'commit/main.text'])
    expect([missing, (await at(missing)).status]).toEqual([missing, 404])
  // A ref of that whole name comes first.
  await git(project.dir, 'tag', 'main.diff', 'main~1')
  expect((await at('commit/main.diff')).text).toContain('Count with digits')
  await git(project.dir, 'tag', '--delete', 'main.diff')
})

test('statuses stand on commits: the state for everybody, the list for who is signed in', async () => {
  await forge.as(developer).post(`/projects/${project.id}/statuses/${tip}`, {
    state: 'failed',
    name: 'build <b>',
    target_url: 'https://ci.example/1',
    ref: 'main',
  })
  expect((await at('commits/main')).text).toMatch(/<a class="tag status removed" href="[^"]*\/pipelines\/\d+">.*failed<\/a>/)
  expect((await at('commit/main')).text).not.toContain('https://ci.example/1')
  expect((await at('commit/main', me)).text).toContain(
    '<a href="https://ci.example/1" rel="nofollow noreferrer"><bdi>build &lt;b&gt;</bdi></a>',
  )
})

test('a commit is cherry-picked and reverted into a branch; on a conflict nothing changes, and the form says why', async () => {
  const page = `/${project.full_path}/commit/${tip}`
  const picked = await me.submit(page, `${page}/cherry_pick`, { branch: 'feature/one.two' })
  expect(picked.status).toBe(303)
  expect((await me.get(picked.location as string)).text).toContain('The commit was cherry-picked into feature/one.two.')
  expect(await git(project.dir, 'show', 'feature/one.two:src/b.c')).toBe('int b;\nint c;')
  const before = await idOf('feature/one.two')
  const again = await me.submit(page, `${page}/cherry_pick`, { branch: 'feature/one.two' })
  expect([
    again.status,
    again.text.includes('The commit does not apply to this branch as it is'),
    again.text.includes('value="feature/one.two"'),
  ]).toEqual([422, true, true])
  expect(readDocument(again.text).faults).toEqual([])
  expect(await idOf('feature/one.two')).toBe(before)
  for (const branch of ['nothing', '', 'no<b>', '-x', 'v1.0']) {
    const refused = await me.submit(page, `${page}/cherry_pick`, { branch })
    expect([branch, refused.status, refused.text.includes('aria-invalid="true"'), refused.text.includes('no<b>')]).toEqual([
      branch,
      422,
      true,
      false,
    ])
  }
  const reverted = await me.submit(page, `${page}/revert`, { branch: 'feature/one.two' })
  expect([reverted.status, await git(project.dir, 'show', 'feature/one.two:src/b.c')]).toEqual([303, 'int b;'])
})

test('only who may push is offered to, and nobody else can', async () => {
  const page = `/${project.full_path}/commit/${tip}`
  expect((await at('commit/main')).text).not.toContain('cherry_pick')
  const stranger = await signedIn(await forge.user({ password }))
  const shown = await stranger.get(page)
  expect(shown.text).not.toContain('cherry_pick')
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)?.[1] as string
  expect((await stranger.post(`${page}/cherry_pick`, { form_token, branch: 'main' })).status).toBe(403)
  expect((await anonymous.post(`${page}/revert`, { branch: 'main' })).status).toBe(403)
})

test('a note is written on a commit or on a line, shown beneath it, and as Markdown', async () => {
  const page = `/${project.full_path}/commit/${await idOf('main~1')}`
  const added = await me.submit(page, `${page}/notes`, { body: 'All **good** <script>' })
  expect(added.location).toMatch(new RegExp(`^${page}#note_\\d+$`))
  await me.submit(page, `${page}/notes`, { body: 'Why digits?', path: 'a.txt', line: '2', line_type: 'new' })
  await me.submit(page, `${page}/notes`, { body: 'It was clear.', path: 'a.txt', line: '2', line_type: 'old' })
  const { text } = await anonymous.get(page)
  expect(text).toMatch(
    /id="1L2">.*?<\/tr><tr class="b"><td colspan="4"><ol class="talk">.*?It was clear\..*?<tr class="a" id="1R2">.*?<\/tr><tr class="b">.*?Why digits\?/s,
  )
  expect(text).toContain('<strong>good</strong>')
  expect(text).not.toContain('<script>"')
  // If the line isn't shown, its note is below the diff.
  expect((await anonymous.get(`${page}?view=split`)).text.match(/Why digits\?/g)).toHaveLength(1)
  expect((await anonymous.get(`${page}?file=1&only=true&row=50`)).text.match(/Why digits\?/g)).toHaveLength(1)
  const elsewhere = await me.submit(page, `${page}/notes`, { body: 'Elsewhere', path: 'a.txt', line: '900' })
  expect((await me.get((elsewhere.location as string).split('#')[0] as string)).text).toContain(
    'your comment was added to the commit as a whole',
  )
})

test('a note without text or at no line is refused by its field, and its text is kept', async () => {
  const page = `/${project.full_path}/commit/${tip}`
  const blank = await me.submit(page, `${page}/notes`, { body: ' ' })
  expect([blank.status, /aria-invalid="true"/.test(blank.text)]).toEqual([422, true])
  const nowhere = await me.submit(page, `${page}/notes`, { body: 'kept <text>', path: 'src/b.c', line: 'x' })
  expect([
    nowhere.status,
    nowhere.text.includes('kept &lt;text&gt;</textarea>'),
    nowhere.text.includes('is not the number of a line'),
  ]).toEqual([422, true, true])
  expect(readDocument(nowhere.text).faults).toEqual([])
  expect((await at(`commit/${tip}`)).text).toContain(`/users/sign_in?return_to=${encodeURIComponent(page)}`)
})

test('two refs are compared by their names, from where they parted or straight, and swapped', async () => {
  const pair = await at('compare/feature/one.two...main')
  expect(pair.text).toContain('Add c')
  expect(pair.text).toContain(`/${project.full_path}/compare/main...feature/one.two">Swap`)
  expect((await at('compare?from=+main~1+&to=v1.0&straight=true')).location).toBe(`/${project.full_path}/compare/main~1..v1.0`)
  // `v1.0` has nothing that `main` hasn't; straight, what `main` added is removed.
  expect((await at('compare/main...v1.0')).text).toContain('Nothing differs.')
  expect((await at('compare/main..v1.0')).text).toMatch(/<tr class="d"[^>]*>.* c;/)
  expect((await at('compare/main...main')).text).toContain('Both are the same commit')
  const missing = await at('compare/main...no<b>')
  expect([missing.status, missing.text.includes('There is no branch, tag or commit no&lt;b&gt;.')]).toEqual([404, true])
  expect((await at('compare/main')).location).toBe(`/${project.full_path}/compare?to=main`)
})

test.each([
  ['commits/main', 6, 2],
  ['commits/main?search=o', 6, 2],
  ['commit/main', 10, 3],
  ['compare/main~1...main', 6, 5],
  ['network/main', 5, 4],
])('%s costs %i statements and %i processes, for 2 rows and for 20', async (path, statements, processes) => {
  for (const count of [2, 20]) {
    const files = (n: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, `${n}\n`]))
    const some = await forge.project({ visibility: 'public', commits: Array.from({ length: count }, (_, n) => ({ files: files(n) })) })
    forge.app.git.objects.release(some.dir)
    const cost = await forge.cost(() => anonymous.get(`/${some.full_path}/${path}`))
    expect([count, cost]).toEqual([count, { statements, processes }])
  }
})

test('the page of a path has a bounded size, however many folders the address names', async () => {
  const shown = await at(`commits/main/${'a/'.repeat(2_000)}a`)
  expect([shown.status, shown.text.length < 500_000]).toEqual([200, true])
  expect((await at(`commits/main/${'a/'.repeat(7_500)}a`)).status).toBe(404)
  // The nearest folders are links, the root always.
  expect((await at('commits/main/src/b.c')).text).toContain(`<a href="/${project.full_path}/commits/main/src">`)
})

test(
  'long notes are cut, so that nobody can make the page of a commit too large to be shown',
  inFullRun('1 s of processor. `prose.test.ts` cuts the longest comments of an issue.'),
  async () => {
    const commit = await idOf('main~2')
    const at_ = new Date().toISOString()
    const of = { project_id: project.id, commit_oid: commit, author_id: developer.id, created_at: at_, updated_at: at_ }
    for (const body of [`# ${'x'.repeat(900_000)}`, '*words* '.repeat(2_000)])
      for (let index = 0; index < 20; index += 1)
        await forge.app.db
          .insertInto('notes')
          .values({ ...of, body, discussion_id: randomBytes(20).toString('hex') })
          .execute()
    const { text } = await at(`commit/${commit}`)
    expect(readDocument(text).faults).toEqual([])
    expect(text.length).toBeLessThan(2_000_000)
    expect(text.match(/This is the beginning of a long comment/g)).toHaveLength(20)
    // As many as there is time for are rendered.
    expect(text.match(/<div class="prose"><p dir="auto"><em>words/g)).toHaveLength(16)
    const { body } = await forge.as(developer).get(`/projects/${project.id}/repository/commits/${commit}/comments?per_page=1`)
    expect(body[0].note).toHaveLength(900_002)
  },
)

test(
  'of a commit with very many parents the first are shown',
  inFullRun('3 s of processor. A few parents are shown in the tests of commits.'),
  async () => {
    const wide = await forge.project({ visibility: 'public' })
    const [tip, tree] = [await git(wide.dir, 'rev-parse', 'main'), await git(wide.dir, 'rev-parse', 'main^{tree}')]
    const parents: string[] = []
    for (let index = 0; index < 120; index += 1) parents.push(await git(wide.dir, 'commit-tree', tree, '-p', tip, '-m', `Parent ${index}`))
    const octopus = await git(wide.dir, 'commit-tree', tree, '-m', 'Octopus', ...parents.flatMap((parent) => ['-p', parent]))
    await git(wide.dir, 'update-ref', 'refs/heads/main', octopus)
    expect((await anonymous.get(`/${wide.full_path}/commit/main`)).text).toContain('and 20 more</dd>')
    expect((await anonymous.get(`/${wide.full_path}/network/main`)).text).toContain('and 115 more</td>')
  },
)

test('a commit links to the merge requests that bring it, and names who takes part', async () => {
  const own = await forge.project({ developer, visibility: 'public', commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  await git(own.dir, 'branch', 'topic', 'main')
  await git(own.dir, 'update-ref', 'refs/heads/main', 'main~1')
  const oid = await git(own.dir, 'rev-parse', 'topic')
  const request = await forge.mergeRequest(own, developer, { source_branch: 'topic', title: 'Bring <it>' })
  await forge.as(developer).get(`/projects/${own.id}/merge_requests/${request.iid}/versions`)
  const address = `/${own.full_path}/commit/${oid}`
  const before = (await anonymous.get(address)).text
  expect(before).toContain(`<a href="/${own.full_path}/merge_requests/${request.iid}">!${request.iid} <bdi>Bring &lt;it&gt;</bdi></a>`)
  expect(before).not.toContain('Participants')
  await forge.as(developer).post(`/projects/${own.id}/repository/commits/${oid}/comments`, { note: 'Well done' })
  const { text } = await anonymous.get(address)
  expect(readDocument(text).faults).toEqual([])
  expect(text).toMatch(new RegExp(`<dt>Participants</dt><dd><p class="faces"><a class="face" href="/${developer.username}"`))
  await forge.app.db.updateTable('projects').set({ merge_requests_access_level: 'private' }).where('id', '=', own.id).execute()
  expect((await anonymous.get(address)).text).not.toContain('Bring &lt;it&gt;')
})
