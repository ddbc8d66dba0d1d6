/** The server as it really runs: a process of its own, with its own data folder. */
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyHostKeys, prepareDataFolder } from '../support/data-folder.ts'
import { engine } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { gitsteadProgram } from '../support/program.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'

const token = 'root-token-0123456789'

export interface ServerProcess {
  pid: number
  url: string
  home: string
  /** The API token of root. */
  token: string
  ssh_port: number
  /** `http://root:token@host/root/<name>.git` */
  remote: (name: string) => string
  /** A number of `/proc/<pid>/status`, in bytes: `VmRSS`, `VmHWM`. */
  memory: (field: 'VmRSS' | 'VmHWM') => Promise<number>
  /** Status of an API path, asked as root. */
  status: (path: string) => Promise<number>
  /** Any request to the API, as root. */
  send: (method: string, path: string, body?: Record<string, unknown>) => Promise<Response>
  /** Whether the process is there. */
  lives: () => boolean
  stop: () => Promise<number | null>
  /** Ends it without a word, as a crash would. */
  kill: () => Promise<unknown>
}

export interface ServerOptions {
  /** Goes before the program, as in `ulimit -f 100; exec …`. */
  limit?: string
  /** A data folder that is there already, or one for the server to make; otherwise one that is prepared, to save time. */
  home?: string
  /** A folder of programs that go before those of the machine. */
  programs?: string
  /** `postgres://…`; SQLite in the data folder without it. */
  database_url?: string
  /** Settings and variables beside those of every test. */
  env?: Record<string, string>
  /** The port of an earlier one, for clients that come again. */
  port?: number
  /** The file for standard output, including the log; an existing one is appended to. */
  output?: string
}

/** Starts it, on SQLite unless told otherwise, and waits until it is ready. */
export async function startServer({ limit = '', ...options }: ServerOptions = {}): Promise<ServerProcess> {
  const home = options.home ?? (await preparedFolder())
  const [port, ssh_port] = [options.port ?? (await freePort()), await freePort()]
  const child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', ...(await gitsteadProgram())], {
    stdio: ['ignore', options.output ? openSync(options.output, 'a') : 'ignore', 'inherit'],
    env: {
      PATH: [options.programs, process.env.PATH].filter(Boolean).join(':'),
      GITSTEAD_HOME: home,
      GITSTEAD_PORT: String(port),
      GITSTEAD_SSH_PORT: String(ssh_port),
      GITSTEAD_ROOT_PASSWORD: 'root-password',
      GITSTEAD_ROOT_TOKEN: token,
      GITSTEAD_LOG_LEVEL: 'silent',
      ...(options.database_url && { GITSTEAD_DATABASE_URL: options.database_url }),
      ...options.env,
    },
  })
  // No test leaves one behind, however it ends.
  atEndOfFile(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/-/readiness`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    pid: child.pid as number,
    url,
    home,
    token,
    ssh_port,
    remote: (name) => `http://root:${token}@127.0.0.1:${port}/root/${name}.git`,
    async memory(field) {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
    },
    status: async (path) => (await fetch(`${url}/api/v4${path}`, { headers: { 'private-token': token } })).status,
    send(method, path, body) {
      const headers = { 'private-token': token, ...(body && { 'content-type': 'application/json' }) }
      return fetch(`${url}/api/v4${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    },
    lives: () => child.exitCode === null && child.signalCode === null,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

async function preparedFolder(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-server-'))
  atEndOfFile(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  await (engine === 'sqlite' ? prepareDataFolder(home) : copyHostKeys(home))
  return home
}
