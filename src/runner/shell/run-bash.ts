/** Runs a script with bash in its own process group, which ends with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { inSandbox, type Sandbox, type SandboxedFolders } from './sandbox.ts'

export interface BashRun extends SandboxedFolders {
  sandbox: Sandbox
  needsNetwork?: boolean
  script: string
  onOutput: (chunk: Buffer) => void
  /** Kills the script. */
  signal: AbortSignal
}

/** Without a sandbox: time between the request to terminate and the kill. */
const grace_ms = 5_000

/** The exit status of the script; null if it was killed. */
export function runBash(run: BashRun): Promise<number | null> {
  if (run.signal.aborted) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = inSandbox(run.sandbox, run, ['bash', '--noprofile', '--norc'], run.needsNetwork)
    const child = spawn(program, args, { cwd: run.cwd, env: baseEnvironment(run), detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    const kill = () => killGroup(child, run.sandbox)
    run.signal.addEventListener('abort', kill, { once: true })
    child.stdout.on('data', run.onOutput)
    child.stderr.on('data', run.onOutput)
    // If a script ends early, the rest of it is not read.
    child.stdin.on('error', () => {})
    child.stdin.end(run.script)
    child.once('error', reject)
    // Its background processes would keep the output open.
    child.once('exit', () => signalGroup(child, 'SIGKILL'))
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', kill)
      resolve(run.signal.aborted ? null : (code ?? 1))
    })
  })
}

/** Nothing of the runner's environment except where programs are: the script itself sets the job's variables, inside of the sandbox. */
function baseEnvironment({ tmp, sandbox }: BashRun): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env
  const place = sandbox.kind === 'none' ? tmp : '/tmp'
  return { PATH, LANG, SHELL: '/bin/bash', TMPDIR: place, HOME: place }
}

function killGroup(child: ChildProcess, { kind }: Sandbox): void {
  signalGroup(child, 'SIGTERM')
  // The end of bubblewrap ends everything inside.
  if (kind === 'none') setTimeout(() => signalGroup(child, 'SIGKILL'), grace_ms).unref()
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has already ended.
  }
}
