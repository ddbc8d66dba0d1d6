/** The runner's own folder: the servers it works for, with their tokens. Readable only by its owner. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeDurably } from '../durable.ts'
import { StartRefused } from '../failure.ts'

export interface RunnerEntry {
  /** Shown in traces and in the server's list. */
  name: string
  url: string
  /** The runner's authentication token. */
  token: string
  /** Id at its server; 0 if the server didn't say. */
  id: number
  /** Whether it was created by registration, so that unregistering deletes it. */
  isCreatedHere: boolean
}

interface ConfigFile {
  runners: RunnerEntry[]
}

/** The folder of the runner: from an argument, a variable, or the home folder. */
export function runnerHome(wanted: string | undefined, env: NodeJS.ProcessEnv): string {
  const home = resolve(wanted ?? env.GITSTEAD_RUNNER_HOME ?? join(homedir(), '.gitstead-runner'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return home
}

const fileIn = (home: string) => join(home, 'config.json')

export function readRunners(home: string): RunnerEntry[] {
  if (!existsSync(fileIn(home))) return []
  try {
    const { runners } = JSON.parse(readFileSync(fileIn(home), 'utf8')) as ConfigFile
    return runners
  } catch (error) {
    throw new StartRefused(`${fileIn(home)} can't be read: ${(error as Error).message}`)
  }
}

export async function writeRunners(home: string, runners: RunnerEntry[]): Promise<void> {
  await writeDurably(fileIn(home), `${JSON.stringify({ runners } satisfies ConfigFile, null, 2)}\n`, 0o600)
}

/** Distinguishes this machine from others with the same token: `r_` and twelve characters, generated once. */
export function systemId(home: string): string {
  const file = join(home, 'system-id')
  if (!existsSync(file)) writeFileSync(file, `r_${randomBytes(6).toString('hex')}`, { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Two processes in one folder would use the same work trees. Returns a function that releases the lock. */
export function lockHome(home: string): () => void {
  const file = join(home, 'run.lock')
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const pid = Number(readFileSync(file, 'utf8'))
    if (pid !== process.pid && isAlive(pid)) throw new StartRefused(`a runner already runs in ${home} (process ${pid})`)
    rmSync(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
