/** Pages in parts, and compressed pages. */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { type Forge, testForge } from '../../../test/support/forge.ts'
import { type Framed, framed } from '../../../test/support/framed.ts'
import { countedBytes, noRoom } from '../../../test/support/held-bytes.ts'
import { notFound } from '../../failure.ts'
import { html } from '../../html/html.ts'
import { anyone } from '../../http/declare/rules.ts'
import { page } from './declaration.ts'
import { late } from './parts.ts'

/** The page of parts waits for this before it sends its second part. */
let gate: Promise<void> = Promise.resolve()
let isEnded = false

/** More than a connection takes, also when it is compressed. */
const large = randomBytes(1024 * 1024).toString('base64')

const own = [
  page('GET /-/large', { access: anyone(), show: () => ({ title: 'Large', main: html`<h1>Large</h1>${large}` }) }),
  page('GET /-/parts', {
    access: anyone(),
    show: () => ({
      title: 'Parts',
      main: parts(),
    }),
  }),
  page('GET /-/broken-early', { access: anyone(), show: () => ({ title: 'Broken', main: failing('before') }) }),
  page('GET /-/broken-late', { access: anyone(), show: () => ({ title: 'Broken', main: failing('after') }) }),
  page('GET /-/long', { access: anyone(), show: () => ({ title: 'Long', main: html`<h1>Long</h1>${'a line of text\n'.repeat(10_000)}` }) }),
  page('GET /-/short', { access: anyone(), show: () => ({ title: 'Long', main: html`<h1>Long</h1>${'a line of text\n'.repeat(100)}` }) }),
]

async function* parts() {
  isEnded = false
  try {
    yield html`<h1>Parts</h1><ul><li id="one"></li></ul>`
    await gate
    yield late('one', html`The first`)
    for (let index = 0; index < 100; index += 1) yield html`<p>Part ${index}</p>`
  } finally {
    isEnded = true
  }
}

async function* failing(when: 'before' | 'after') {
  if (when === 'before') throw notFound('Thing')
  yield html`<h1>Broken</h1><table><tr><td>One</td></tr></table>`
  throw new Error('a secret of the server')
}

let forge: Forge
let served: Framed
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  served = await framed(forge, own)
  const user = await forge.user({ password: 'correct horse battery' })
  me = browserOf(served.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: 'correct horse battery' })
})

const fromHere = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', 'accept-encoding': 'gzip, deflate, br' }

test('a page in parts is one whole document', async () => {
  const { text, status } = await me.get('/-/parts')

  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('<p>Part 99</p></main>')
})

test('the first part is there while the second is still being made, compressed or not', async () => {
  for (const encoding of ['br', 'identity']) {
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const answer = await fetch(`${await served.url()}/-/parts`, { headers: { 'accept-encoding': encoding } })
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes('<li id="one"></li></ul>')) text += decoder.decode((await reader.read()).value, { stream: true })
    expect(text).not.toContain('The first')
    open()
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true })
    expect([answer.headers.get('content-encoding'), text.endsWith('</html>')]).toEqual([encoding === 'br' ? 'br' : null, true])
    expect(text).toContain('<template data-late="one">The first</template>')
  }
})

test('a large page is counted until its reader has it, and where there is no room it is an error page', async () => {
  const { limits } = forge.app
  const { held: usual } = limits
  onTestFinished(() => {
    limits.held = usual
  })
  const { counted, held } = countedBytes()
  limits.held = held
  const [large, short] = [await me.get('/-/large'), await me.get('/-/short')]
  expect([large.status, short.status]).toEqual([200, 200])
  expect(counted.slice(0, 2)).toEqual([counted[0], -(counted[0] ?? 0)])
  expect(counted[0]).toBeGreaterThan(1024 * 1024)

  limits.held = noRoom
  const refused = await me.get('/-/large')
  expect([refused.status, readDocument(refused.text).faults]).toEqual([503, []])
  expect(refused.text).toContain('Too much is under way.')
})

test('the work on a page ends when its reader leaves', async () => {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  const { hostname, port } = new URL(await served.url())
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.write('GET /-/parts HTTP/1.1\r\nhost: here\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  expect(isEnded).toBe(false)
  socket.destroy()
  await new Promise((resolve) => socket.once('close', resolve))
  open()
  await expect.poll(() => isEnded).toBe(true)
})

test('what fails before the first part has its status; what fails later is a sentence with the id of the request', async () => {
  gate = Promise.resolve()
  const early = await me.get('/-/broken-early')
  const later = await me.get('/-/broken-late')

  expect([early.status, later.status]).toEqual([404, 200])
  expect(later.text).toMatch(
    /<td>One<\/td><\/tr><\/table><p class="problems" role="alert">The rest of this page could not be loaded\..*<code>[\w-]+<\/code>/,
  )
  expect([later.text.includes('secret'), readDocument(later.text).faults]).toEqual([false, []])
})

test('pages are compressed as the client takes it, and small ones are not', async () => {
  const ask = async (path: string, accepted: string) => {
    const { headers, rawPayload } = await served.server.inject({ url: path, headers: { 'accept-encoding': accepted } })
    return { encoding: headers['content-encoding'], vary: headers.vary, bytes: rawPayload }
  }
  const plain = await ask('/-/long', 'identity')
  expect([plain.encoding, plain.bytes.length > 100_000]).toEqual([undefined, true])
  const long = await ask('/-/long', 'gzip, deflate, br')
  const short = await ask('/-/short', 'gzip, deflate, br')
  expect([long.encoding, short.encoding, long.vary]).toEqual(['br', 'gzip', 'cookie, accept-encoding, accept-language, sec-fetch-site'])
  expect(brotliDecompressSync(long.bytes).toString()).toContain('<h1>Long</h1>')
  expect(gunzipSync(short.bytes).toString()).toContain('<h1>Long</h1>')
  expect([(await ask('/-/long', 'gzip')).encoding, (await ask('/-/short', 'br')).encoding]).toEqual(['gzip', 'br'])
  expect((await ask('/-/long', 'br;q=0, gzip;q=0.0')).encoding).toBeUndefined()
  expect((await ask('/-/long', 'br;q=0, gzip;q=0.5')).encoding).toBe('gzip')
  expect((await ask('/nothing/here', 'br')).encoding).toBe('br')
})

test('what another site, or a picture in user text, makes a browser ask for is not compressed for somebody signed in', async () => {
  const secure = await framed({ ...forge, app: { ...forge.app, config: { ...forge.app.config, url: 'https://gitstead.test' } } }, own)
  const cookie = [...me.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const encodingFor = async (server: Framed, headers: Record<string, string | undefined>) => {
    const sent = Object.fromEntries(Object.entries({ cookie, ...fromHere, ...headers }).filter(([, value]) => value !== undefined))
    return (await server.server.inject({ url: '/-/long', headers: sent })).headers['content-encoding']
  }
  expect(await encodingFor(secure, {})).toBe('br')
  expect(await encodingFor(secure, { 'sec-fetch-site': 'none' })).toBe('br')
  expect(await encodingFor(secure, { 'sec-fetch-dest': 'empty' })).toBe('br')
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': undefined, 'sec-fetch-dest': undefined },
  ]) {
    expect([headers, await encodingFor(secure, headers)]).toEqual([headers, undefined])
  }
  expect(await encodingFor(served, { 'sec-fetch-site': undefined, 'sec-fetch-dest': undefined })).toBe('br')
  expect(await encodingFor(secure, { cookie: '', 'sec-fetch-site': 'cross-site' })).toBe('br')
})

test('the token of a form is written differently each time, and every one of them is good', async () => {
  const tokenIn = (text: string) => /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const [one, other] = [tokenIn((await me.get('/-/short')).text), tokenIn((await me.get('/-/short')).text)]
  expect(one).not.toBe(other)
  for (const wrong of [
    '',
    one.slice(0, -1),
    `${one}A`,
    one.slice(0, 43),
    one.slice(43) + one.slice(0, 43).replace(/^./, '-'),
    'A'.repeat(86),
  ]) {
    expect([wrong, (await me.post('/users/sign_out', { form_token: wrong })).status]).toEqual([wrong, 403])
  }
  expect((await me.post('/users/sign_out', { form_token: one })).status).toBe(303)
})
