/** What creating issues and notes costs: a fixed number of statements, however many references there are. */
import { expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { testForge } from '../../../../test/support/forge.ts'

/** SQLite begins a transaction with its first statement. */
const begin = engine === 'postgres' ? 1 : 0

test('creating an issue or a note costs the same for two references and for ten, and looks nobody up twice', async () => {
  const forge = await testForge()
  const ada = await forge.user({ username: 'referred' })
  const project = await forge.project({ developer: ada, files: null })
  const at = `/projects/${project.id}`
  for (const _ of Array(6)) await forge.issue(project, ada)
  for (const index of [1, 2]) {
    await forge.as(forge.root).post(`${at}/labels`, { name: `label-${index}`, color: '#428bca' })
    await forge.as(forge.root).post(`${at}/milestones`, { title: `v${index}` })
  }
  const [few, many] = ['@referred and #1', '#1, #2, #3, #4, ~label-1, ~label-2, %v1, %v2, @referred and #5.']
  const write = (path: string, body: object) => async () =>
    expect((await forge.as(forge.root).post(`${at}/${path}`, body)).status).toBe(201)

  const costs: Array<[string, number]> = []
  for (const text of [few, many]) {
    const issue = await forge.cost(write('issues', { title: text, description: text }))
    const note = await forge.cost(write('issues/6/notes', { body: text }))
    costs.push(['issue', issue.statements], ['note', note.statements])
  }
  expect(costs.slice(2)).toEqual(costs.slice(0, 2))
  // One of them asks which webhooks want to hear of it.
  expect(costs.slice(0, 2)).toEqual([
    ['issue', 18 + begin],
    ['note', 19 + begin],
  ])
})
