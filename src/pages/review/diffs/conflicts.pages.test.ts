/** Conflicts of merge requests in a browser: shown, resolved by sides and by text, and refused. */

import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { sentences } from './sentences.ts'

cpuBudget(6, 'Merges with conflicts by git.')

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let reporter: TestUser
let me: Browser
let asReporter: Browser
let asStranger: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter] = await Promise.all([forge.user({ password }), forge.user({ password })])
  me = await signedIn(forge, owner)
  asReporter = await signedIn(forge, reporter)
  asStranger = await signedIn(forge, await forge.user({ password }))
})

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

type Files = Record<string, string | Buffer>

async function commit(project: TestProject, branch: string, files: Files, start?: string): Promise<void> {
  const actions = Object.entries(files).map(([file_path, content]) => ({
    action: 'update',
    file_path,
    content: Buffer.from(content).toString('base64'),
    encoding: 'base64',
  }))
  const { status } = await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch,
    ...(start !== undefined && { start_branch: start }),
    commit_message: `Change ${branch}`,
    actions,
  })
  expect(status).toBe(201)
}

/** A request whose branch and target have changed these files each in its way. */
async function conflicting(source: Files, target: Files, before: Files = { 'a.txt': lines(1, 40), 'b.txt': 'b\n' }) {
  const project = await forge.project({ owner, reporter, visibility: 'private', commits: [{ message: 'First', files: before }] })
  await commit(project, 'topic', source, 'main')
  await commit(project, 'main', target)
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const request = `/${project.full_path}/merge_requests/${iid}`
  return { project, iid, request, address: `${request}/conflicts` }
}

const twice = () =>
  conflicting(
    { 'a.txt': `${lines(1, 4)}mine 5\n${lines(6, 29)}mine 30\n${lines(31, 40)}`, 'b.txt': 'mine\n' },
    { 'a.txt': `${lines(1, 4)}theirs 5\n${lines(6, 29)}theirs 30\n${lines(31, 40)}`, 'b.txt': 'theirs\n' },
  )

const fieldOf = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

async function shown(browser: Browser, address: string) {
  const { text } = await browser.get(address)
  const [, name = '', value = ''] = /name="([a-z_]*token)" value="([^"]*)"/.exec(text) ?? []
  return { [name]: value, source_sha: fieldOf(text, 'source_sha'), target_sha: fieldOf(text, 'target_sha') }
}

const send = (browser: Browser, address: string, fields: Record<string, string>) =>
  browser.post(address, fields, { host: 'gitstead.test', origin: 'http://gitstead.test' })

const fileAt = ({ dir }: TestProject, path: string) => git(dir, 'show', `topic:${path}`)

test('conflicts are shown file by file, and resolved by sides and by text as one merge commit of who did it', async () => {
  const { project, iid, request, address } = await twice()
  expect((await me.get(request)).text).toContain(`href="${address}"`)
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('2 files in conflict')
  expect(text).toMatch(/Conflict 2<\/legend>.*?mine 30.*?theirs 30/s)
  expect(text).toContain('18 lines without conflicts')
  const [source, target] = await Promise.all([git(project.dir, 'rev-parse', 'topic'), git(project.dir, 'rev-parse', 'main')])

  const answer = await send(me, address, {
    ...(await shown(me, address)),
    'files[0][path]': 'a.txt',
    'files[0][sides][0]': 'ours',
    'files[0][sides][1]': 'theirs',
    'files[1][path]': 'b.txt',
    'files[1][sides][0]': '',
    'files[1][text]': 'mine and theirs\r\n',
    message: 'Bring in main',
  })

  expect([answer.status, answer.location]).toEqual([303, request])
  expect(await git(project.dir, 'log', '-1', '--format=%an %cn %s %P', 'topic')).toBe(
    `${owner.name} ${owner.name} Bring in main ${source} ${target}`,
  )
  expect([await fileAt(project, 'a.txt'), await fileAt(project, 'b.txt')]).toEqual([
    `${lines(1, 4)}mine 5\n${lines(6, 29)}theirs 30\n${lines(31, 40)}`.trimEnd(),
    'mine and theirs',
  ])
  const { body } = await forge.as(owner).get(`/projects/${project.id}/merge_requests/${iid}`)
  expect([body.merge_status, body.detailed_merge_status, body.sha]).toEqual([
    'can_be_merged',
    'mergeable',
    await git(project.dir, 'rev-parse', 'topic'),
  ])
  expect((await me.get(address)).text).toContain(sentences.noConflicts)
})

test('what is not resolved yet is told by file, and what was chosen and typed stays', async () => {
  const { project, address } = await twice()
  const before = await git(project.dir, 'rev-parse', 'topic')
  const { status, text } = await send(me, address, {
    ...(await shown(me, address)),
    'files[0][path]': 'a.txt',
    'files[0][sides][0]': 'theirs',
    'files[0][sides][1]': '',
    'files[1][path]': 'b.txt',
    'files[1][text]': '<<<<<<< topic\r\nKept text\r\n',
    message: 'Kept message',
  })
  expect([status, readDocument(text).faults]).toEqual([422, []])
  expect(text).toContain(sentences.stillOpen(1))
  expect(text).toMatch(/value="theirs" checked/)
  expect(text).toContain('Kept text')
  expect(text).toContain('Kept message')
  expect(await git(project.dir, 'rev-parse', 'topic')).toBe(before)
})

test('nobody resolves what has changed meanwhile, in either branch', async () => {
  const { project, address } = await twice()
  const resolution = { 'files[0][path]': 'a.txt', 'files[0][text]': 'a\n', 'files[1][path]': 'b.txt', 'files[1][text]': 'b\n' }
  for (const branch of ['topic', 'main']) {
    const fields = await shown(me, address)
    await commit(project, branch, { 'b.txt': `${branch} again\n` })
    const tip = await git(project.dir, 'rev-parse', 'topic')
    const { status, text } = await send(me, address, { ...fields, ...resolution })
    expect([branch, status, text.includes(sentences.moved), readDocument(text).faults]).toEqual([branch, 409, true, []])
    expect(text).toContain(`${branch} again`)
    expect(await git(project.dir, 'rev-parse', 'topic')).toBe(tip)
  }
  const fields = { ...(await shown(me, address)), ...resolution }
  const answers = await Promise.all([send(me, address, fields), send(me, address, fields)])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
})

test('who may not push reads the conflicts and resolves none; strangers see nothing', async () => {
  const { project, iid, address } = await twice()
  const { status, text } = await asReporter.get(address)
  expect([status, text.includes(sentences.mayNotPush), text.includes('type="radio"'), readDocument(text).faults]).toEqual([
    200,
    true,
    false,
    [],
  ])
  const fields = await shown(me, address)
  const own = await shown(asReporter, `/${project.full_path}/merge_requests/${iid}`)
  const refused = await send(asReporter, address, {
    ...own,
    source_sha: fields.source_sha ?? '',
    target_sha: fields.target_sha ?? '',
    'files[0][path]': 'a.txt',
    'files[0][text]': 'x',
  })
  expect([refused.status, refused.text.includes(sentences.mayNotPush)]).toEqual([403, true])
  expect((await asStranger.get(address)).status).toBe(404)
  await forge.as(owner).put(`/projects/${project.id}/merge_requests/${iid}`, { state_event: 'close' })
  expect((await me.get(address)).text).toContain(sentences.notOpen)
  expect((await send(me, address, { ...fields })).status).toBe(422)
})

test('files that are no text, gone on one side, or too large are named with the reason, and nothing is offered', async () => {
  const before = { 'a.txt': 'a\n', 'bytes.dat': Buffer.from([0, 1, 2]), large: `${'x'.repeat(99)}\n`.repeat(2_200) }
  const changed = (text: string) => ({
    'bytes.dat': Buffer.from([0, 1, text.length]),
    large: `${text}\n${before.large}`,
    'a.txt': `${text}\n`,
  })
  const { project, address } = await conflicting(changed('mine'), changed('their own'), before)
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  for (const reason of ['binary', 'too large'] as const)
    expect([reason, text.includes(sentences.cantResolveFile(sentences.reasons[reason]))]).toEqual([reason, true])
  expect([text.includes(sentences.cantResolve), text.includes('type="radio"'), text.includes('git merge FETCH_HEAD')]).toEqual([
    true,
    false,
    true,
  ])
  const answer = await send(me, address, {
    ...(await shown(me, `/${project.full_path}`)),
    source_sha: await git(project.dir, 'rev-parse', 'topic'),
    target_sha: await git(project.dir, 'rev-parse', 'main'),
    'files[0][path]': 'bytes.dat',
    'files[0][text]': 'text',
  })
  expect(answer.status).toBe(422)
})

test('hostile names of branches and files, and lines that look like markers, are text', async () => {
  const name = `<b>"'&$(x)`
  const content = (text: string) => `${text}\n<<<<<<< HEAD\n=======\n>>>>>>> main\n`
  const { project, address } = await conflicting(
    { [name]: content('</textarea><script>') },
    { [name]: content('other') },
    { [name]: content('a') },
  )
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults, text.includes('<script>')]).toEqual([200, [], false])
  const answer = await send(me, address, {
    ...(await shown(me, address)),
    'files[0][path]': name,
    'files[0][sides][0]': 'ours',
  })
  expect(answer.status).toBe(303)
  expect(await git(project.dir, 'show', `topic:${name}`)).toBe(content('</textarea><script>').trimEnd())
})

test(
  'conflicts of a fork are resolved in the fork',
  inFullRun('2 s of processor. Conflicts in one project are resolved above, and forks merged in `forks.test.ts`.'),
  async () => {
    const contributor = await forge.user({ password })
    const browser = await signedIn(forge, contributor)
    const project = await forge.project({ owner, visibility: 'public', commits: [{ files: { 'a.txt': 'a\n' } }] })
    const { body: fork } = await forge.as(contributor).post(`/projects/${project.id}/fork`)
    await forge.drain()
    const change = (branch: string, content: string, start_branch?: string) => ({
      branch,
      ...(start_branch !== undefined && { start_branch }),
      commit_message: content,
      actions: [{ action: 'update', file_path: 'a.txt', content: `${content}\n` }],
    })
    await forge.as(contributor).post(`/projects/${fork.id}/repository/commits`, change('topic', 'fork', 'main'))
    await forge.as(owner).post(`/projects/${project.id}/repository/commits`, change('main', 'target'))
    const { body: request } = await forge.as(contributor).post(`/projects/${fork.id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      target_project_id: project.id,
      title: 'Fork',
    })
    const address = `/${project.full_path}/merge_requests/${request.iid}/conflicts`
    expect((await me.get(address)).text).toContain(sentences.mayNotPush)
    const fields = await shown(browser, address)
    expect((await send(browser, address, { ...fields, 'files[0][path]': 'a.txt', 'files[0][sides][0]': 'both' })).status).toBe(303)
    const { body } = await forge.as(owner).get(`/projects/${project.id}/merge_requests/${request.iid}`)
    expect(body.merge_status).toBe('can_be_merged')
  },
)
