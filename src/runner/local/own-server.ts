/** A temporary server for one run: in a folder that is deleted with it, reachable from this machine only. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { StartRefused } from '../../failure.ts'
import { send } from '../protocol/http.ts'

export interface OwnServer {
  url: string
  /** The token of its administrator. */
  token: string
  /** Returns the reply; throws unless the status is a success. */
  call: <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<T>
  stop: () => Promise<void>
}

const start_ms = 60_000

/** @param program command line that starts this program, without a command */
export async function startOwnServer(program: readonly string[], home: string): Promise<OwnServer> {
  const port = await freePort()
  const token = `gst-${randomBytes(24).toString('hex')}`
  const [file = process.execPath, ...args] = program
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GITSTEAD_')))
  const child = spawn(file, [...args, 'serve'], {
    env: {
      ...inherited,
      ...{ GITSTEAD_HOME: home, GITSTEAD_PORT: String(port), GITSTEAD_SSH_PORT: 'off', GITSTEAD_LOG_LEVEL: 'silent' },
      ...{ GITSTEAD_ROOT_TOKEN: token, GITSTEAD_ROOT_PASSWORD: randomBytes(16).toString('hex') },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const server: OwnServer = {
    url,
    token,
    call: (method, path, body) => call(server, method, path, body),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
  for (const until = Date.now() + start_ms; ; ) {
    const reply = await send({ method: 'GET', url: new URL(`${url}/-/readiness`) }).catch(() => null)
    if (reply?.status === 200) return server
    if (child.exitCode !== null || Date.now() > until) {
      await server.stop()
      throw new StartRefused(`the server for the run did not start: ${said.trim()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function call<T>({ url, token }: OwnServer, method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<T> {
  const headers = { 'Private-Token': token, 'Content-Type': 'application/json' }
  const reply = await send({
    method,
    url: new URL(`${url}/api/v4${path}`),
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 500)}`)
  return ((reply.headers['content-type'] ?? '').includes('json') ? JSON.parse(reply.text) : reply.text) as T
}

function freePort(): Promise<number> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
