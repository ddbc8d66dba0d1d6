/** Runs git commands that talk to another server: over HTTP by git itself, over any other line by a stream that is given to git. */
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
  /** `open` starts the service at the other side. It throws a Failure whose message gives users the reason. */
  | { kind: 'stream'; open: (service: Service, signal: AbortSignal) => Promise<Duplex> }

export interface RemoteOptions {
  deadline_ms: number
  signal: AbortSignal
  /** The words for users if no better reason is known. */
  otherwise: string
  env?: Record<string, string>
}

/** The pipe after stdin, stdout and stderr. */
const pipe = 3

/** Over such a line nothing else is asked than what git's helper passes on. */
const streamSettings: Array<[string, string]> = [
  ['protocol.allow', 'never'],
  ['protocol.fd.allow', 'always'],
  ['protocol.version', '0'],
]

/**
 * Runs a command; `args` gets the address of the other. Gives what git wrote, also where it ended with 1 (some refs rejected).
 * Throws a Failure whose message gives users the reason, without what the other said.
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

/** Each end gets what the other sends, until both have ended. Where one ends early, git's exit code shows why. */
function join(line: Duplex, git: Duplex): void {
  // Git has sent all it has long before it has read the answer.
  git.allowHalfOpen = true
  for (const end of [line, git]) end.on('error', () => {})
  line.pipe(git).pipe(line)
  line.once('close', () => git.end())
}
