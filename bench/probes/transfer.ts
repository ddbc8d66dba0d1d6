/** A process of its own that sends a file to an address, or fetches what is there, and prints how long that took. */
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readInput } from '../processes.ts'

export interface Transfer {
  url: string
  headers: Record<string, string>
  /** The file to send; null to fetch. */
  file: string | null
  /** Whether it is sent as the field `file` of a form, by POST. */
  asForm?: boolean
}

export interface Taken {
  took_s: number
  /** Size of the reply's body. */
  bytes: number
}

const { url, headers, file, asForm = false } = await readInput<Transfer>()
const began = performance.now()
const boundary = 'boundary-of-the-bench'
const head = asForm
  ? `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="artifacts.zip"\r\ncontent-type: application/zip\r\n\r\n`
  : ''
const tail = asForm ? `\r\n--${boundary}--\r\n` : ''
const sent = request(url, {
  method: file === null ? 'GET' : asForm ? 'POST' : 'PUT',
  headers: {
    ...headers,
    ...(asForm && { 'content-type': `multipart/form-data; boundary=${boundary}` }),
    ...(file !== null && { 'content-length': head.length + statSync(file).size + tail.length }),
  },
})
const answered = once(sent, 'response') as Promise<[IncomingMessage]>
if (file === null) sent.end()
else {
  if (asForm) sent.write(head)
  await pipeline(createReadStream(file), sent, { end: false })
  sent.end(tail)
}
const [response] = await answered
let bytes = 0
response.on('data', (chunk: Buffer) => {
  bytes += chunk.length
})
await once(response, 'end')
if (response.statusCode !== (asForm ? 201 : 200)) throw new Error(`${url} was answered with ${response.statusCode}`)
const taken: Taken = { took_s: (performance.now() - began) / 1_000, bytes }
process.stdout.write(`${JSON.stringify(taken)}\n`)
