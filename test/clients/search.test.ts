/** Clients of the interface that know nothing of us, unmodified, search: in everything, in a group and in a project. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { tendIndexJob } from '../../src/features/search/code-index/code-index.jobs.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_search.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_search.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const owner = await forge.user({ name: 'Quoll Keeper' })
  const group = await forge.group({ owner, name: 'Quolls' })
  const { id } = await forge.project({ group, name: 'Quoll house', files: { 'src/main.js': 'one\nconst quoll = 1\n' } })
  const api = new Gitlab({ host: await forge.url(), token: owner.token })
  await api.Issues.create(id, 'Feed the quoll')
  await api.IssueNotes.create(id, 1, 'A quoll eats')
  await api.ProjectMilestones.create(id, 'Quoll day')
  await api.ProjectWikis.create(id, 'A quoll\n', 'Care')
  await api.Snippets.create('Quoll song', { files: [{ content: 'quoll', filePath: 'song.txt' }], visibility: 'private' } as never)
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
  const total = async (scope: string, place: object = {}) => ((await api.Search.all(scope as 'issues', 'quoll', place)) as unknown[]).length
  const inProject: Record<string, number> = {}
  for (const scope of ['issues', 'merge_requests', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs', 'users'])
    inProject[scope] = await total(scope, { projectId: id })
  expect(inProject).toEqual({ issues: 1, merge_requests: 0, milestones: 1, notes: 1, wiki_blobs: 1, commits: 0, blobs: 1, users: 1 })
  const inGroup: Record<string, number> = {}
  for (const scope of ['projects', 'issues', 'milestones', 'blobs', 'users']) inGroup[scope] = await total(scope, { groupId: group.id })
  expect(inGroup).toEqual({ projects: 1, issues: 1, milestones: 1, blobs: 1, users: 1 })
  const everywhere: Record<string, number> = {}
  for (const scope of ['projects', 'issues', 'milestones', 'snippet_titles', 'snippet_blobs', 'blobs', 'users'])
    everywhere[scope] = await total(scope)
  expect(everywhere).toEqual({ projects: 1, issues: 1, milestones: 1, snippet_titles: 1, snippet_blobs: 1, blobs: 1, users: 1 })
  const [hit] = (await api.Search.all('blobs', 'quoll', { projectId: id, ref: 'main' } as never)) as unknown as Array<
    Record<string, unknown>
  >
  expect(hit).toMatchObject({ basename: 'src/main', filename: 'src/main.js', startline: 1, project_id: id, ref: 'main' })
})
