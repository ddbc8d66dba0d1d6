/** The bell of projects and groups, and the form behind it. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../test/support/browser.ts'
import { signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { type Forge, testForge } from '../../../test/support/forge.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

test('the level of a project and of a group is shown on their pages and changed by a form; the switches go with it', async () => {
  const user = await forge.user({ password: 'correct horse battery' })
  const group = await forge.group({ reporter: user, visibility: 'private' })
  const project = await forge.project({ group, visibility: 'private', files: null })
  const me = await signedIn(forge, user)
  for (const [home, form, api] of [
    [`/${project.full_path}`, `/${project.full_path}/-/notifications`, `/projects/${project.id}`],
    [`/groups/${group.full_path}`, `/groups/${group.full_path}/-/notifications`, `/groups/${group.id}`],
  ] as const) {
    expect((await me.get(home)).text).toMatch(new RegExp(`<a class="bell" href="${form}"[^>]*>[^]*?Notifications: As everywhere`))
    const saved = await me.submit(form, form, { level: 'custom', new_issue: 'true', failed_pipeline: 'false' })
    expect([saved.status, saved.location]).toEqual([303, form])
    const { body } = await forge.as(user).get(`${api}/notification_settings`)
    expect(body).toMatchObject({ level: 'custom', events: { new_issue: true, new_note: false, failed_pipeline: false } })
    expect((await me.get(home)).text).toContain('Notifications: What I choose')
    expect((await me.submit(form, form, { level: 'everything' })).status).toBe(422)
  }
})

test('who isn’t signed in sees no bell, and pays no statement for it; others pay one', async () => {
  const user = await forge.user({ password: 'correct horse battery' })
  const project = await forge.project({ visibility: 'public', files: null })
  const group = await forge.group({ visibility: 'public' })
  const [visitor, me] = [browserOf(forge.server), await signedIn(forge, user)]
  for (const home of [`/${project.full_path}/activity`, `/groups/${group.full_path}/-/activity`]) {
    expect((await visitor.get(home)).text).not.toContain('class="bell"')
    expect((await me.get(home)).text).toContain('class="bell"')
  }
  expect((await visitor.get(`/${project.full_path}/-/notifications`)).location).toContain('/users/sign_in')
})
