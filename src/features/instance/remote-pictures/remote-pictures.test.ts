/** Pictures of other hosts in texts: by addresses of ours, loaded within bounds, or as links. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { atEndOfFile } from '../../../../test/support/run/cleanup.ts'
import { withRemotePictures } from './remote-pictures.ts'

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>')
const answers: Record<string, Buffer> = { '/a.gif': gif, '/b.svg': svg, '/large.gif': Buffer.concat([gif, Buffer.alloc(5 * 1024 * 1024)]) }
let forge: Forge
let host: string
const asked: string[] = []

beforeAll(async () => {
  forge = await testForge()
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.cookie ?? 'no cookie'}`)
    const body = answers[request.url ?? '']
    const location = request.url === '/moved' ? '/a.gif' : '/circle'
    response.writeHead(body ? 200 : 302, { 'content-type': 'text/html', location }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => void server.close())
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const set = (settings: Record<string, unknown>) => forge.as(forge.root).put('/application/settings', settings)
const addressOf = async (url: string) =>
  /src="([^"]*)"/.exec(await withRemotePictures(forge.app, `<p><img loading="lazy" src="${url}" alt="A" /></p>`))?.[1] ?? ''

test('they get a signed address of ours, and as links where the setting says so; our own and others stay', async () => {
  const written =
    '<p><img src="https://a.example/x.png?a=1&amp;b=2" alt="A &amp; B" /><a href="/z"><img src="http://b.example/y" /></a></p>'
  const ours = `<img src="${forge.app.config.url}/a/b/raw/main/x.png" alt="" />`

  const shown = await withRemotePictures(forge.app, written + ours)
  await set({ asset_proxy_enabled: false })
  const linked = await withRemotePictures(forge.app, written + ours)
  await set({ asset_proxy_enabled: true })

  expect(shown).toMatch(
    /^<p><img src="\/-\/pictures\/[\w-]{43}\/([\w-]+)" alt="A &amp; B" \/><a href="\/z"><img src="\/-\/pictures\/[^"]+" \/><\/a>/,
  )
  expect(Buffer.from(/pictures\/[^/]+\/([\w-]+)/.exec(shown)?.[1] ?? '', 'base64url').toString()).toBe('https://a.example/x.png?a=1&b=2')
  expect(linked).toBe(
    '<p><a href="https://a.example/x.png?a=1&amp;b=2" rel="nofollow noreferrer noopener">A &amp; B</a><a href="/z">http://b.example/y</a></p>' +
      ours,
  )
  expect([shown, linked].map((html) => html.endsWith(ours))).toEqual([true, true])
})

test('a picture is loaded once, without cookies; what is none, too large or nowhere is not found', async () => {
  const url = await forge.url()
  const at = async (address: string) => {
    const answer = await fetch(url + address)
    await answer.arrayBuffer()
    return answer
  }
  const blocked = await at(await addressOf(`${host}/a.gif?blocked`))
  await set({ allow_local_requests_from_hooks_and_services: true })
  const good = await addressOf(`${host}/a.gif`)
  const [first, second] = [await at(good), await at(good)]
  const drawing = await at(await addressOf(`${host}/b.svg`))
  const others = await Promise.all(['/moved', '/large.gif', '/circle'].map(async (path) => (await at(await addressOf(host + path))).status))
  const noUrl = await at(await addressOf('http://[/a.gif'))
  const forged = await at(good.replace(/pictures\/./, 'pictures/!'))
  await set({ allow_local_requests_from_hooks_and_services: false })

  expect(blocked.status).toBe(404)
  expect([first.status, first.headers.get('content-type'), first.headers.get('content-security-policy'), second.status]).toEqual([
    200,
    'image/gif',
    expect.stringContaining("default-src 'none'"),
    200,
  ])
  const { headers } = drawing
  expect([drawing.status, headers.get('content-type'), headers.get('content-security-policy')]).toEqual([
    200,
    'image/svg+xml',
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  ])
  expect([...others, noUrl.status, forged.status]).toEqual([200, 404, 404, 404, 404])
  expect(asked.filter((line) => !line.endsWith(' no cookie'))).toEqual([])
  expect(asked.filter((line) => line.startsWith('/a.gif'))).toHaveLength(2)
})
