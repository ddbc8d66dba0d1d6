/** Clients of the interface that know nothing of us, unmodified, write and discuss snippets. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_snippets.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_snippets.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const owner = await forge.user()
  const { id } = await forge.project({ owner, files: null })
  const api = new Gitlab({ host: await forge.url(), token: owner.token })
  const files = [
    { filePath: 'a.ts', content: 'const a = 1\n' },
    { filePath: 'b/c.md', content: '# C\n' },
  ]

  const own = await api.Snippets.create('Mine', { visibility: 'private', files } as never)
  expect((await api.Snippets.all()).map(({ title }) => title)).toEqual(['Mine'])
  expect(await api.Snippets.showContent(own.id)).toBe('const a = 1\n')
  expect(await api.Snippets.showRepositoryFileContent(own.id, 'main', 'b/c.md')).toBe('# C\n')
  const moved = { action: 'move', previousPath: 'b/c.md', filePath: 'd.md' }
  const edited = await api.Snippets.edit(own.id, { title: 'Still mine', files: [moved] } as never)
  expect([edited.title, (edited.files as Array<{ path: string }>).map(({ path }) => path)]).toEqual(['Still mine', ['a.ts', 'd.md']])
  await api.Snippets.remove(own.id)
  await expect(api.Snippets.show(own.id)).rejects.toThrow('404 Snippet Not Found')

  const shared = await api.ProjectSnippets.create(id, 'Ours', { visibility: 'internal', files } as never)
  expect((await api.ProjectSnippets.all(id)).map((one) => one.id)).toEqual([shared.id])
  const discussion = await api.ProjectSnippetDiscussions.create(id, shared.id, 'Why?')
  await api.ProjectSnippetDiscussions.addNote(id, shared.id, discussion.id, 'Because')
  const note = await api.ProjectSnippetNotes.create(id, shared.id, 'Words')
  expect((await api.ProjectSnippetNotes.edit(id, shared.id, note.id, { body: 'Other words' } as never)).body).toBe('Other words')
  await api.ProjectSnippetAwardEmojis.award(id, shared.id, 'thumbsup')
  expect((await api.ProjectSnippetAwardEmojis.all(id, shared.id)).map(({ name }) => name)).toEqual(['thumbsup'])
  expect((await api.Search.all('snippet_titles', 'Ours')).map((one) => one.id)).toEqual([shared.id])
  await api.ProjectSnippets.remove(id, shared.id)
})
