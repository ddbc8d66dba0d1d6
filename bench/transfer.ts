/** A process of its own that sends a file to an address, or fetches what is there, and prints how long that took. */
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readInput } from './processes.ts'

export interface Transfer {
  url: string
  headers: Record<string, string>
  /** What is sent; null to fetch. */
  file: string | null
}

export interface Taken {
  took_s: number
  /** Of the body that came back. */
  bytes: number
}

const { url, headers, file } = await readInput<Transfer>()
const began = performance.now()
const sent = request(url, {
  method: file === null ? 'GET' : 'PUT',
  headers: { ...headers, ...(file !== null && { 'content-length': statSync(file).size }) },
})
const answered = once(sent, 'response') as Promise<[IncomingMessage]>
if (file === null) sent.end()
else await pipeline(createReadStream(file), sent)
const [response] = await answered
let bytes = 0
response.on('data', (chunk: Buffer) => {
  bytes += chunk.length
})
await once(response, 'end')
if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}`)
const taken: Taken = { took_s: (performance.now() - began) / 1_000, bytes }
process.stdout.write(`${JSON.stringify(taken)}\n`)
