import { expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

const found = async (forge: Forge, user: TestUser, path: string) => {
  const { status, body } = await forge.as(user).get(path)
  expect([path, status]).toEqual([path, 200])
  return body
}

const word = 'quokka'

/** A private project with one thing of each kind that has the word. */
async function madeProject(forge: Forge) {
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const project = await forge.project({
    group,
    owner,
    commits: [
      { message: 'First', files: { 'README.md': 'Hello\nThe Quokka smiles\nend\n', 'src/quokka.js': 'export const x = 1\n' } },
      { message: `Feed the ${word}`, files: { 'src/main.js': 'nothing here\n' } },
    ],
  })
  const as = forge.as(owner)
  const { body: issue } = await as.post(`/projects/${project.id}/issues`, { title: `About the ${word}` })
  await as.post(`/projects/${project.id}/milestones`, { title: `${word} day` })
  await as.post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: `a ${word} note` })
  await as.post(`/projects/${project.id}/wikis`, { title: 'Animals', content: `Where the ${word} lives\n` })
  const snippet = { title: `The ${word} song`, file_name: 'song.txt', content: 'la la\n', visibility: 'private' }
  const { body: song } = await as.post(`/projects/${project.id}/snippets`, snippet)
  const { body: own } = await as.post('/snippets', { ...snippet, title: 'Own', content: `a ${word} of my own` })
  await as.post(`/projects/${project.id}/repository/commits/main/comments`, { note: `a ${word} commit` })
  await as.post(`/projects/${project.id}/snippets/${song.id}/notes`, { body: `sing, ${word}` })
  return { owner, group, project, issue, song, own }
}

test('each scope finds what has the word, at each level', async () => {
  const forge = await testForge()
  const { owner, group, project, issue } = await madeProject(forge)
  const numbers: Record<string, number> = {}
  for (const [level, scopes] of [
    [`/projects/${project.id}/search`, ['issues', 'merge_requests', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs', 'users']],
    [`/groups/${group.id}/search`, ['projects', 'issues', 'merge_requests', 'milestones', 'users']],
    ['/search', ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'snippet_blobs', 'users']],
  ] as const) {
    for (const scope of scopes) {
      const rows = await found(forge, owner, `${level}?scope=${scope}&search=${word}`)
      numbers[`${level.replace(/\d+/, ':id')} ${scope}`] = rows.length
      if (scope === 'issues') expect(rows[0].iid).toBe(issue.iid)
    }
  }
  expect(numbers).toMatchObject({
    '/projects/:id/search issues': 1,
    '/projects/:id/search milestones': 1,
    '/projects/:id/search notes': 3,
    '/projects/:id/search wiki_blobs': 1,
    '/projects/:id/search commits': 1,
    '/projects/:id/search blobs': 2,
    '/groups/:id/search issues': 1,
    '/groups/:id/search milestones': 1,
    '/search issues': 1,
    '/search snippet_titles': 1,
    '/search snippet_blobs': 1,
  })
})

test('nobody else finds anything of it, and who is a guest finds what guests see', async () => {
  const forge = await testForge()
  const { project } = await madeProject(forge)
  const [stranger, guest] = [await forge.user(), await forge.user()]
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  for (const scope of ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'snippet_blobs', 'blobs'])
    expect([scope, await found(forge, stranger, `/search?scope=${scope}&search=${word}`)]).toEqual([scope, []])
  const numbers: Record<string, number> = {}
  for (const scope of ['issues', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs'])
    numbers[scope] = (await found(forge, guest, `/projects/${project.id}/search?scope=${scope}&search=${word}`)).length
  expect(numbers).toEqual({ issues: 1, milestones: 1, notes: 2, wiki_blobs: 1, commits: 0, blobs: 0 })
  await forge.as(forge.root).put(`/projects/${project.id}`, { wiki_access_level: 'disabled', snippets_access_level: 'disabled' })
  expect(await found(forge, guest, `/projects/${project.id}/search?scope=wiki_blobs&search=${word}`)).toEqual([])
  expect(await found(forge, guest, `/projects/${project.id}/search?scope=notes&search=${word}`)).toHaveLength(1)
})

test('wikis and snippets are found in the shapes of the reference', async () => {
  const forge = await testForge()
  const { owner, project, song, own } = await madeProject(forge)
  expect(await found(forge, owner, `/projects/${project.id}/search?scope=wiki_blobs&search=lives`)).toEqual([
    {
      basename: 'Animals',
      data: `Where the ${word} lives\n`,
      path: 'Animals.md',
      filename: 'Animals.md',
      id: null,
      ref: 'main',
      startline: 1,
      project_id: project.id,
    },
  ])
  expect(await found(forge, owner, `/search?scope=snippet_titles&search=quokka+song`)).toMatchObject([
    { id: song.id, project_id: project.id },
  ])
  expect(await found(forge, owner, `/search?scope=snippet_blobs&search=own`)).toMatchObject([{ id: own.id, project_id: null }])
})

test('hits in files have the shape of the reference: lines with their neighbours, or the beginning of a file with such a name', async () => {
  const forge = await testForge()
  const { owner, project } = await madeProject(forge)
  const blobs = await found(forge, owner, `/projects/${project.id}/search?scope=blobs&search=QUOKKA`)
  const of = { project_id: project.id, ref: 'main' }
  expect(blobs).toEqual([
    {
      basename: 'README',
      data: 'Hello\nThe Quokka smiles\nend\n',
      path: 'README.md',
      filename: 'README.md',
      id: null,
      startline: 1,
      ...of,
    },
    {
      basename: 'src/quokka',
      data: 'export const x = 1\n',
      path: 'src/quokka.js',
      filename: 'src/quokka.js',
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      startline: 1,
      ...of,
    },
  ])
})
