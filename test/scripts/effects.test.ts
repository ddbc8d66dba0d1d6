/** Readers see a push or a merge directly after it has returned, before the queue has run anything. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { clone, commit } from './git/wire.ts'

let forge: Forge
let developer: TestUser
let project: TestProject
let remote: string
let work: string
let at: string

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({ maintainer: developer, visibility: 'public' })
  remote = await forge.remote(project, developer)
  work = await clone(remote)
  at = `/projects/${project.id}`
  await forge.drain()
})

const get = async (path: string) => (await forge.as(developer).get(path)).body
const iids = async (path: string) => (await get(path)).map(({ iid }: { iid: number }) => iid)
const openIssue = async () => (await forge.as(developer).post(`${at}/issues`, { title: 'Bug' })).body.iid as number

let counter = 0

/** Pushes commits with these messages to a branch that begins at the default one, and gives the last. */
async function push(branch: string, ...messages: string[]): Promise<string> {
  for (const message of messages) await commit(work, { [`file-${++counter}`]: message }, message)
  await git(work, 'push', '--quiet', remote, `HEAD:refs/heads/${branch}`)
  return git(work, 'rev-parse', 'HEAD')
}

async function fromMain(): Promise<void> {
  await git(work, 'fetch', '--quiet', remote, 'main')
  await git(work, 'checkout', '--quiet', '--detach', 'FETCH_HEAD')
}

async function propose(source_branch: string, fields: Record<string, unknown> = {}): Promise<number> {
  const { status, body } = await forge
    .as(developer)
    .post(`${at}/merge_requests`, { source_branch, target_branch: 'main', title: 'It', ...fields })
  expect([source_branch, status, body.iid]).toEqual([source_branch, 201, expect.any(Number)])
  return body.iid
}

test('events of a push have its commits and the title of the last, for every list, page and feed', async () => {
  await fromMain()
  const before = await git(work, 'rev-parse', 'HEAD')
  await push('listed', 'One', 'Two')
  const tip = await push('listed', 'Three', 'Four', 'Five')
  await push('main', 'Six')
  for (const list of [`${at}/events?action=pushed`, '/events?action=pushed', `/users/${developer.username}/events?action=pushed`]) {
    const pushes = (await get(list)).slice(0, 3).map(({ push_data }: { push_data: Record<string, unknown> }) => push_data)
    expect([list, pushes]).toMatchObject([
      list,
      [
        { ref: 'main', commit_count: 6, commit_from: before, commit_title: 'Six' },
        { ref: 'listed', commit_count: 3, commit_title: 'Five', commit_to: tip },
        { ref: 'listed', commit_count: 2, commit_title: 'Two', action: 'created' },
      ],
    ])
  }
  await push('main', 'Seven')
  expect((await browserOf(forge.server).get(`/${project.full_path}/activity`)).text).toContain('Seven')
  await push('main', 'Eight')
  expect((await browserOf(forge.server).get(`/${project.full_path}.atom`)).text).toContain('Eight')
})

test('issues know what closes them by texts and commits, with their counts, as soon as it is written or pushed', async () => {
  const [byText, byCommit, byPush] = [await openIssue(), await openIssue(), await openIssue()]
  await fromMain()
  await push('closing', `Mend\n\nFixes #${byCommit}`)
  const iid = await propose('closing', { description: `Closes #${byText}` })
  const closing = async (issue: number) => iids(`${at}/issues/${issue}/closed_by`)
  const count = async (issue: number) => (await get(`${at}/issues/${issue}`)).merge_requests_count
  expect(await count(byText)).toBe(1)
  expect([await closing(byText), await closing(byCommit), await closing(byPush)]).toEqual([[iid], [iid], []])
  await push('closing', `Closes #${byPush}`)
  expect([await closing(byPush), await iids(`${at}/issues/${byPush}/related_merge_requests`)]).toEqual([[iid], [iid]])
  await push('closing', `Closes #${byPush}, closes #${byText}`)
  expect(await iids(`${at}/merge_requests/${iid}/closes_issues`)).toEqual([byText, byCommit, byPush])
  await forge.as(developer).put(`${at}/merge_requests/${iid}`, { description: 'Nothing', target_branch: 'listed' })
  expect([await count(byText), await closing(byText), await closing(byCommit)]).toEqual([0, [], []])
})

test('a merge closes what the last commits close, and both know each other, whatever the queue has not seen', async () => {
  const [byText, byPush] = [await openIssue(), await openIssue()]
  await fromMain()
  await push('merged', 'One')
  const iid = await propose('merged', { description: `Closes #${byText}` })
  await push('merged', `Closes #${byPush}`)
  const merged = await forge.as(developer).put(`${at}/merge_requests/${iid}/merge`)
  expect([merged.status, merged.body.state]).toEqual([200, 'merged'])
  for (const issue of [byText, byPush]) {
    expect((await get(`${at}/issues/${issue}`)).state).toBe('closed')
    expect(await iids(`${at}/issues/${issue}/closed_by`)).toEqual([iid])
  }
  expect(await iids(`${at}/merge_requests/${iid}/closes_issues`)).toEqual([byText, byPush])
  const [pushed, ...others] = (await get(`${at}/events`)).filter(({ action_name }: { action_name: string }) => action_name !== 'closed')
  expect(new Set([pushed.action_name, others[0].action_name])).toEqual(new Set(['accepted', 'pushed to']))
  const [push_data] = [pushed, ...others].flatMap((event) => event.push_data ?? [])
  expect(push_data).toMatchObject({ ref: 'main', commit_count: 3, commit_title: expect.stringContaining('Merge branch') })
})
