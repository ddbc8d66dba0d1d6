/** Reports what a test that did not end in time may be waiting for. */
import type { FastifyInstance } from 'fastify'
import { descendants, readProc } from '../proc.ts'

const kept = 10
const requests: Entry[] = []

interface Entry {
  line: string
  status: number | 'client gone' | null
}

/** Call it before the first request. */
export function watchRequests(server: FastifyInstance): void {
  const open = new WeakMap<object, Entry>()
  server.addHook('onRequest', (request, reply, done) => {
    const entry: Entry = { line: `${request.method} ${request.url}`, status: null }
    open.set(request, entry)
    // The other hook isn't called without a complete response.
    reply.raw.once('close', () => {
      entry.status ??= 'client gone'
    })
    requests.push(entry)
    if (requests.length > kept) requests.shift()
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const entry = open.get(request)
    if (entry) entry.status = reply.statusCode
    done()
  })
}

/** Open handles of this worker, its children, and the last requests to its forges. */
export function describeWaiting(): string {
  const handles = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) handles.set(name, (handles.get(name) ?? 0) + 1)
  const parts = [
    `open handles: ${[...handles].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    `children: ${descendants('self').map(commandLine).join('; ') || 'none'}`,
    `last requests: ${requests.map(({ line, status }) => `${line} ${status ?? '(no answer yet)'}`).join('; ') || 'none'}`,
  ]
  return parts.join('\n')
}

function commandLine(pid: string): string {
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200)
}
