/** A started program, whichever way it was started: its streams, its end, and signals to its whole group. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../failure.ts'

export interface ProgramOptions {
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
  /** Number of pipes besides stdin, stdout and stderr. */
  extra_pipes?: number | undefined
  low_priority?: boolean | undefined
}

export interface Ending {
  /** Null if a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Program {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Pipes 3 and up. */
  pipes: Array<Readable & Writable>
  /** Settles when it has ended and all its output has been read. Fails if it could not be started, or nobody knows how it ended. */
  ended: Promise<Ending>
  /** Sends a signal to it and everything it started. Does nothing if it is gone. */
  signal: (name: NodeJS.Signals) => void
}

/** Starts a program in a process group of its own. Throws if there are no file descriptors left for its streams. */
export type StartProgram = (file: string, args: string[], options: ProgramOptions) => Program

export const startDirectly: StartProgram = (file, args, { cwd, env, extra_pipes = 0, low_priority }) => {
  const stdio = Array<'pipe'>(3 + extra_pipes).fill('pipe')
  const child = spawn(file, args, { cwd, env, stdio, detached: true })
  const { stdin, stdout, stderr } = child
  // Without a listener, the error event that follows would end the server.
  if (!stdin || !stdout || !stderr) {
    child.once('error', () => {})
    throw new Error('no file descriptor is left for the streams of a program')
  }
  if (low_priority) lower(child)
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const pipes = child.stdio.slice(3) as Array<Readable & Writable>
  return { stdin, stdout, stderr, pipes, ended, signal: (name) => signalGroup(child.pid, name) }
}

export function failedStart(cause: unknown): Failure {
  return new Failure('git_failed', '500 Internal Server Error', { cause })
}

/** Programs that it starts inherit the priority. */
function lower({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

/** Signals the whole group: a program may start helpers that outlive it. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
