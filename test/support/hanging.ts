/** What a test that did not end in time may be waiting for. */
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const kept = 10
const requests: Array<{ line: string; status: number | null }> = []

/** To be called before the first request. */
export function watchRequests(server: FastifyInstance): void {
  const open = new WeakMap<object, { line: string; status: number | null }>()
  server.addHook('onRequest', (request, _, done) => {
    const entry = { line: `${request.method} ${request.url}`, status: null }
    open.set(request, entry)
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
    `children: ${childrenOf(process.pid).join('; ') || 'none'}`,
    `last requests: ${requests.map(({ line, status }) => `${line} ${status ?? '(no answer yet)'}`).join('; ') || 'none'}`,
  ]
  return parts.join('\n')
}

/** Command lines of all processes below one. */
function childrenOf(pid: number): string[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
    return children.flatMap((child) => [commandLine(child), ...childrenOf(Number(child))])
  } catch {
    // It has ended meanwhile, or the system has no such files.
    return []
  }
}

function commandLine(pid: string): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim().slice(0, 200)
}
