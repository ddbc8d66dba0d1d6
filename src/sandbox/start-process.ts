/**
 * A process of the sandbox, as seen by the server. In a worker thread of the server, one allocation beyond the heap limit (an array that
 * grows, a string that is joined) would end the whole server: V8 aborts the process then, whatever `resourceLimits` says.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '../program/bare-environment.ts'
import { underLimits } from '../program/ceilings.ts'
import type { FromSandbox, ToSandbox } from './messages.ts'
import { programArguments, type SandboxProgram } from './program-arguments.ts'

export interface ProcessLimits {
  /** Limit of the heap. */
  max_mb: number
  /** For short-lived objects: a larger limit would only make the process larger. */
  maxSemiSpace_mb?: number
}

/** For the program itself, stacks and what isn't in the heap. */
const besideHeap_mb = 320
/** Processor time of one process in its life, which ends a job that goes on after its server was killed. */
const max_cpu_s = 120

export interface SandboxProcess {
  send: (message: ToSandbox) => void
  /** The next message. Rejects if the process ends before, and with an `AbortError` after `longest_ms`. */
  hear: (longest_ms: number) => Promise<FromSandbox>
  /** Whether it keeps the server alive. */
  keepAlive: (on: boolean) => void
  end: () => void
  /** Called when it has ended, also while nobody waits for it. */
  onEnd: (react: () => void) => void
}

export async function startProcess(program: SandboxProgram, { max_mb, maxSemiSpace_mb }: ProcessLimits): Promise<SandboxProcess> {
  const flags = [`--max-old-space-size=${max_mb}`, ...(maxSemiSpace_mb ? [`--max-semi-space-size=${maxSemiSpace_mb}`] : [])]
  const command = [process.execPath, ...flags, ...(await programArguments(program))]
  const limits = { memory_bytes: (max_mb + besideHeap_mb) * 1024 * 1024, cpu_s: max_cpu_s }
  const [file = '', ...args] = underLimits(limits, command)
  // Memory that runs out is told at length to stderr, and the log has the failure already.
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', env: bareEnvironment() })
  child.on('error', () => {})
  return {
    send(message) {
      // If it is gone, `hear` rejects.
      if (child.connected) child.send(message as object, () => {})
    },
    hear: (longest_ms) => hear(child, longest_ms),
    keepAlive(on) {
      if (on) child.ref()
      else child.unref()
      if (on) child.channel?.ref()
      else child.channel?.unref()
    },
    end: () => void child.kill('SIGKILL'),
    onEnd: (react) => void child.once('exit', react),
  }
}

function hear(child: ChildProcess, longest_ms: number): Promise<FromSandbox> {
  return new Promise((resolve, reject) => {
    const settle = (react: () => void) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('disconnect', onGone).off('error', onError)
      react()
    }
    const onMessage = (message: FromSandbox) => settle(() => resolve(message))
    const onError = (error: Error) => settle(() => reject(error))
    // At this point all its messages have been received.
    const onGone = () => onError(new Error(`it ended with ${child.exitCode ?? child.signalCode ?? 'its channel'}`))
    const isLate = () => onError(new DOMException('it took too long', 'AbortError'))
    // A result that arrived while the event loop was blocked is read before the deadline counts.
    const timer = setTimeout(() => setImmediate(isLate), Math.ceil(longest_ms))
    child.on('message', onMessage).on('disconnect', onGone).on('error', onError)
    if (!child.connected) onGone()
  })
}
