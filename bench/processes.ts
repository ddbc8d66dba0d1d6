/** Processes of the bench: how they are started, what they cost, how they end. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createConnection, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The environment of every git here: nobody's configuration. */
export const plainGit = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}

/** Runs git and gives its output. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd, env: plainGit })).stdout.trim()
}

/** A process of our own that serves HTTP. */
export interface Helper {
  pid: number
  url: string
  stop: () => Promise<void>
}

/** Starts a script of this folder, which prints its address when it is ready. Its input is one line of JSON. */
export async function startHelper(script: string, input: unknown): Promise<Helper> {
  const child = spawn(process.execPath, ['--import', 'tsx', `${root}bench/limits/${script}`], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(input))
  const url = await firstLine(child.stdout)
  return { pid: child.pid as number, url, stop: () => stop(child) }
}

/** Runs a script of this folder to its end. What it is given and what it prints is one line of JSON. */
export async function runScript<I, O>(script: string, input: I): Promise<O> {
  const child = spawn(process.execPath, ['--import', 'tsx', `${root}bench/probes/${script}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(input))
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  if (output === '') throw new Error(`${script} failed`)
  return JSON.parse(output) as O
}

/** Runs a line of shell to its end. */
export async function runShell(line: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', line], { env: plainGit })
}

/** The other side of `startHelper`: what the script was given. */
export async function readInput<T>(): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('a process of the bench ended before it was ready')
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Whether somebody answers at a port of this machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Bytes of memory in use now, or at most since the start. */
export function resident(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

/** Processor time of a process. */
interface Stat {
  name: string
  parent: number
  /** User and system time of itself and of the children that have ended. */
  cpu_s: number
}

const ticksPerSecond = 100

function stat(pid: number): Stat {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const nameEnd = line.lastIndexOf(')')
  const fields = line
    .slice(nameEnd + 2)
    .split(' ')
    .map(Number)
  // In proc(5), field 4 is the parent, and 14 to 17 are the times: own and of children.
  const cpu_s = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  return { name: line.slice(line.indexOf('(') + 1, nameEnd), parent: fields[1] as number, cpu_s }
}

/** The processor time a process has used so far, in seconds. */
export function usedCpu(pid: number): number {
  return stat(pid).cpu_s
}

/** The processor time that the threads of a process have used so far, in microseconds: finer than the ticks of `usedCpu`. */
export function usedCpu_us(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return (
    threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1_000
  )
}

/** The ids of the processes it has started that are there still. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** Waits until a server has nothing left to do after a request, and gives the processor time it has used so far. */
export async function settledCpu(pid: number): Promise<number> {
  let quietFor_ms = 0
  for (let before = stat(pid).cpu_s; quietFor_ms < quiet_ms; ) {
    await pause(step_ms)
    const { cpu_s } = stat(pid)
    const busy = cpu_s - before > idleCpu_s || hasBusyChildren(pid)
    quietFor_ms = busy ? 0 : quietFor_ms + step_ms
    before = cpu_s
  }
  return stat(pid).cpu_s
}

const step_ms = 100
/** The queue looks for work each second: what a push left to do has been begun by then. */
const quiet_ms = 1_300
const idleCpu_s = 0.02

/** Whether git is at work for it. Readers of objects stay when their work is done. */
function hasBusyChildren(pid: number): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.some((number) => {
    try {
      const { name: program, parent } = stat(Number(number))
      return parent === pid && program === 'git' && !readFileSync(`/proc/${number}/cmdline`, 'utf8').includes('cat-file')
    } catch {
      // It ended meanwhile.
      return false
    }
  })
}
