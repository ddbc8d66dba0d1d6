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
  return { owner, group, project, issue }
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
    '/projects/:id/search notes': 1,
    '/projects/:id/search commits': 1,
    '/projects/:id/search blobs': 2,
    '/groups/:id/search issues': 1,
    '/groups/:id/search milestones': 1,
    '/search issues': 1,
  })
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
