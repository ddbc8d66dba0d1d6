/** The worker processes of a server, and connections of which one knows which worker has them. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { atEndOfFile } from '../support/run/cleanup.ts'
import type { ServerProcess } from './server-process.ts'

const rootToken = 'root-token-0123456789'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of every kind
  body: any
}

export interface Connection {
  /** Asks the worker over the one connection there is; as root, unless other headers are given. */
  ask: (method: string, path: string, body?: object | string, headers?: Record<string, string>) => Promise<Answer>
}

/** The ids of the worker processes, the oldest first. */
export async function workersOf({ pid }: Pick<ServerProcess, 'pid'>): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

/** Waits until so many workers serve. */
export async function serving(server: ServerProcess, count: number): Promise<number[]> {
  for (;;) {
    const metrics = await fetch(`${server.url}/-/metrics`)
      .then((answer) => answer.text())
      .catch(() => '')
    const workers = await workersOf(server)
    // A worker counts from when it has opened its metrics: what listens has got connections.
    if (metrics.includes(`gitstead_processes ${count}\n`) && workers.length === count) {
      const connections = await Promise.all(Array.from({ length: 4 * count }, () => openConnection(server).catch(() => null)))
      if (new Set(connections.map((opened) => opened?.worker ?? workers[0])).size === count) return workers
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A connection that this worker has. */
export async function connectionTo(server: ServerProcess, worker: number): Promise<Connection> {
  for (;;) {
    const opened = await openConnection(server).catch(() => null)
    if (opened?.worker === worker) return opened.connection
  }
}

async function openConnection(server: ServerProcess): Promise<{ worker: number | null; connection: Connection }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  atEndOfFile(() => agent.destroy())
  const { port } = new URL(server.url)
  let local = 0
  const send = (method: string, path: string, headers: Record<string, string>, payload?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const asking = request({ host: '127.0.0.1', port, path, method, agent, headers }, (response) => {
        local = response.socket.localPort ?? 0
        const chunks: Buffer[] = []
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = response.headers['content-type']?.startsWith('application/json')
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: isJson ? JSON.parse(text) : null })
          })
      })
      asking.on('error', reject).end(payload)
    })
  await send('GET', '/-/liveness', {})
  const connection: Connection = {
    ask(method, path, body, headers = { 'private-token': rootToken }) {
      const isText = typeof body === 'string'
      const type = body && !isText ? { 'content-type': 'application/json' } : {}
      return send(method, path, { ...headers, ...type }, isText ? body : body && JSON.stringify(body))
    },
  }
  return { worker: await ownerOf(Number(port), local, await workersOf(server)), connection }
}

/** Which of the processes has the server's end of a connection. */
async function ownerOf(port: number, clientPort: number, workers: number[]): Promise<number | null> {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0')
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  const inode = lines.find(([, local, remote]) => local?.endsWith(`:${hex(port)}`) && remote?.endsWith(`:${hex(clientPort)}`))?.[9]
  for (const worker of workers) {
    const files = await readdir(`/proc/${worker}/fd`).catch(() => [])
    const targets = await Promise.all(files.map((file) => readlink(`/proc/${worker}/fd/${file}`).catch(() => '')))
    if (targets.includes(`socket:[${inode}]`)) return worker
  }
  return null
}
