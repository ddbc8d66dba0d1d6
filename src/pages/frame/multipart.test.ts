/** Forms with files. */
import { readdir, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Type } from 'typebox'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { type Forge, testForge } from '../../../test/support/forge.ts'
import { asForm } from '../../../test/support/form.ts'
import { type Framed, framed } from '../../../test/support/framed.ts'
import { invalid } from '../../failure.ts'
import { type Html, html } from '../../html/html.ts'
import { anyone, project, signedIn } from '../../http/declare/rules.ts'
import { File, LargeFile, text } from '../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from './declaration.ts'
import { field, form, problemsOf, untouched } from './forms.ts'

const done: string[] = []
const large_bytes = 3_000_000

const formView = (token: Html, typed: Typed): View => ({
  title: 'A form',
  main: html`<h1>A form</h1>${problemsOf(typed.errors, ['name'])}${form(
    { action: '/-/small', token, submit: 'Send', files: true },
    html`${field('Name', 'name', typed)}${field('File', 'file', typed, { type: 'file' })}`,
  )}`,
})

const own = [
  page('GET /-/form', { access: anyone(), show: ({ token }) => formView(token, untouched) }),
  action('POST /-/small', {
    access: anyone(),
    form: { name: text(20), file: Type.Optional(File) },
    act({ sent: { name, file } }) {
      if (name === 'wrong') throw invalid({ name: ['is wrong'] })
      done.push(`${name} ${file?.filename ?? 'nothing'} ${file?.bytes.length ?? 0}`)
      return { redirect: '/-/form', notice: 'Sent.' }
    },
    again: ({ token }, typed) => formView(token, typed),
  }),
  action('POST /-/large', {
    access: signedIn(),
    form: { name: text(20), file: LargeFile },
    maxFile_bytes: () => large_bytes,
    act({ sent: { name, file } }) {
      done.push(`${name} ${file.filename} ${file.content.size} ${file.content.sum().sha256.slice(0, 8)}`)
      return { redirect: '/-/form' }
    },
  }),
  action('POST /:project/-/large', {
    access: project('edit_project'),
    form: { file: LargeFile },
    maxFile_bytes: () => large_bytes,
    act: () => ({ redirect: '/-/form' }),
  }),
]

let forge: Forge
let served: Framed
let me: Browser
let token: string

beforeAll(async () => {
  forge = await testForge()
  served = await framed(forge, own)
  const user = await forge.user({ password: 'correct horse battery' })
  me = browserOf(served.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: 'correct horse battery' })
  token = /name="form_token" value="([^"]+)"/.exec((await me.get('/-/form')).text)?.[1] as string
})

beforeEach(() => {
  done.length = 0
})

const cookies = () => [...me.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

async function send(url: string, { payload, headers }: { payload: Buffer; headers: Record<string, string> }, others = {}) {
  const answer = await served.server.inject({ method: 'POST', url, payload, headers: { ...headers, cookie: cookies(), ...others } })
  return { status: answer.statusCode, text: answer.payload, location: answer.headers.location }
}

/** Temporary files that are open. */
async function openFiles(): Promise<number> {
  const folder = join(forge.app.config.home, 'objects', '.drafts')
  const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return links.filter((link) => link.startsWith(folder)).length
}

const until = (reached: () => Promise<boolean>) => expect.poll(reached).toBe(true)

test('a form sends files: small ones are held in memory, large ones on disk until the answer', async () => {
  const small = await send('/-/small', asForm({ form_token: token, name: 'One', file: Buffer.alloc(1000, 'x') }, { file: 'ä.txt' }))
  const large = await send('/-/large', asForm({ form_token: token, name: 'Two', file: Buffer.alloc(2_000_000, 'x') }))

  expect([small.status, small.location, large.status, large.location]).toEqual([303, '/-/form', 303, '/-/form'])
  expect(done).toEqual(['One ä.txt 1000', expect.stringMatching(/^Two file.png 2000000 [0-9a-f]{8}$/)])
  expect(await openFiles()).toBe(0)
})

test('a field for files in which none was chosen counts as not sent', async () => {
  const { status } = await send('/-/small', asForm({ form_token: token, name: 'One', file: Buffer.alloc(0) }, { file: '' }))
  const large = await send('/-/large', asForm({ form_token: token, name: 'One' }))

  expect([status, done, large.status]).toEqual([303, ['One nothing 0'], 400])
})

test('a text has the line breaks that were typed, and one with NUL is refused; files keep their bytes', async () => {
  const file = Buffer.from('a\r\nb\0')
  const sent = await send('/-/small', asForm({ form_token: token, name: 'a\r\nb\rc', file }))
  const refused = await send('/-/small', asForm({ form_token: token, name: 'a\0b', file }))

  expect([sent.status, done]).toEqual([303, ['a\nb\nc file.png 5']])
  expect([refused.status, refused.text.includes('value="ab"')]).toEqual([422, true])
})

test('the token must be the first part, be right, and stand there once; otherwise nothing is read', async () => {
  const file = Buffer.alloc(2_000_000, 'x')
  for (const fields of [
    { name: 'One', file },
    { name: 'One', form_token: token, file },
    { file, form_token: token, name: 'One' },
    { form_token: Buffer.from(token), name: 'One', file },
    { form_token: 'wrong', name: 'One', file },
    { form_token: `${token} `, name: 'One', file },
    { 'form_token[]': token, name: 'One', file },
    {},
  ]) {
    for (const address of ['/-/small', '/-/large']) expect([address, (await send(address, asForm(fields))).status]).toEqual([address, 403])
  }
  const twice = asForm({ form_token: token, name: 'One' })
  const second = asForm({ form_token: token }).payload
  const both = Buffer.concat([twice.payload.subarray(0, twice.payload.lastIndexOf('--a-line')), second])
  expect((await send('/-/small', { ...twice, payload: both })).status).toBe(403)
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }, { cookie: '' }]) {
    expect((await send('/-/small', asForm({ form_token: token, name: 'One' }), headers)).status).toBe(403)
  }
  expect([done, await openFiles()]).toEqual([[], 0])
})

test('a caller who may not act writes nothing to the disk', async () => {
  const hidden = await forge.project({ visibility: 'private' })
  const form = asForm({ form_token: token, file: Buffer.alloc(2_000_000, 'x') })
  const other = browserOf(served.server)
  const theirs = /name="form_token" value="([^"]+)"/.exec((await other.get('/-/form')).text)?.[1] as string
  const anonymous = asForm({ form_token: theirs, file: Buffer.alloc(2_000_000, 'x') })
  const cookie = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  expect((await send(`/${hidden.full_path}/-/large`, form)).status).toBe(404)
  expect((await send('/-/large', anonymous, { cookie })).location).toBe('/users/sign_in?return_to=%2F-%2Flarge')
  expect(await openFiles()).toBe(0)
})

test('a file that is too large is refused, with the text that was typed', async () => {
  const small = await send('/-/small', asForm({ form_token: token, name: 'Typed', file: Buffer.alloc(1_100_000, 'x') }))
  const large = await send('/-/large', asForm({ form_token: token, name: 'Typed', file: Buffer.alloc(large_bytes + 1, 'x') }))
  const field = await send('/-/small', asForm({ form_token: token, name: 'x'.repeat(1_100_000) }))
  const wrong = await send('/-/small', asForm({ form_token: token, name: 'wrong', file: Buffer.alloc(1000, 'x') }))

  expect([small.status, large.status, field.status, wrong.status]).toEqual([413, 413, 413, 422])
  expect(small.text).toContain('value="Typed"')
  expect(small.text).toContain('What you sent is too large.')
  expect(wrong.text).toContain('value="wrong"')
  expect([done, await openFiles()]).toEqual([[], 0])
})

test('a body that is malformed is refused, never an error of ours', async () => {
  const { payload, headers } = asForm({ form_token: token, name: 'One' })
  const type = 'multipart/form-data'
  for (const [contentType, body] of [
    [type, payload],
    [`${type}; boundary=`, payload],
    [`${type}; boundary=other`, payload],
    [headers['content-type'], payload.subarray(0, -30)],
    [headers['content-type'], Buffer.alloc(0)],
    [headers['content-type'], Buffer.from('--a-line-that-stands-in-no-test\r\n\r\n\r\n')],
  ] as Array<[string, Buffer]>) {
    const { status } = await send('/-/small', { payload: body, headers: { 'content-type': contentType } })
    expect([contentType, body.length, [400, 403, 415, 422].includes(status)]).toEqual([contentType, body.length, true])
  }
  const many = asForm(Object.fromEntries([['form_token', token], ...Array.from({ length: 1_100 }, (_, index) => [`field${index}`, 'x'])]))
  expect((await send('/-/small', many)).status).toBeLessThan(500)
  expect(done).toEqual([])
})

test('a connection that is cut in the middle of a file leaves nothing behind', async () => {
  const { hostname, port } = new URL(await served.url())
  const { payload, headers } = asForm({ form_token: token, name: 'Cut', file: Buffer.alloc(2_000_000, 'x') })
  const sending = request({
    hostname,
    port,
    method: 'POST',
    path: '/-/large',
    headers: { ...headers, 'content-length': payload.length, cookie: cookies() },
  })
  sending.on('error', () => {})
  sending.write(payload.subarray(0, 1_500_000))
  await until(async () => (await openFiles()) === 1)

  sending.destroy()

  await until(async () => (await openFiles()) === 0)
  expect(done).toEqual([])
})

test('whoever sends far too much gets the page that says so, over a connection that stays open', async () => {
  const { payload, headers } = asForm({ form_token: token, name: 'Typed', file: Buffer.alloc(30_000_000, 'x') })
  const answer = await fetch(`${await served.url()}/-/small`, {
    method: 'POST',
    body: new Uint8Array(payload),
    headers: { ...headers, cookie: cookies() },
  })

  expect([answer.status, (await answer.text()).includes('value="Typed"')]).toEqual([413, true])
})
