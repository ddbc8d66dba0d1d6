/** Addresses of pages: what they lead to shows nothing about spaces that the visitor can't see. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../test/support/browser.ts'
import { type Forge, type TestProject, testForge } from '../../../test/support/forge.ts'
import type { LocatedGroup } from '../../access/find.ts'
import { findProject } from '../../access/find.ts'
import { group, project } from '../../http/declare/rules.ts'
import { type Page, page } from './declaration.ts'
import { locate } from './locate.ts'

let forge: Forge
let hidden: TestProject
let open: TestProject
let closed: LocatedGroup

beforeAll(async () => {
  forge = await testForge()
  closed = await forge.group({ visibility: 'private' })
  hidden = await forge.project({ group: closed, visibility: 'private' })
  open = await forge.project({ visibility: 'public' })
})

test('an address with `/-/` leads to the page without it, but not to one of a space that is hidden', async () => {
  const visitor = browserOf(forge.server)
  const led = await visitor.get(`/${open.full_path}/-/tree/main`)
  expect([led.status, led.location]).toEqual([301, `/${open.full_path}/tree/main`])
  const missing = ['nobody/nothing/-/tree/main', 'nobody/-', 'groups/nobody/-']
  const there = [`${hidden.full_path}/-/tree/main`, `${closed.full_path}/-`, `groups/${closed.full_path}/-`]
  for (const path of [...missing, ...there]) {
    const { status, location } = await visitor.get(`/${path}`)
    expect([path, status, location]).toEqual([path, 404, undefined])
  }
  const member = await forge.user()
  await forge.as(forge.root).post(`/projects/${hidden.id}/members`, { user_id: member.id, access_level: 20 })
  expect((await findProject(forge.app.db, String(hidden.id), member)).level).toBe(20)
  const pages = [page('GET /:project/tree/*', { access: project('code'), show: () => ({ redirect: '/' }) }) as Page]
  expect(await locate(forge.app.db, pages, `/${hidden.full_path}/-/tree/main`, member)).toBe(`/${hidden.full_path}/tree/main`)
})

test('a page that takes a session is not there for visitors who cannot see its space', async () => {
  const pages: Page[] = [
    page('GET /:project/edit', { access: project('edit_project'), show: () => ({ redirect: '/' }) }),
    page('GET /groups/:group/edit', { access: group('edit_group'), show: () => ({ redirect: '/' }) }),
  ]
  const at = (path: string) => locate(forge.app.db, pages, path, null)
  expect(await at(`/${open.full_path}/edit`)).toMatchObject({ params: { id: String(open.id) } })
  expect(await at(`/${hidden.full_path}/edit`)).toBeNull()
  expect(await at(`/groups/${closed.full_path}/edit`)).toBeNull()
  expect(await at('/nobody/nothing/edit')).toBeNull()
})

test('an address costs few statements, whatever words it repeats', async () => {
  const visitor = browserOf(forge.server)
  const words = 'commits/tree/blob/raw/blame/tree/commits/blob/raw/blame/tree/commits/blob/raw'
  const { statements } = await forge.cost(() => visitor.get(`/nobody/nothing/${words}/x`))
  expect(statements).toBeLessThan(45)
  const { statements: feed } = await forge.cost(() => visitor.get(`/nobody/nothing/${'commits/'.repeat(19)}x.atom`))
  expect(feed).toBeLessThan(45)
})
