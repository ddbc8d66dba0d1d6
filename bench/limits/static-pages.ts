/** The limit of pages: a server that sends ready-made bytes with the headers they had, and does nothing else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readInput } from '../processes.ts'

export interface StaticPage {
  path: string
  /** In base64, compressed if its headers say so. */
  body: string
  headers: Record<string, string>
}

const pages = new Map(
  (await readInput<StaticPage[]>()).map(({ path, body, headers }) => [path, { body: Buffer.from(body, 'base64'), headers }]),
)
const server = createServer((request, response) => {
  const page = pages.get(request.url ?? '')
  if (!page) return void response.writeHead(404).end()
  response.writeHead(200, { ...page.headers, 'content-length': page.body.length }).end(page.body)
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
