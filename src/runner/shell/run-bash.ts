/** Runs one script by bash in its own process group, which ends with it. */
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

/** Of what was started without a sandbox, this long may pass between the request to end and the end. */
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
    // A script that ends early leaves the rest of itself unread.
    child.stdin.on('error', () => {})
    child.stdin.end(run.script)
    child.once('error', reject)
    // What it left in the background would keep its output open.
    child.once('exit', () => signalGroup(child, 'SIGKILL'))
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', kill)
      resolve(run.signal.aborted ? null : (code ?? 1))
    })
  })
}

/** Nothing of the runner's own environment but where programs are: the job's variables are set by the script, inside of the sandbox. */
function baseEnvironment({ tmp, sandbox }: BashRun): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env
  const place = sandbox.kind === 'none' ? tmp : '/tmp'
  return { PATH, LANG, SHELL: '/bin/bash', TMPDIR: place, HOME: place }
}

function killGroup(child: ChildProcess, { kind }: Sandbox): void {
  signalGroup(child, 'SIGTERM')
  // The end of bubblewrap is the end of all inside.
  if (kind === 'none') setTimeout(() => signalGroup(child, 'SIGKILL'), grace_ms).unref()
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It is gone already.
  }
}
