/** Git under the SSH server of the machine: `gitstead shell` and `gitstead authorized-keys`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parsePublicKey } from '../../access/ssh-keys.ts'
import { type App, closeApp, openApp } from '../../app.ts'
import { type Config, readConfig } from '../../config.ts'
import { StartRefused } from '../../failure.ts'
import { authorizedKeyLine, findKeyHolder, findKeyHolderById, noteUse } from '../../features/people/keys/keys.ts'
import { clientGone } from '../../git/process/run.ts'
import type { SshCaller } from '../access/access.ts'
import { actorOfKey } from '../access/access.ts'
import { isProtocol, runCommand } from './run-command.ts'

type Environment = Record<string, string | undefined>

/** Runs the client's command as the holder of `key-<id>`, on the standard streams. Returns the exit status. */
export function runShell(env: Environment, name: string): Promise<number> {
  const [, id] = /^key-(\d{1,15})$/.exec(name) ?? []
  if (id === undefined) throw new StartRefused(`${name} is not a key name like key-1`)
  return withApp(env, async (app) => {
    const holder = await findKeyHolderById(app, Number(id))
    if (!holder) {
      process.stderr.write('Gitstead: This key is not known any more, or may not be used.\n')
      return 1
    }
    const [status] = await Promise.all([serve(app, { actor: actorOfKey(holder), key: holder.key }, env), noteUse(app, holder)])
    return status
  })
}

/** The line of an AuthorizedKeysCommand for a known key; null for any other. */
export function findAuthorizedKey(env: Environment, type: string, base64: string): Promise<string | null> {
  return withApp(env, async (app) => {
    const found = parsePublicKey(`${type} ${base64}`)
    const holder = found && (await findKeyHolder(app, found.key))
    return holder && authorizedKeyLine(app.config.home, holder.key)
  })
}

async function serve(app: App, caller: SshCaller, env: Environment): Promise<number> {
  const { stdin, stdout, stderr } = process
  const disconnect = new AbortController()
  for (const stream of [stdout, stderr]) stream.on('error', () => disconnect.abort(clientGone()))
  const sent = env.GIT_PROTOCOL ?? ''
  const protocol = isProtocol(sent) ? sent : null
  const line = env.SSH_ORIGINAL_COMMAND || null
  try {
    return await runCommand(app, caller, line, { input: stdin, output: stdout, errors: stderr, gone: disconnect.signal, protocol })
  } finally {
    // An open stdin would keep the process alive.
    stdin.destroy()
  }
}

/** The output belongs to git: errors are logged to a file beside the keys. */
async function withApp<T>(env: Environment, work: (app: App) => Promise<T>): Promise<T> {
  const config: Config = readConfig(env)
  const absent = config.database_url === null && !existsSync(join(config.home, 'gitstead.sqlite'))
  if (absent) throw new StartRefused(`no Gitstead data in ${config.home}; GITSTEAD_HOME must name the data folder`)
  const log_file = join(config.home, 'ssh', 'shell.log')
  const app = await openApp({ ...config, log_level: config.log_level === 'silent' ? 'silent' : 'error' }, { beside_server: { log_file } })
  try {
    return await work(app)
  } finally {
    await closeApp(app)
  }
}
