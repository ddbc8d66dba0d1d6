/** The pages of labels, milestones and boards, of projects and groups: who sees and changes them, what they refuse, and what they cost. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { noticeAt } from '../../../test/support/notices.ts'

const password = 'correct horse battery'
const roles = ['guest', 'reporter', 'developer', 'stranger', 'owner'] as const
let forge: Forge
let users: Record<(typeof roles)[number], TestUser>
let as: Record<(typeof roles)[number] | 'nobody', Browser>
let group: Awaited<ReturnType<Forge['group']>>
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  const [guest, reporter, developer, stranger, owner] = await Promise.all(roles.map(() => forge.user({ password })))
  users = { guest, reporter, developer, stranger, owner } as typeof users
  group = await forge.group({ owner: users.owner, guest: users.guest, reporter: users.reporter, developer: users.developer })
  project = await forge.project({ group })
  const browsers = await Promise.all(roles.map(async (role) => [role, await signedIn(forge, users[role])] as const))
  as = { ...Object.fromEntries(browsers), nobody: browserOf(forge.server) } as typeof as
})

/** The page, or the one it leads to. */
async function follow(who: Browser, address: string) {
  const first = await who.get(address)
  return first.location === undefined ? first : who.get(first.location)
}

/** As the form of the page: its address also has a form that finds, which a browser without scripts would take for it. */
async function send(who: Browser, page: string, fields: Record<string, string>) {
  const token = /name="form_token" value="([^"]+)"/.exec((await who.get(page)).text)?.[1] ?? ''
  return who.post(page, { form_token: token, ...fields }, { host: 'gitstead.test', origin: 'http://gitstead.test' })
}

const isMember = (role: string) => role !== 'stranger' && role !== 'nobody'
const fresh = (name: string) => `${name} ${Math.random().toString(36).slice(2)}`
const api = () => forge.as(users.owner)

describe.each(['project', 'group'] as const)('in a %s', (kind) => {
  const at = (name: string) => (kind === 'project' ? `/${project.full_path}/${name}` : `/groups/${group.full_path}/-/${name}`)
  const path = () => (kind === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`)

  test.each([
    ['labels', 'reporter', ['owner', 'developer', 'reporter']],
    ['milestones', 'developer', ['owner', 'developer']],
    ['boards', 'reporter', ['owner', 'developer', 'reporter']],
  ] as const)('%s are seen by members, and offered for change to those who may: from the role %s', async (name, _, changing) => {
    if (name === 'boards') await api().post(`${path()}/boards`, { name: fresh('Board') })
    const mayChange = (role: string) => (changing as readonly string[]).includes(role)
    for (const role of [...roles, 'nobody'] as const) {
      const { status, text } = await follow(as[role], at(name))
      const offers = text.includes('Board settings') || text.includes(`${at(name)}/new"`)
      expect([role, status, offers]).toEqual([role, isMember(role) ? 200 : 404, mayChange(role)])
    }
    if (name === 'boards') return
    for (const role of roles) {
      const form = await as[role].get(`${at(name)}/new`)
      expect([role, form.status]).toEqual([role, mayChange(role) ? 200 : isMember(role) ? 403 : 404])
    }
    expect((await as.nobody.get(`${at(name)}/new`)).status).toBe(404)
  })

  test('a label is created, changed, subscribed to and deleted; a wrong one keeps what was typed', async () => {
    const title = fresh('<b>bug</b>')
    const made = await as.reporter.submit(`${at('labels')}/new`, at('labels'), { title, color: 'teal', description: 'A "kind"' })
    expect([made.status, await noticeAt(as.reporter, made.location)]).toEqual([303, `Label ${title} created`])
    const { body } = await api().get(`${path()}/labels?search=${encodeURIComponent(title)}`)
    const { id } = body[0]
    const edit = `${at('labels')}/${id}/edit`
    for (const [fields, words] of [
      [{ title: ' ', color: 'red' }, ' '],
      [{ title: 'one, two', color: 'red' }, 'one, two'],
      [{ title, color: 'no-color' }, 'no-color'],
      [{ title: 'x'.repeat(256), color: 'red' }, 'x'.repeat(256)],
    ] as const) {
      const refused = await as.reporter.submit(edit, `${at('labels')}/${id}`, { description: 'my own words', ...fields })
      expect([fields, refused.status, refused.text.includes('my own words'), refused.text.includes(`value="${words}"`)]).toEqual([
        fields,
        422,
        true,
        true,
      ])
    }
    const other = fresh('other')
    expect((await as.reporter.submit(edit, `${at('labels')}/${id}`, { title: other, color: 'blue' })).status).toBe(303)
    const list = `${at('labels')}?search=${encodeURIComponent(other)}`
    expect((await as.guest.submit(list, `${at('labels')}/${id}/subscribe`)).status).toBe(303)
    expect((await as.guest.get(list)).text).toContain('Unsubscribe')
    expect((await as.reporter.get(list)).text).not.toContain('Unsubscribe')
    expect((await as.reporter.submit(edit, `${at('labels')}/${id}/remove`)).status).toBe(303)
    expect((await as.reporter.get(list)).text).toContain('No label has this in its name.')
    expect((await as.reporter.get(edit)).status).toBe(404)
  })

  test('a milestone is created, closed, opened and deleted; a wrong one keeps what was typed', async () => {
    const title = fresh('Version')
    const made = await as.developer.submit(`${at('milestones')}/new`, at('milestones'), {
      title,
      description: '**Bold**',
      due_date: '2030-01-01',
    })
    expect(made.status).toBe(303)
    const page = made.location ?? ''
    expect((await as.guest.get(page)).text).toMatch(/<strong>Bold<\/strong>/)
    for (const fields of [
      { title: '' },
      { title: 'Kept', start_date: '2018-13-40' },
      { title: 'Kept', start_date: '2031-01-01', due_date: '2030-01-01' },
    ]) {
      const refused = await as.developer.submit(`${at('milestones')}/new`, at('milestones'), { description: 'my own words', ...fields })
      expect([fields, refused.status, refused.text.includes('my own words')]).toEqual([fields, 422, true])
    }
    expect((await as.developer.submit(page, `${page}/close`)).status).toBe(303)
    expect((await as.guest.get(at('milestones'))).text).not.toContain(title)
    expect((await as.guest.get(`${at('milestones')}?state=closed`)).text).toContain(title)
    expect((await as.developer.submit(page, `${page}/activate`)).status).toBe(303)
    expect((await as.developer.submit(page, `${page}/remove`)).status).toBe(303)
    expect((await as.developer.get(page)).status).toBe(404)
    expect((await as.developer.get(`${at('milestones')}?search=${fresh('none')}`)).text).toContain('milestone')
  })

  test('confidential issues are neither shown nor counted for guests, on milestones, labels and boards', async () => {
    const label = (await api().post(`${path()}/labels`, { name: fresh('kind'), color: 'red' })).body
    const milestone = (await api().post(`${path()}/milestones`, { title: fresh('Soon') })).body
    const board = (await api().post(`${path()}/boards`, { name: fresh('Board') })).body
    await api().post(`${path()}/boards/${board.id}/lists`, { label_id: label.id })
    const fields = { milestone_id: milestone.id, label_ids: [label.id] }
    const [open, secret] = [fresh('Open'), fresh('Secret')]
    await forge.issue(project, users.owner, { title: open, ...fields })
    await forge.issue(project, users.owner, { title: secret, confidential: true, ...fields })
    const pages = [
      [`${at('milestones')}/${milestone.iid}`, '0 of 1 issue closed', '0 of 2 issues closed'],
      [`${at('labels')}?search=${encodeURIComponent(label.name)}`, '1 open issue<', '2 open issues'],
      [`${at('boards')}/${board.id}`, `</bdi> <span class="hint">1</span>`, `</bdi> <span class="hint">2</span>`],
    ] as const
    for (const [address, few, all] of pages) {
      const [forGuest, forReporter] = [(await as.guest.get(address)).text, (await as.reporter.get(address)).text]
      expect([address, forGuest.includes(few), forGuest.includes(secret), forReporter.includes(all)]).toEqual([address, true, false, true])
    }
  })

  test('an issue moves by its menu; what is refused is said on the board', async () => {
    const label = (await api().post(`${path()}/labels`, { name: fresh('doing'), color: 'red' })).body
    const board = (await api().post(`${path()}/boards`, { name: fresh('Board') })).body
    const list = (await api().post(`${path()}/boards/${board.id}/lists`, { label_id: label.id })).body
    const issue = await forge.issue(project, users.guest, { title: fresh('Card') })
    const page = `${at('boards')}/${board.id}`
    const move = (who: Browser, to: string, from = 'open') => who.submit(page, `${page}/issues`, { issue_id: String(issue.id), from, to })
    const read = async () => (await api().get(`/projects/${project.id}/issues/${issue.iid}`)).body
    // Authors close theirs, and may not label.
    const refused = await move(as.guest, String(list.id))
    expect([refused.status, refused.text.includes('role="alert"'), refused.text.includes(issue.title)]).toEqual([403, true, true])
    const nowhere = await move(as.reporter, 'open')
    expect([nowhere.status, nowhere.text.includes('The issue is there already')]).toEqual([422, true])
    expect((await move(as.reporter, 'strange')).status).toBe(422)
    expect((await read()).labels).toEqual([])
    const moved = await move(as.reporter, String(list.id))
    expect([moved.status, await noticeAt(as.reporter, moved.location)]).toEqual([303, `${issue.title} is in ${label.name} now.`])
    expect((await read()).labels).toEqual([label.name])
    expect((await move(as.guest, 'closed', String(list.id))).status).toBeGreaterThanOrEqual(303)
    expect((await move(as.reporter, 'closed', String(list.id))).status).toBeLessThan(404)
    const stranger = await as.stranger.get(page)
    expect(stranger.status).toBe(404)
  })

  test('a board is created, named, given lists and deleted; its lists are removed by owners', async () => {
    const boards = at('boards')
    const first = (await api().post(`${path()}/boards`, { name: fresh('Board') })).body
    const page = `${boards}/${first.id}`
    const made = await as.reporter.submit(page, boards, { name: 'Second' })
    expect(made.status).toBe(303)
    const own = made.location ?? ''
    const wrong = await send(as.reporter, own, { name: 'x'.repeat(256) })
    expect([wrong.status, wrong.text.includes('x'.repeat(256))]).toEqual([422, true])
    expect((await send(as.reporter, own, { name: 'Third', hide_closed_list: 'true' })).status).toBe(303)
    const { text } = await as.reporter.get(own)
    expect([text.includes('data-column="closed"'), text.includes('Third')]).toEqual([false, true])
    const label = (await api().post(`${path()}/labels`, { name: fresh('column'), color: 'red' })).body
    expect((await as.reporter.submit(own, `${own}/lists`, { label_id: String(label.id) })).status).toBe(303)
    const twice = await as.reporter.submit(own, `${own}/lists`, { label_id: String(label.id) })
    expect([twice.status, twice.text.includes('role="alert"')]).toEqual([422, true])
    const id = /\/lists\/(\d+)\/remove/.exec((await as.owner.get(own)).text)?.[1]
    expect((await as.reporter.get(own)).text).not.toContain('Remove list')
    expect((await as.owner.submit(own, `${own}/lists/${id}/remove`)).status).toBe(303)
    expect((await as.reporter.submit(own, `${own}/remove`)).status).toBe(303)
    expect((await as.reporter.get(own)).status).toBe(404)
  })
})

test('places without labels, milestones and boards say what these are for', async () => {
  const empty = await forge.project({ owner: users.owner })
  for (const [name, words] of [
    ['labels', 'There are no labels yet.'],
    ['milestones', 'There are no'],
    ['boards', 'There is no board yet.'],
  ] as const)
    expect([name, (await as.owner.get(`/${empty.full_path}/${name}`)).text.includes(words)]).toEqual([name, true])
})

test('an archived project shows its planning and offers no change; without the feature there is none', async () => {
  const old = await forge.project({ owner: users.owner })
  const base = `/${old.full_path}`
  const { body: board } = await api().post(`/projects/${old.id}/boards`, { name: 'Old' })
  const { body: label } = await api().post(`/projects/${old.id}/labels`, { name: 'old', color: 'red' })
  await api().post(`/projects/${old.id}/milestones`, { title: 'Old' })
  await forge.issue(old, users.owner, { title: 'Old card' })
  await api().post(`/projects/${old.id}/archive`)
  for (const name of ['labels', 'milestones', 'milestones/1', `boards/${board.id}`]) {
    const { status, text } = await as.owner.get(`${base}/${name}`)
    const offers = /Move to…|draggable|Board settings|\/edit"|\/new"|Delete/.test(text.slice(text.indexOf('<main')))
    expect([name, status, offers]).toEqual([name, 200, false])
  }
  for (const name of ['labels/new', `labels/${label.id}/edit`, 'milestones/new', 'milestones/1/edit'])
    expect([name, (await as.owner.get(`${base}/${name}`)).status]).toEqual([name, 403])
  await api().post(`/projects/${old.id}/unarchive`)
  await api().put(`/projects/${old.id}`, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' })
  for (const name of ['labels', 'milestones', 'boards', `boards/${board.id}`])
    expect([name, (await as.owner.get(`${base}/${name}`)).status]).toEqual([name, 403])
})

test('labels, milestones and boards cost a fixed number of statements, however long', async () => {
  const own = await forge.project({ owner: users.owner })
  const base = `/${own.full_path}`
  const { body: board } = await api().post(`/projects/${own.id}/boards`, { name: 'Board' })
  const { body: shown } = await api().post(`/projects/${own.id}/labels`, { name: 'shown', color: 'red' })
  await api().post(`/projects/${own.id}/boards/${board.id}/lists`, { label_id: shown.id })
  const fill = async (count: number, name: string) => {
    for (let index = 0; index < count; index += 1) {
      const { body: label } = await api().post(`/projects/${own.id}/labels`, { name: `${name} ${index}`, color: 'red' })
      const { body: milestone } = await api().post(`/projects/${own.id}/milestones`, { title: `${name} ${index}` })
      for (const label_ids of [[label.id], [shown.id]])
        await forge.issue(own, users.owner, { label_ids, milestone_id: milestone.id, assignee_ids: [users.owner.id] })
      const done = await forge.issue(own, users.owner, { milestone_id: milestone.id })
      await api().put(`/projects/${own.id}/issues/${done.iid}`, { state_event: 'close' })
    }
  }
  const costs = async () => {
    const found: unknown[] = []
    for (const name of ['labels', 'milestones', 'milestones/1', `boards/${board.id}`]) {
      await as.owner.get(`${base}/${name}`)
      found.push([name, (await forge.cost(() => as.owner.get(`${base}/${name}`))).statements])
    }
    return found
  }
  await fill(1, 'first')
  const few = await costs()
  await fill(6, 'more')
  expect(await costs()).toEqual(few)
})
