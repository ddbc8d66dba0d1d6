/** Runs git commands that talk to a remote server: over HTTP by git itself, over other connections by a stream that is passed to git. */
import type { Duplex } from 'node:stream'
import { Failure } from '../../failure.ts'
import { extraConfig } from '../process/extra-config.ts'
import { failureIn } from '../process/git-failure.ts'
import { captureIn, type Repo } from '../repository/repository.ts'
import { type Remote, refusalIn, settingsFor } from './remote-http.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack'

/** How git reaches the other repository. */
export type Connection =
  | { kind: 'http'; remote: Remote }
  /** `open` starts the service at the remote. It throws a Failure whose message gives users the reason. */
  | { kind: 'stream'; open: (service: Service, signal: AbortSignal) => Promise<Duplex> }

export interface RemoteOptions {
  deadline_ms: number
  signal: AbortSignal
  /** Message for users if no better reason is known. */
  otherwise: string
  env?: Record<string, string>
}

/** Number of the pipe after stdin, stdout and stderr. */
const pipe = 3

/** Restricts the protocol to what git's helper can pass on over a stream. */
const streamSettings: Array<[string, string]> = [
  ['protocol.allow', 'never'],
  ['protocol.fd.allow', 'always'],
  ['protocol.version', '0'],
]

/**
 * Runs a command; `args` gets the URL of the remote. Returns the output of git, even if it exits with 1 (some refs rejected). Throws a
 * Failure whose message gives users the reason, without text of the remote.
 */
export async function runRemotely(
  repo: Repo,
  connection: Connection,
  service: Service,
  args: (url: string) => string[],
  { deadline_ms, signal, otherwise, env = {} }: RemoteOptions,
): Promise<{ output: string; code: number; stderr: string }> {
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const line = connection.kind === 'stream' ? await connection.open(service, until) : null
  const words = args(connection.kind === 'http' ? connection.remote.url : `fd::${pipe}`)
  const settings = connection.kind === 'http' ? settingsFor(connection.remote) : streamSettings
  const start: Repo['git']['start'] = (given, options) => {
    const child = repo.git.start(given, { ...options, extra_pipes: line ? 1 : 0 })
    if (line && child.pipes[0]) join(line, child.pipes[0] as Duplex)
    return child
  }
  try {
    const { output, code, stderr } = await captureIn({ ...repo, git: { ...repo.git, start } }, words, {
      env: { ...env, ...extraConfig(settings) },
      deadline_ms,
      signal,
      accept: [1, 128],
    })
    if (code > 1) throw refusalIn(stderr, await failureIn(repo.dir, words, code, stderr), otherwise)
    return { output: output.toString('utf8'), code, stderr }
  } catch (error) {
    throw error instanceof Failure && error.code === 'timed_out' && !signal.aborted
      ? new Failure('invalid', 'The host took too long', { cause: error })
      : error
  } finally {
    ended.abort()
    line?.destroy()
  }
}

/** Connects both streams until both have ended. If one ends early, git's exit code gives the reason. */
function join(line: Duplex, git: Duplex): void {
  // Git has sent everything long before it has read the answer.
  git.allowHalfOpen = true
  for (const end of [line, git]) end.on('error', () => {})
  line.pipe(git).pipe(line)
  line.once('close', () => git.end())
}
