/** The pages of a repository: what they show, where they lead, and what they make of hostile content. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { type Forge, type TestProject, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'

let forge: Forge
let project: TestProject
let me: Browser
const at = (rest: string) => me.get(`/${project.full_path}/${rest}`)

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({
    visibility: 'public',
    commits: [
      {
        files: {
          'README.md': '# Shapes\n\n[a file](src/main.c)\n',
          'src/main.c': 'int a;\n',
          'src/deep/x.txt': 'x\n',
          page: '<script>1</script>\n',
        },
      },
      { files: { 'src/main.c': 'int a;\nint b = 1 < 2;\n', bytes: 'a\0b' }, message: 'Add <b>\n\nand more' },
    ],
  })
  await git(project.dir, 'branch', 'feature/one', 'main~1')
  await git(project.dir, 'tag', 'feature/one/src', 'main')
  me = browserOf(forge.server)
})

test('a revision may hold slashes as a path does: a branch with a folder goes before a tag that is called like both', async () => {
  expect((await at('tree/feature/one')).text).toContain('>main.c<'.replace('main.c', 'README.md'))
  expect((await at('blob/feature/one/README.md')).status).toBe(200)
  // Both are there: the branch with a folder, and the tag. Nobody puts a tag in the place of a folder.
  expect((await at('tree/feature/one/src')).text).toContain('aria-label="Revision feature/one"')
  expect((await at('tree/refs/tags/feature/one/src')).text).toContain('aria-label="Revision feature/one/src"')
  expect((await at('tree/refs%2Ftags%2Ffeature%2Fone%2Fsrc/src%2Fdeep')).text).toContain('x.txt')
  for (const missing of ['tree/nothing', 'tree/main/nothing', 'blob/main/nothing', 'raw/main/src', 'commits/nothing', 'commit/0000000']) {
    expect([missing, (await at(missing)).status]).toEqual([missing, 404])
  }
})

test('a folder asked for as a file leads to the folder, and a file to the file', async () => {
  expect((await at('blob/main/src')).location).toBe(`/${project.full_path}/tree/main/src`)
  expect((await at('tree/main/README.md')).location).toBe(`/${project.full_path}/blob/main/README.md`)
  expect((await at('-/blob/main/README.md')).location).toBe(`/${project.full_path}/blob/main/README.md`)
})

test('a file is shown as text with a number for each line; other bytes are offered as they are', async () => {
  const shown = await at('blob/main/src/main.c')
  expect(shown.text).toContain(
    '<a href="#L2">2</a><span class="h-b">int</span> b = <span class="h-n">1</span> &lt; <span class="h-n">2</span>;\n</span>',
  )
  expect((await at('blob/main/bytes')).text).toContain('The file is not text.')
  const raw = await at('raw/main/page')
  expect([raw.status, raw.text, raw.headers['content-type'], raw.headers['content-security-policy']]).toEqual([
    200,
    '<script>1</script>\n',
    'text/plain; charset=utf-8',
    "default-src 'none'; sandbox",
  ])
})

test('a commit shows its message and its lines with signs, escaped', async () => {
  const { text } = await at('commit/main')
  expect(text).toContain('<h1><bdi>Add &lt;b&gt;</bdi></h1>')
  expect(text).toContain('<pre class="message">and more</pre>')
  // In colours or not.
  expect(text.replace(/<\/?span[^>]*>/g, '')).toContain('<td>+</td><td>int b = 1 &lt; 2;</td>')
})

test('the README stands below the files, its links lead to the revision, and its headings below that of the page', async () => {
  const { text } = await me.get(`/${project.full_path}`)
  expect(text).toMatch(/<h2[^>]*>Shapes<\/h2>/)
  expect(text).toContain(`/${project.full_path}/blob/main/src/main.c"`)
})

test('a project that was renamed is found at its old address, by those who may see it', async () => {
  const moved = await forge.project({ visibility: 'public', path: 'before' })
  const hidden = await forge.project({ visibility: 'private', path: 'hidden-before' })
  for (const { id, path } of [moved, hidden]) await forge.as(forge.root).put(`/projects/${id}`, { path: path.replace('before', 'after') })
  const answer = await me.get(`/${moved.full_path}/tree/main?page=2`)
  expect([answer.status, answer.location]).toEqual([301, `/${moved.namespace_full_path}/after/tree/main?page=2`])
  expect((await me.get(`/${hidden.full_path}/tree/main`)).status).toBe(404)
})

test('guests of a private project see that it is there, and not its files', async () => {
  const guest = await forge.user({ password: 'correct horse battery' })
  const hidden = await forge.project({ guest, visibility: 'private' })
  const browser = browserOf(forge.server)
  await browser.submit('/users/sign_in', '/users/sign_in', { login: guest.username, password: 'correct horse battery' })
  const shown = await browser.get(`/${hidden.full_path}`)
  expect([shown.status, /README\.md|tree\/main|\/branches/.test(shown.text)]).toEqual([200, false])
  expect((await browser.get(`/${hidden.full_path}/tree/main`)).status).toBe(403)
})
