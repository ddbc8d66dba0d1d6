/** Clients of the interface that know nothing of us, unmodified: wikis of projects and groups. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_wikis.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_wikis.rb')).toBe('all is well')
})

for (const kind of ['project', 'group'] as const)
  clientTest(`@gitbeaker/rest, the wiki of a ${kind}`, others, async (forge) => {
    const owner = await forge.user()
    const { id } = kind === 'project' ? await forge.project({ owner }) : await forge.group({ owner })
    const api = new Gitlab({ host: await forge.url(), token: owner.token })
    const wikis = kind === 'project' ? api.ProjectWikis : api.GroupWikis
    expect(await wikis.all(id)).toEqual([])
    expect(await wikis.create(id, '* Set up', 'docs/set up', { format: 'org' })).toMatchObject({ slug: 'docs/set-up', format: 'org' })
    expect(await wikis.all(id, { withContent: true })).toMatchObject([{ slug: 'docs/set-up', content: '* Set up' }])
    expect((await wikis.edit(id, 'docs/set-up', { content: '* Install' })).content).toBe('* Install')
    expect((await wikis.edit(id, 'docs/set-up', { title: 'install' })).slug).toBe('docs/install')
    const shown = await wikis.show(id, 'docs/install', { renderHtml: true })
    expect(shown).toMatchObject({ title: 'install', content: expect.stringContaining('Install</h1>'), encoding: 'UTF-8' })
    const sent = await wikis.uploadAttachment(id, { content: new Blob(['bytes']), filename: 'a.txt' })
    expect(sent).toMatchObject({ file_name: 'a.txt', branch: 'main', link: { url: expect.stringMatching(/^uploads\//) } })
    await wikis.remove(id, 'docs/install')
    await expect(wikis.show(id, 'docs/install')).rejects.toThrow('404 Wiki Page Not Found')
  })
