import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { numbers } from '../../../../test/support/fixtures/numbers.ts'
import { type Forge, openForge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { tendIndexJob } from './code-index.jobs.ts'
import { mergeSegments } from './merging.service.ts'
import { updateIndex } from './update.service.ts'

const search = async (forge: Forge, user: TestUser, text: string, where = '') => {
  const answer = await forge.as(user).get(`${where}/search?scope=blobs&search=${encodeURIComponent(text)}&per_page=100`)
  expect([text, answer.status, answer.body.message]).toEqual([text, 200, undefined])
  return answer
}
const pathsOf = ({ body }: { body: Array<{ project_id: number; path: string }> }) =>
  body.map(({ project_id, path }) => `${project_id} ${path}`).sort()

interface Action {
  action: 'create' | 'update' | 'delete' | 'move'
  file_path: string
  previous_path?: string
  content?: string
}
const commit = async (forge: Forge, project: TestProject, ...actions: Action[]) => {
  const body = { branch: 'main', commit_message: 'Change', actions }
  expect((await forge.as(forge.root).post(`/projects/${project.id}/repository/commits`, body)).status).toBe(201)
}

/** Runs what is due, the round first: test projects are written without a push. */
const indexed = async (forge: Forge) => {
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
}

test('code of all projects is found, and only by who may read it', async () => {
  const forge = await testForge()
  const [ada, ben] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: ada })
  const mine = await forge.project({ owner: ada, files: { 'a.js': 'const numbat = 1\n' } })
  const ours = await forge.project({ group, owner: ada, files: { 'b/c.md': 'one\ntwo\nthe Numbat\nfour\nfive\nsix\n' } })
  const open = await forge.project({ visibility: 'public', files: { 'numbat.txt': 'nothing\n' } })
  const hidden = await forge.project({ visibility: 'public', files: { x: 'numbat\n' } })
  await forge.app.db.updateTable('projects').set({ repository_access_level: 'private' }).where('id', '=', hidden.id).execute()
  await indexed(forge)

  const found = await search(forge, ada, 'NUMBAT')
  expect(pathsOf(found)).toEqual([`${mine.id} a.js`, `${open.id} numbat.txt`, `${ours.id} b/c.md`].sort())
  expect(found.body.find(({ path }: { path: string }) => path === 'b/c.md')).toMatchObject({
    startline: 1,
    data: 'one\ntwo\nthe Numbat\nfour\nfive\n',
    ref: await git(ours.dir, 'rev-parse', 'main'),
  })
  expect(pathsOf(await search(forge, ben, 'numbat'))).toEqual([`${open.id} numbat.txt`])
  expect(pathsOf(await search(forge, ada, 'numbat', `/groups/${group.id}`))).toEqual([`${ours.id} b/c.md`])
  expect(pathsOf(await search(forge, forge.root, 'numbat extension:txt'))).toEqual([`${open.id} numbat.txt`])
  expect((await forge.as(ada).get('/search?scope=blobs&search=nu')).body).toEqual({ message: 'Search for at least 3 characters' })
  // Losing access takes effect on the next search, without a new index.
  await forge.as(forge.root).put(`/projects/${open.id}`, { visibility: 'private' })
  expect(pathsOf(await search(forge, ben, 'numbat'))).toEqual([])
})

test('code in another encoding is found by its words, and shown readable', async () => {
  const forge = await testForge()
  const ada = await forge.user()
  const project = await forge.project({ owner: ada, visibility: 'private' })
  const content = Buffer.from('// Die Größe der Fläche für Köln\nconst a = 1\n', 'latin1').toString('base64')
  const actions = [{ action: 'create', file_path: 'alt.js', content, encoding: 'base64' }]
  await forge.as(ada).post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'Old', actions })
  await indexed(forge)
  const { body } = await search(forge, ada, 'GRÖSSE'.replace('SS', 'ß'))
  expect(body.map(({ path, data }: { path: string; data: string }) => [path, data.split('\n')[0]])).toEqual([
    ['alt.js', '// Die Größe der Fläche für Köln'],
  ])
})

const matching = (forge: Forge, user: TestUser, where: string, expression: string) =>
  forge.as(user).get(`${where}/search?scope=blobs&regex=true&per_page=100&search=${encodeURIComponent(expression)}`)

test('a regular expression is searched for in all default branches, in a group and in a project, by who may read them', async () => {
  const forge = await testForge()
  const [ada, ben] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: ada })
  const files = { 'a.js': 'export function getQuokkaName() {\r\n}\n', 'b.md': 'get the quokka\n' }
  const ours = await forge.project({ group, owner: ada, files })
  const mine = await forge.project({ owner: ada, files: { 'quokka-7.txt': 'nothing\n', c: 'QUOKKA_NAME\n' } })
  await indexed(forge)
  const found = async (user: TestUser, where: string, expression: string) => pathsOf(await matching(forge, user, where, expression))

  const anywhere = 'quokka(_|-\\d|n).*$'
  expect(await found(ada, '', anywhere)).toEqual([`${mine.id} c`, `${mine.id} quokka-7.txt`, `${ours.id} a.js`].sort())
  expect(await found(ada, `/groups/${group.id}`, anywhere)).toEqual([`${ours.id} a.js`])
  expect(await found(ada, `/projects/${mine.id}`, anywhere)).toEqual([`${mine.id} c`, `${mine.id} quokka-7.txt`])
  expect(await found(ben, '', anywhere)).toEqual([])
  expect(await found(ada, '', '^export\\s+function\\s+\\w+Quokka\\w*\\(\\) \\{$')).toEqual([`${ours.id} a.js`])
  expect(await found(ada, '', '(?-i)quokka extension:md')).toEqual([`${ours.id} b.md`])
  expect(await found(ada, '', '(?-i)QuoKKa')).toEqual([])
})

test('an expression that may be in any file, or is none, is refused with what would be right', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ owner: user, files: { a: 'a\n' } })
  const refused = async (where: string, expression: string) => {
    const { status, body } = await matching(forge, user, where, expression)
    return [status, body.message ?? body.error]
  }
  const tooOpen = 'Search for a regular expression with at least 3 characters in a row that stand in every match'
  for (const expression of ['a.*b', '\\w+', '(foo|ba)', 'x{0}', 'path:a']) expect(await refused('', expression)).toEqual([400, tooOpen])
  for (const expression of ['(abc', 'abc(?=d)', 'abc\\1']) {
    expect(await refused('', expression)).toEqual([400, "The regular expression is invalid or too large. Its syntax is RE2's"])
  }
  expect(await refused('', '(abc?){900}')).toEqual([400, "The regular expression is invalid or too large. Its syntax is RE2's"])
  const at = `/projects/${project.id}/search?scope=blobs&regex=true&search=abcd`
  expect((await forge.as(user).get(`${at}&ref=other`)).body).toEqual({ error: 'regex, ref are mutually exclusive' })
  expect((await forge.as(user).get(`${at}&ref=main`)).status).toBe(200)
  await forge.as(forge.root).post('/features/code_index', { value: 'false' })
  try {
    expect((await forge.as(user).get(at)).body).toEqual({ error: 'regex needs the index of code, which is turned off' })
  } finally {
    await forge.as(forge.root).delete('/features/code_index')
  }
})

test('the index follows pushes: a header tells of projects whose last push it has not read', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ owner: user, files: { 'a.txt': 'bilby one\n', 'b.txt': 'other\n', 'ä.txt': 'Straße ÄRGER\n' } })
  await indexed(forge)
  const behind = async () => (await search(forge, user, 'bilby')).headers['x-search-projects-behind']
  expect(await behind()).toBeUndefined()

  await commit(
    forge,
    project,
    { action: 'update', file_path: 'a.txt', content: 'gone\n' },
    { action: 'create', file_path: 'c.txt', content: 'a bilby here\n' },
    { action: 'move', previous_path: 'b.txt', file_path: 'bilby/b.txt' },
  )
  expect([await behind(), pathsOf(await search(forge, user, 'bilby'))]).toEqual(['1', [`${project.id} a.txt`]])
  await forge.drain()
  expect([await behind(), pathsOf(await search(forge, user, 'bilby'))]).toEqual([
    undefined,
    [`${project.id} bilby/b.txt`, `${project.id} c.txt`],
  ])
  expect(pathsOf(await search(forge, user, 'ärger'))).toEqual([`${project.id} ä.txt`])

  await commit(forge, project, { action: 'delete', file_path: 'c.txt' })
  await forge.drain()
  expect(pathsOf(await search(forge, user, 'bilby'))).toEqual([`${project.id} bilby/b.txt`])
  // A forced push to a history that shares nothing.
  const other = await git(project.dir, 'commit-tree', '-m', 'Island', await git(project.dir, 'rev-parse', 'main~2^{tree}'))
  await git(project.dir, 'update-ref', 'refs/heads/main', other)
  await forge.app.db
    .updateTable('code_projects')
    .set({ wanted: 99, commit_oid: '1'.repeat(40) })
    .where('project_id', '=', project.id)
    .execute()
  await updateIndex(forge.app, project.id)
  expect(pathsOf(await search(forge, user, 'bilby'))).toEqual([`${project.id} a.txt`])
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  expect(pathsOf(await search(forge, user, 'bilby'))).toEqual([])
})

const alphabet = ['ab', 'AB', 'c', 'd', 'é', 'É', ' ', '\n', 'Σ', 'σ']

test(
  'what is found, through pushes and merges of segments, is what a slow filter over all files finds',
  inFullRun('2 s of processor. find.test.ts searches the index after pushes.'),
  async () => {
    const forge = await openForge()
    const next = numbers(7)
    const textOf = (length: number) => Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')
    const projects: TestProject[] = []
    const files = new Map<string, string>()
    for (let index = 0; index < 6; index += 1) {
      const some = Object.fromEntries(Array.from({ length: 4 }, (_, file) => [`f${file}`, `${textOf(40)}\n`]))
      const project = await forge.project({ files: some })
      projects.push(project)
      for (const [path, text] of Object.entries(some)) files.set(`${project.id} ${path}`, text)
    }
    await indexed(forge)
    const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')
    for (let round = 0; round < 12; round += 1) {
      const project = projects[next(projects.length)] as TestProject
      const [path, content] = [`f${next(4)}`, `${textOf(40)}\n`]
      files.set(`${project.id} ${path}`, content)
      await commit(forge, project, { action: 'update', file_path: path, content })
      await forge.drain()
      if (round % 4 === 3) while (await mergeSegments(forge.app));
      for (let word = 0; word < 6; word += 1) {
        const text = textOf(3).replace(/\s+/g, '')
        if (Buffer.byteLength(text) < 3) continue
        const expected = [...files].filter(([, content]) => content.split('\n').some((line) => fold(line).includes(fold(text))))
        expect([round, text, [...new Set(pathsOf(await search(forge, forge.root, text)))]]).toEqual([
          round,
          text,
          expected.map(([name]) => name).sort(),
        ])
        if (word % 2 === 0) continue
        const expressions = [`${text}.?${text}|${text}[c-d]*$`, `^.*(?:${text}|${text[0]}{3})+`, `${text}(é|ab)?$`]
        const expression = expressions[(word + round) % 3] as string
        const model = new RegExp(expression, 'iu')
        const lines = [...files].filter(([, content]) => content.split('\n').some((line) => model.test(line)))
        const { body } = await matching(forge, forge.root, '', expression)
        expect([expression, [...new Set(pathsOf({ body }))]]).toEqual([expression, lines.map(([name]) => name).sort()])
      }
    }
  },
)

test('files that are lost, as after a restore, are made again', onPostgresAlone('Half a second of processor.'), async () => {
  const forge = await openForge()
  const project = await forge.project({ files: { a: 'pademelon\n' } })
  await indexed(forge)
  const folder = join(forge.app.config.home, 'code-index')
  expect(pathsOf(await search(forge, forge.root, 'pademelon'))).toEqual([`${project.id} a`])
  for (const name of await readdir(folder)) await rm(join(folder, name))
  await indexed(forge)
  expect(pathsOf(await search(forge, forge.root, 'pademelon'))).toEqual([`${project.id} a`])
  expect((await readdir(folder)).length).toBe(1)
})
