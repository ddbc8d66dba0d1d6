/** The server that is measured: the real one, built, in a temporary folder; on SQLite unless told otherwise. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/db/database.ts'
import { childrenOf, freePort, listens, megabytes, pause, resident, root, settledCpu, stop } from './processes.ts'
import { atMost, digits, median, printProgress, type Row } from './report.ts'
import { settling_ms, startRounds } from './settings.ts'

export interface Forge {
  url: string
  token: string
  pid: number
  ssh_port: number
  /** Calls the API and gives the body. Throws on any status but success. */
  call: (method: string, path: string, body?: Record<string, unknown>) => Promise<unknown>
  /** The longest time its event loop stood still since the last call, in milliseconds. */
  longestStall: () => Promise<number>
  /** Waits until nothing is left to do of what was asked before. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

const token = 'bench-token-0123456789'

/**
 * @param options.probed whether its event loop is watched
 * @param options.program the folder of another build
 */
export async function startForge(
  home: string,
  options: { probed?: boolean; database_url?: string; processes?: number; program?: string; smtp_url?: string } = {},
): Promise<Forge> {
  const { probed = false, database_url, processes, program = root, smtp_url } = options
  const report = `${home}.stall`
  const args = [...(probed ? ['--import', './bench/probes/stall-probe.mjs'] : []), 'dist/main.js']
  const child = await launch(process.execPath, args, { home, report, database_url, processes, smtp_url }, program)
  const pid = child.process.pid as number
  return {
    url: child.url,
    token,
    pid,
    ssh_port: child.ssh_port,
    async call(method, path, body) {
      const response = await fetch(`${child.url}/api/v4${path}`, {
        method,
        headers: { 'private-token': token, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    async longestStall() {
      rmSync(report, { force: true })
      process.kill(pid, 'SIGUSR2')
      while (!existsSync(report)) await pause(10)
      return Number(readFileSync(report, 'utf8'))
    },
    async settled() {
      printProgress('waiting for the queue')
      while (await hasWork(database_url ?? join(home, 'gitstead.sqlite'))) await pause(500)
      await settledCpu(pid)
    },
    stop: () => stop(child.process),
  }
}

/** Whether anything waits in the queue, or is under way, but what comes again by itself. */
async function hasWork(location: string): Promise<boolean> {
  const db = openDatabase(location)
  try {
    const waiting = db
      .selectFrom('jobs')
      .select('id')
      .where('state', '=', 'ready')
      .where((eb) => eb.or([eb('unique_key', 'is', null), eb('unique_key', 'not like', 'every %')]))
    return (await waiting.limit(1).executeTakeFirst()) !== undefined
  } finally {
    await db.destroy()
  }
}

interface Launched {
  process: ChildProcess
  url: string
  ssh_port: number
  /** From the start of the process to its readiness. */
  took_ms: number
}

interface StartTerms {
  /** Describes how this program differs, for the report. */
  what: string
  /** Its folder. */
  program: string
  max_s: number
  max_mb: number
}

interface Place {
  home: string
  /** The stall probe writes its report to this file. */
  report?: string
  database_url?: string | undefined
  processes?: number | undefined
  /** The mail server; without it no mail is sent. */
  smtp_url?: string | undefined
}

async function launch(program: string, args: string[], place: Place, cwd = root): Promise<Launched> {
  const [port, ssh_port] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const env = environment({ ...place, port, ssh_port })
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const until = async (there: () => Promise<boolean>) => {
    while (!(await there())) {
      if (child.exitCode !== null) throw new Error('the server did not start')
      await pause(5)
    }
  }
  await until(() => isReady(url))
  const took_ms = performance.now() - began
  // SSH is the last to listen: its keys are made first.
  await until(() => listens(ssh_port))
  return { process: child, url, ssh_port, took_ms }
}

/** Only the settings of the bench: those of whoever runs it would change what is measured. */
function environment(server: Place & { port: number; ssh_port: number }): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GITSTEAD_')))
  return {
    ...inherited,
    GITSTEAD_HOME: server.home,
    GITSTEAD_PORT: String(server.port),
    GITSTEAD_SSH_PORT: String(server.ssh_port),
    GITSTEAD_ROOT_TOKEN: token,
    GITSTEAD_ROOT_PASSWORD: 'bench-password',
    // As it is run: a line for each request.
    GITSTEAD_LOG_LEVEL: 'info',
    ...(server.report && { GITSTEAD_BENCH_STALL_REPORT: server.report }),
    ...(server.processes && { GITSTEAD_PROCESSES: String(server.processes) }),
    ...(server.smtp_url && { GITSTEAD_SMTP_URL: server.smtp_url }),
    ...(server.database_url && { GITSTEAD_DATABASE_URL: server.database_url }),
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/readiness`)).ok
  } catch {
    return false
  }
}

/** `npm start`, already installed and built, on an empty folder: until it answers that it is ready, and its memory once it is idle. */
export async function measureStart(folder: string, { what, program, max_s, max_mb }: StartTerms): Promise<Row[]> {
  printProgress(`starting${what}`)
  const times: number[] = []
  let idle_bytes = 0
  for (let round = 0; round < startRounds; round += 1) {
    const home = join(folder, `start-${round}${what.replace(/\W+/g, '-')}`)
    const { process: npm, took_ms } = await launch('npm', ['start', '--silent'], { home }, program)
    await pause(settling_ms)
    // npm becomes a shell, and the shell the server.
    idle_bytes = resident(serverBelow(npm.pid as number), 'VmRSS')
    await stop(npm)
    times.push(took_ms / 1000)
  }
  const took_s = median(times)
  const nothing = { limit: '', ratio: '' }
  return [
    { what: `\`npm start\` on an empty folder until ready${what}`, ours: `${digits(took_s)} s`, ...nothing, ...atMost(took_s, max_s, 's') },
    {
      what: `memory when idle, after the start${what}`,
      ours: megabytes(idle_bytes),
      ...nothing,
      ...atMost(idle_bytes / 1e6, max_mb, 'MB'),
    },
  ]
}

/** The last process in the line of those that started each other. */
function serverBelow(pid: number): number {
  const [child] = childrenOf(pid)
  return child === undefined ? pid : serverBelow(child)
}
