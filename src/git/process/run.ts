/** Starts all git processes: fixed environment, streams, and for every child limits, a deadline and a way to kill it. */
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../failure.ts'
import { findProgram, type Limits, underLimits } from '../../program/ceilings.ts'
import { type Ending, failedStart, type Program, type StartProgram, startDirectly } from './program.ts'

export interface RunOptions {
  /** The bare repository the command works on. */
  dir: string
  /** Added to the fixed environment. */
  env?: Record<string, string> | undefined
  /** Working directory; the root directory by default. */
  cwd?: string | undefined
  /** After this many milliseconds the child is killed and `finished` fails. Its processor time is bounded accordingly. */
  deadline_ms?: number | undefined
  /** Kills the child when it aborts. If its reason is a Failure (`clientGone`), `finished` fails with that. */
  signal?: AbortSignal | undefined
  /** Runs at low priority. */
  low_priority?: boolean
  /** Number of pipes besides stdin, stdout and stderr (used by hooks). */
  extra_pipes?: number
}

export interface GitChild {
  stdin: Writable
  stdout: Readable
  /** Pipes 3 and up. */
  pipes: Array<Readable & Writable>
  /**
   * Settles when the process has ended: with its exit code, or with a Failure when it was killed, could not start or reached
   * its memory ceiling (`unprocessable`).
   */
  finished: Promise<{ code: number; stderr: string }>
  /**
   * Ends the child and everything it started, after `grace_ms` in which it may end by itself. `finished` then fails with the reason, if
   * there is one.
   */
  kill: (reason?: Failure, grace_ms?: number) => void
}

export type Spawn = (args: string[], options: RunOptions) => GitChild

const keptStderr = 8_192
const patience_ms = 2_000

export interface SpawnerOptions {
  /** The only file that git reads configuration from. */
  config_file: string
  /** The folder of our hooks, passed in the environment, where no quoting is needed. */
  hooks?: string
  /** Called with the arguments of every process; tests and metrics count them. */
  onSpawn?: ((args: string[]) => void) | undefined
  /** Called when a process was killed from outside or by a ceiling; for the log. */
  onKill?: ((kill: GitKill) => void) | undefined
  /** Private memory that each process may have, in bytes; null for no ceiling. */
  memory_bytes?: number | null
  /** Started by this process itself if absent. */
  startProgram?: StartProgram
}

/** Why a process was killed. */
export type KillReason =
  | 'deadline'
  | 'memory limit'
  | 'processor limit'
  | 'output limit'
  | 'client gone'
  | 'cancelled'
  | 'request broken off'

export interface GitKill {
  /** The git command, without its arguments. */
  command: string
  /** The repository it worked on. */
  dir: string
  reason: KillReason
}

export function spawner(given: SpawnerOptions): Spawn {
  const { config_file, hooks = '/dev/null', onSpawn, onKill, memory_bytes = null, startProgram = startDirectly } = given
  const path = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  // Looked up once, not for every process.
  const program = findProgram('git', path)
  const fixed = {
    PATH: path,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: config_file,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: hooks,
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ADVICE: '0',
  }
  return (args, options) => {
    onSpawn?.(args)
    const limits: Limits = { memory_bytes, cpu_s: options.deadline_ms ? processorTime_s(options.deadline_ms) : null }
    // Without git there is nothing to limit; the start then fails as for any missing program.
    const [file, ...rest] = program ? underLimits(limits, [program, ...args]) : ['git', ...args]
    const child = started(() =>
      startProgram(file as string, rest, {
        cwd: options.cwd ?? '/',
        env: { ...fixed, GIT_DIR: options.dir, ...options.env },
        extra_pipes: options.extra_pipes,
        low_priority: options.low_priority,
      }),
    )
    return supervise(child, options, (reason) => onKill?.({ command: args[0] ?? '', dir: options.dir, reason }))
  }
}

/** Two threads can use this much until the deadline (`pack.threads`). The ceiling also ends processes that a killed server left behind. */
function processorTime_s(deadline_ms: number): number {
  return 2 * Math.ceil(deadline_ms / 1000) + 1
}

function started(start: () => Program): Program {
  try {
    return start()
  } catch (cause) {
    throw failedStart(cause)
  }
}

function supervise(child: Program, options: RunOptions, onKill: (reason: KillReason) => void): GitChild {
  const { stdin, stdout, pipes } = child
  let stderr = ''
  let fate: Failure | undefined
  let closed = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < keptStderr) stderr += text.slice(0, keptStderr)
  })
  // A child may exit before it has read its input; a failed start rejects `finished`.
  stdin.on('error', () => {})
  stdout.on('error', () => {})

  const signal = (name: NodeJS.Signals) => closed || child.signal(name)
  const end = (reason?: Failure, grace_ms = 0) => {
    if (closed) return
    fate ??= reason
    if (grace_ms === 0) signal('SIGTERM')
    else setTimeout(signal, grace_ms, 'SIGTERM').unref()
    setTimeout(signal, grace_ms + patience_ms, 'SIGKILL').unref()
  }
  const deadline = options.deadline_ms
    ? setTimeout(() => end(new Failure('timed_out', '503 The repository took too long to answer')), options.deadline_ms)
    : undefined
  const onAbort = () => {
    const { reason } = options.signal as AbortSignal
    end(reason instanceof Failure ? reason : new Failure('timed_out', '503 The work was cancelled', { cause: reason }))
  }
  options.signal?.addEventListener('abort', onAbort, { once: true })

  const release = () => {
    closed = true
    clearTimeout(deadline)
    options.signal?.removeEventListener('abort', onAbort)
  }
  const onEnded = ({ code, signal: ended_by }: Ending) => {
    release()
    const ceiling = fate || code === 0 ? undefined : ceilingReached(ended_by, stderr)
    const reason = ceiling?.reason ?? (fate && reasonOf(fate, options))
    if (reason) onKill(reason)
    const failure = fate ?? ceiling?.failure
    if (failure) throw failure
    return { code: code ?? -1, stderr }
  }
  const onLost = (cause: unknown) => {
    release()
    const failure = cause instanceof Failure ? cause : failedStart(cause)
    stdout.destroy(failure)
    throw failure
  }
  const finished = child.ended.then(onEnded, onLost)
  // Callers that need the outcome await it; for all others an unhandled rejection must not end the server.
  finished.catch(() => {})
  if (options.signal?.aborted) onAbort()
  return { stdin, stdout, pipes, finished, kill: end }
}

/** The client has what it wants, or has left; this is not an error. */
export function clientGone(): Failure {
  return new Failure('client_gone', 'The client went away')
}

function reasonOf(fate: Failure, { signal }: RunOptions): KillReason | undefined {
  if (signal?.aborted && fate.code === 'timed_out') return 'cancelled'
  const reasons: Partial<Record<Failure['code'], KillReason>> = {
    timed_out: 'deadline',
    client_gone: 'client gone',
    too_large: 'output limit',
    invalid: 'request broken off',
  }
  return reasons[fate.code]
}

/** Messages of the local git; those of the remote side begin with `remote:`. */
const outOfMemory = /^(?:fatal|error): .*(?:out of memory|mmap failed|cannot allocate memory)/im

function ceilingReached(ended_by: NodeJS.Signals | null, stderr: string): { reason: KillReason; failure: Failure } | undefined {
  const cause = new Error(stderr.trim())
  if (outOfMemory.test(stderr)) {
    const failure = new Failure('unprocessable', '422 The repository needs more memory for this than a git command may use', { cause })
    return { reason: 'memory limit', failure }
  }
  if (ended_by !== 'SIGXCPU') return undefined
  return { reason: 'processor limit', failure: new Failure('timed_out', '503 The repository took too long to answer', { cause }) }
}
