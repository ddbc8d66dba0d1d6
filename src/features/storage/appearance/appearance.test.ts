/** The appearance of the instance: by API and form, on every page, for everybody at once. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { html } from '../../../html/untranslated.ts'
import { documentOf, textOf } from '../../notifications/outbox/message.ts'
import { appearanceOf, watchAppearance } from './appearance.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const at = '/application/appearance'
const change = (parts: object) => forge.as(forge.root).put(at, parts)
const send = async (parts: Record<string, unknown>, names: Record<string, string> = {}) => {
  const { payload, headers } = asForm(parts, names)
  return forge.as(forge.root).put(at, payload, { headers })
}
const pageOf = async (path: string) => (await browserOf(forge.server).get(path)).text

const untouched = {
  title: '',
  description: '',
  pwa_name: '',
  pwa_short_name: '',
  pwa_description: '',
  pwa_icon: null,
  logo: null,
  header_logo: null,
  favicon: null,
  member_guidelines: '',
  new_project_guidelines: '',
  profile_image_guidelines: '',
  header_message: '',
  footer_message: '',
  message_background_color: '#E75E40',
  message_font_color: '#FFFFFF',
  email_header_and_footer_enabled: false,
}

test('it is empty at first, is changed in parts, and what is emptied is as at first again', async () => {
  expect((await forge.as(forge.root).get(at)).body).toEqual(untouched)
  const parts = { title: 'Foundry', description: 'Where *things* are made', pwa_name: 'Foundry app', email_header_and_footer_enabled: true }
  expect((await change(parts)).body).toEqual({ ...untouched, ...parts })
  expect((await change({ pwa_name: '', message_font_color: '#000' })).body).toEqual({
    ...untouched,
    ...parts,
    pwa_name: '',
    message_font_color: '#000',
  })
  const logged = (await forge.as(forge.root).get('/audit_events')).body[0]
  expect(logged.details.custom_message ?? logged.message ?? JSON.stringify(logged)).toContain('appearance_message_font_color')
  for (const page of ['/', '/users/sign_in', '/users/sign_up']) {
    const text = await pageOf(page)
    expect([page, readDocument(text).faults]).toEqual([page, []])
    expect(text).toContain('Foundry')
    expect(text).toContain('<em>things</em>')
  }
  const restored = await change({ title: null, description: '', message_font_color: null, email_header_and_footer_enabled: false })
  expect(restored.body).toEqual(untouched)
})

test('wrong values are named, and change nothing', async () => {
  const wrong = async (parts: object) => {
    const { status, body } = await change({ ...parts, title: 'Not this' })
    return [status, body]
  }
  const color = [400, { message: { message_background_color: ['must be a valid color code'] } }]
  for (const message_background_color of ['red', '#12', '#12345g', '#fff}body{display:none'])
    expect(await wrong({ message_background_color })).toEqual(color)
  expect((await wrong({ header_message: 'x'.repeat(2_001) }))[0]).toBe(400)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const refused = await send({ title: 'Not this', logo: svg })
  expect([refused.status, refused.body.message.logo[0]]).toEqual([400, expect.stringContaining('file format is not supported')])
  const large = await send({ title: 'Not this', header_logo: Buffer.concat([onePixel, Buffer.alloc(1024 * 1024)]) })
  expect([large.status, large.body]).toEqual([400, { message: { header_logo: ['is too big (should be at most 1024 KB)'] } }])
  expect((await forge.as(forge.root).get(at)).body).toEqual(untouched)
})

test('images are on every page, replaced and removed; the store keeps none that is not shown', async () => {
  const { body } = await send(
    { logo: onePixel, header_logo: onePixel, favicon: onePixel, pwa_icon: onePixel },
    { logo: '../my logo.png', header_logo: 'h.png', favicon: 'f.png', pwa_icon: 'p.png' },
  )
  expect(body).toMatchObject({
    logo: '/uploads/-/system/appearance/logo/1/my_logo.png',
    header_logo: '/uploads/-/system/appearance/header_logo/1/h.png',
    favicon: '/uploads/-/system/appearance/favicon/1/f.png',
    pwa_icon: '/uploads/-/system/appearance/pwa_icon/1/p.png',
  })
  const front = await pageOf('/')
  for (const image of ['logo/1/my_logo.png', 'header_logo/1/h.png', 'favicon/1/f.png']) expect(front).toContain(`/appearance/${image}?v=`)
  const served = await forge.anonymous.get(`/${body.logo}`)
  expect([served.status, served.headers['content-type'], served.bytes.equals(onePixel)]).toEqual([200, 'image/png', true])
  expect(served.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  expect((await forge.anonymous.get('//uploads/-/system/appearance/logo/1/other.png')).status).toBe(404)
  const manifest = await browserOf(forge.server).get('/-/manifest.json')
  expect(JSON.parse(manifest.text)).toMatchObject({ name: 'Gitstead', icons: [{ src: expect.stringContaining('/pwa_icon/1/p.png') }] })
  expect((await browserOf(forge.server).get('/favicon.ico')).location).toContain('/favicon/1/f.png')
  const kept = () => forge.app.db.selectFrom('appearance').select('store_key').where('store_key', 'is not', null).execute()
  const before = await kept()
  expect((await send({ logo: onePixel }, { logo: 'second.png' })).body.logo).toBe('/uploads/-/system/appearance/logo/1/second.png')
  await change({ logo: null, header_logo: null, favicon: null, pwa_icon: null })
  const freed = await forge.app.db.selectFrom('unreferenced_objects').select('key').where('key', 'like', 'appearance/%').execute()
  expect(await kept()).toEqual([])
  for (const { store_key } of before) expect(freed.map(({ key }) => key)).toContain(store_key)
})

test('messages stand above and below every page, in colours that can be read, and in mail where that is chosen', async () => {
  await change({ header_message: 'Read **this** <script>', footer_message: 'Below', message_background_color: '#000080' })
  for (const page of ['/', '/users/sign_in', '/no/such/page']) {
    const text = await pageOf(page)
    expect([page, readDocument(text).faults]).toEqual([page, []])
    expect(text).toMatch(/<aside class="message-bar"[^>]*><p>Read <strong>this<\/strong>/)
    expect(text).toMatch(/<aside class="message-bar"[^>]*><p>Below/)
  }
  const [, href = ''] = /href="(\/-\/appearance\.css\?v=\w+)"/.exec(await pageOf('/')) ?? []
  const style = await browserOf(forge.server).get(href)
  expect([style.headers['content-type'], style.text]).toEqual([
    'text/css; charset=utf-8',
    '.message-bar,.message-bar a{background:#000080;color:#FFFFFF}\n',
  ])
  const mailed = () => [textOf(forge.app, 'Hi\n'), documentOf(forge.app, 'Hi', html`<p>Hi</p>`)]
  expect(mailed().join()).not.toContain('this')
  await change({ email_header_and_footer_enabled: true })
  const [text, document] = mailed()
  expect(text).toBe('Read **this** <script>\n\nHi\n\nBelow\n')
  expect(document).toContain('Read <strong>this</strong>')
  await change({ header_message: '', footer_message: '', email_header_and_footer_enabled: false })
  expect(await pageOf('/')).not.toContain('message-bar')
})

test('guidelines stand where they are needed, and a form changes everything', async () => {
  const password = 'correct horse battery'
  const root = await forge.user({ password, admin: true })
  const group = await forge.group({ owner: root })
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: root.username, password })
  const guidelines = {
    new_project_guidelines: 'Ask *us* first',
    member_guidelines: 'Only *friends*',
    profile_image_guidelines: 'No *cats*',
  }
  const form = '/admin/appearance'
  expect((await me.submit(form, form, { ...guidelines, title: 'By form', message_background_color: 'blue' })).status).toBe(422)
  expect((await me.submit(form, form, { ...guidelines, title: 'By form' })).location).toBe(form)
  expect((await forge.as(forge.root).get(at)).body).toEqual({ ...untouched, ...guidelines, title: 'By form' })
  expect((await me.get('/projects/new')).text).toContain('<em>us</em>')
  expect((await me.get(`/groups/${group.full_path}/-/group_members`)).text).toContain('<em>friends</em>')
  expect((await me.get('/profile')).text).toContain('<em>cats</em>')
  await send({ favicon: onePixel })
  const shown = await me.get(form)
  expect([shown.status, readDocument(shown.text).faults]).toEqual([200, []])
  expect((await me.submit(form, `${form}/remove`, { image: 'favicon' })).location).toBe(form)
  await change({ title: null, ...Object.fromEntries(Object.keys(guidelines).map((name) => [name, null])) })
  expect((await forge.as(forge.root).get(at)).body).toEqual(untouched)
})

test('it costs no page a statement, and other processes follow', async () => {
  const other = { ...forge.app, limits: { ...forge.app.limits } }
  const stop = await watchAppearance(other)
  await change({ title: 'Everywhere' })
  expect(appearanceOf(forge.app).title).toBe('Everywhere')
  await expect.poll(() => appearanceOf(other).title).toBe('Everywhere')
  stop()
  const cost = async () => {
    await pageOf('/users/password/new')
    return (await forge.cost(() => pageOf('/users/password/new'))).statements
  }
  const named = await cost()
  await change({ title: null })
  expect(await cost()).toBe(named)
})
