/** A search costs a fixed number of statements in each scope, however much it finds. */
import { expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

/** With so many of everything that is found by a word. */
async function makeProject(forge: Forge, word: string, count: number): Promise<TestProject> {
  const group = await forge.group({ name: `Group of ${word}` })
  const project = await forge.project({ group, files: { a: `${word}\n` } })
  const root = forge.as(forge.root)
  for (let index = 0; index < count; index += 1) {
    const author = await forge.user()
    const issue = await forge.issue(project, author, { title: `${word} ${index}` })
    await forge.note(project, issue, author, { body: `${word} ${index}` })
    await root.post(`/projects/${project.id}/milestones`, { title: `${word} ${index}` })
    const snippet = { title: `${word} ${index}`, file_name: 'a.txt', content: word, visibility: 'private' }
    await root.post(`/projects/${project.id}/snippets`, snippet)
    await forge.project({ group, name: `${word} ${index}`, path: `${word}-${index}`, files: null })
  }
  return project
}

test(
  'each scope costs the same statements for 2 rows and for 12',
  inFullRun('1 s of processor. `pages-for-people.test.ts` counts the statements of the page of the search.'),
  async () => {
    const forge = await testForge()
    const projects = { few: await makeProject(forge, 'few-of', 2), many: await makeProject(forge, 'many-of', 12) }
    await forge.drain()
    const costOf = async (size: 'few' | 'many', scope: string, at: string) => {
      const { id, namespace_id } = projects[size]
      const path = at.replace(':project', `projects/${id}`).replace(':group', `groups/${namespace_id}`)
      const get = async () => {
        const { status, body } = await forge.as(forge.root).get(`${path}?scope=${scope}&search=${size}-of`)
        expect([path, scope, status, body.length]).toEqual([path, scope, 200, size === 'few' ? 2 : 12])
      }
      // The queue looks for work meanwhile: of equal requests the cheapest counts.
      const costs = [await forge.cost(get), await forge.cost(get), await forge.cost(get)]
      return Math.min(...costs.map(({ statements }) => statements))
    }
    for (const [at, scopes] of [
      ['/search', ['projects', 'issues', 'milestones', 'snippet_titles', 'snippet_blobs']],
      ['/:group/search', ['projects', 'issues', 'milestones']],
      ['/:project/search', ['issues', 'milestones', 'notes']],
    ] as const) {
      for (const scope of scopes) {
        const [few, many] = [await costOf('few', scope, at), await costOf('many', scope, at)]
        expect([at, scope, many, many <= 16]).toEqual([at, scope, few, true])
      }
    }
  },
)
