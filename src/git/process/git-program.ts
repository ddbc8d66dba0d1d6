/** The git of this machine: its version, and whether its memory can be limited. */
import { StartRefused } from '../../failure.ts'
import { capture } from './capture.ts'
import type { Spawn } from './run.ts'

/** The first version with `merge-tree --write-tree`. */
const oldestGit = [2, 38] as const

/** The version of git. Throws StartRefused if git is missing or too old. */
export async function requireGit(start: Spawn, dir: string): Promise<string> {
  const needed = `Gitstead needs git ${oldestGit.join('.')} or later`
  const version = await capture(start, ['version'], { dir }).catch((cause: unknown) => {
    throw new StartRefused(`${needed}; the git program could not be run`, { cause })
  })
  const text = version.output.toString('utf8').trim()
  const [, major = 0, minor = 0] = (/^git version (\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  if (major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1])) throw new StartRefused(`${needed}; this is ${text}`)
  return text
}

/** As `requireGit`, but runs git only once. */
export function requireGitOnce(start: Spawn, dir: string): Promise<string> {
  return onceFor('version', null, () => requireGit(start, dir))
}

/** Whether the system enforces a limit of private memory. Only Linux does; other systems accept it without effect. */
export async function isMemoryLimited(start: Spawn, dir: string, memory_bytes: number | null): Promise<boolean> {
  if (memory_bytes === null || process.platform !== 'linux') return false
  const { output } = await onceFor('limit', memory_bytes, () => capture(start, ['-c', 'alias.limit=!ulimit -d', 'limit'], { dir }))
  return Number(output.toString('latin1')) <= memory_bytes / 1024
}

/** Facts about the git of a PATH, which don't change while this process runs. */
const foundOut = new Map<string, Promise<unknown>>()

/** A server opens git once, but tests do it hundreds of times. Failures are not kept. */
async function onceFor<T>(question: string, detail: number | null, ask: () => Promise<T>): Promise<T> {
  const key = JSON.stringify([question, detail, process.env.PATH])
  const known = foundOut.get(key) as Promise<T> | undefined
  if (known) return known
  const answer = ask()
  foundOut.set(key, answer)
  answer.catch(() => foundOut.delete(key))
  return answer
}
