/** A reader can't infer hidden rows of an issue or a merge request: they change no text, count, time or order that the reader is shown. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { engine } from '../../../../test/support/database.ts'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { versionOf } from '../../instance/watching/watching.ts'

cpuBudget(12, 'Each page and list is asked again after each act.')

const password = 'correct horse battery'

let forge: Forge
let owner: TestUser
let reader: TestUser
let mentioned: TestUser
let project: TestProject
let hidden: TestProject
let secret: { iid: number }
let browser: Browser
let issue: { id: number; iid: number }
let request: { id: number; iid: number }

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reader, mentioned] = [await forge.user(), await forge.user({ password }), await forge.user()]
  project = await forge.project({ owner, visibility: 'public' })
  hidden = await forge.project({ owner })
  await shape(project.dir, [{ branch: 'topic', parents: ['main'], files: { f: 'x\n' } }])
  issue = await forge.issue(project, owner, { title: 'First' })
  await forge.issue(project, owner, { title: 'Second' })
  secret = await forge.issue(project, owner, { title: 'Confidential', confidential: true })
  browser = await signedIn(forge, reader)
  const asked = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
  request = (await forge.as(owner).post(`/projects/${project.id}/merge_requests`, asked)).body as typeof request
  for (const at of [`issues/${issue.iid}`, `merge_requests/${request.iid}`]) await write(at, { body: 'Seen by all' })
  await forge.drain()
})

const write = (at: string, body: object) => forge.as(owner).post(`/projects/${project.id}/${at}/discussions`, body)

const api = () => {
  const here = `/projects/${project.id}`
  return [
    here,
    '/projects?order_by=last_activity_at&visibility=public',
    `/users/${owner.id}/events`,
    `${here}/events`,
    '/todos',
    `/search?scope=issues&search=First`,
    `${here}/search?scope=notes&search=secret`,
    `${here}/labels?with_counts=true`,
    ...[`issues`, `merge_requests`].flatMap((kind) => [
      `${here}/${kind}?order_by=updated_at`,
      `${here}/${kind}?order_by=updated_at&sort=asc`,
      `/${kind}?scope=all&order_by=updated_at`,
      `${here}/${kind}?updated_after=2100-01-01T00:00:00Z`,
    ]),
    ...[`${here}/issues/${issue.iid}`, `${here}/merge_requests/${request.iid}`].flatMap((one) => [
      one,
      `${one}/notes`,
      `${one}/notes?sort=asc&order_by=updated_at`,
      `${one}/discussions`,
      `${one}/participants`,
      `${one}/award_emoji`,
      `${one}/resource_label_events`,
    ]),
    `${here}/issues/${issue.iid}/related_merge_requests`,
    `${here}/issues/${issue.iid}/closed_by`,
    `${here}/issues/${issue.iid}/links`,
    `${here}/merge_requests/${request.iid}/closes_issues`,
    `${here}/merge_requests/${request.iid}/related_issues`,
  ]
}

const pages = () => {
  const here = `/${project.full_path}`
  return [
    here,
    `${here}/issues`,
    `${here}/issues.atom`,
    `${here}/issues/${issue.iid}`,
    `${here}/merge_requests`,
    `${here}/merge_requests/${request.iid}`,
    `${here}/activity`,
    `/${owner.username}`,
    `/${owner.username}.atom`,
    `${here}.atom`,
  ]
}

/** Everything the reader is shown, by address: with what tells of pages and totals. */
async function shown(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const path of api()) {
    const { status, text, headers } = await forge.as(reader).get(path)
    expect([path, status]).toEqual([path, 200])
    found[path] = [text, headers['x-total'], headers['x-next-page']]
  }
  for (const path of pages()) {
    const { status, text } = await browser.get(path)
    expect([path, status]).toEqual([path, 200])
    found[path] = comparable(text)
  }
  for (const [kind, { id }] of [
    ['issue', issue],
    ['merge_request', request],
  ] as const)
    found[kind] = await versionOf(forge.app, kind, id)
  return found
}

/** Without what differs each time: tokens of forms, and how long ago something was. */
function comparable(text: string): string {
  return text.replace(/name="form_token" value="[^"]*"/g, '').replace(/>[^<]*<\/time>/g, '')
}

describe.each(['issue', 'merge request'])('on an %s', (kind) => {
  // On PostgreSQL the gate runs those of merge requests that have statements of their own.
  const isInGate = kind === 'issue' || engine === 'postgres'
  const options = isInGate ? {} : inFullRun('4 s of processor. What differs is asked in the statements that both have in common.')

  const on = () => (kind === 'issue' ? `issues/${issue.iid}` : `merge_requests/${request.iid}`)

  test('an internal note, its reply, its change, and that it is deleted', options, async () => {
    const before = await shown()
    const at = `/projects/${project.id}/${on()}`
    const { body } = await write(on(), { body: `A secret for @${mentioned.username}`, internal: true })
    const { id, notes } = body as { id: string; notes: Array<{ id: number }> }
    await forge.drain()
    expect(await shown()).toEqual(before)
    const reply = await forge.as(owner).post(`${at}/discussions/${id}/notes`, { body: 'secret, too' })
    await forge.as(owner).put(`${at}/discussions/${id}/notes/${notes[0]?.id}`, { body: 'A changed secret' })
    await forge.drain()
    expect([reply.status, await shown()]).toEqual([201, before])
    await forge.as(owner).delete(`${at}/notes/${notes[0]?.id}`)
    await forge.drain()
    expect(await shown()).toEqual(before)
  })

  test('a mention by what they can’t see', options, async () => {
    const before = await shown()
    const sign = kind === 'issue' ? `#${issue.iid}` : `!${request.iid}`
    await forge.issue(hidden, owner, { title: 'Hidden', description: `See ${project.full_path}${sign}` })
    await forge.as(owner).put(`/projects/${project.id}/issues/${secret.iid}`, { description: `See ${sign}` })
    await forge.drain()
    expect(await forge.as(owner).get(`/projects/${project.id}/${on()}/notes`)).toMatchObject({
      text: expect.stringContaining('mentioned in'),
    })
    expect(await shown()).toEqual(before)
  })
})
