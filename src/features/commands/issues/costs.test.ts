/** Creating issues and notes costs a fixed number of statements, however many references they have. */
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

test('events of notes and emoji carry their noteable, so that subscribers needn’t read it again', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const issue = await forge.issue(project, forge.root)
  const client = forge.as(forge.root)
  const at = `/projects/${project.id}/issues/${issue.iid}/notes`
  const { id } = (await client.post(at, { body: 'First' })).body
  const [names, texts] = [
    ['tada', 'rocket'],
    ['Second', 'Third'],
  ]
  const acts = {
    write: () => client.post(at, { body: 'Text' }),
    change: () => client.put(`${at}/${id}`, { body: texts.pop() }),
    award: () => client.post(`${at}/${id}/award_emoji`, { name: names.pop() }),
  }
  const costs: Record<string, number> = {}
  // Each runs twice, as its first run may still fill a cache; the second is counted.
  for (const [name, act] of Object.entries(acts)) for (const _ of [1, 2]) costs[name] = (await forge.cost(act)).statements
  await client.post(`/projects/${project.id}/hooks`, { url: 'http://hook.example/', note_events: true })
  await acts.write()

  expect(costs).toEqual({ write: 11 + begin, change: 12 + begin, award: 8 + begin })
  // The hook, whom the issue is assigned to and its labels, and the delivery.
  expect((await forge.cost(acts.write)).statements).toBe(16 + begin)
})
