/** The limit of raw bytes: a plain server of files, which reads each from disk as it is asked for, and writes what it is sent. */
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readInput } from '../processes.ts'

export interface FilesInput {
  /** The folder that is served. */
  root: string
}

const { root } = await readInput<FilesInput>()
const server = createServer((request, response) => {
  const file = join(root, request.url ?? '')
  if (request.method === 'PUT') return void receive(request, response, file)
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': statSync(file).size })
  createReadStream(file).pipe(response)
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))

/** Answers when the file is on disk. Written beside, as ours is: what goes over an old file finds its blocks and pages there already. */
async function receive(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
  const beside = `${file}.new`
  await pipeline(request, createWriteStream(beside, { flush: true }))
  await rename(beside, file)
  response.writeHead(200).end()
}
