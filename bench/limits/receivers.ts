/**
 * Receivers of webhooks: each address of 127.0.0.0/8 is a host of its own. Those of 127.0.1.* below a number never answer. Counts what the
 * others of 127.0.1.* receive, which `/received` at another address tells.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readInput } from '../processes.ts'

export interface ReceiversInput {
  /** How many hang. */
  hanging: number
}

const { hanging } = await readInput<ReceiversInput>()
let received = 0
const server = createServer((request, response) => {
  request.resume()
  const number = Number(/^127\.0\.1\.(\d+)/.exec(request.headers.host ?? '')?.[1] ?? -1)
  if (number >= 0 && number < hanging) return
  if (number >= 0) received += 1
  response.end(request.url === '/received' ? String(received) : '')
}).listen(0, '0.0.0.0', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
