/** The command line. What only some commands need is loaded by them: the primary of several processes holds none of it. */
import cluster from 'node:cluster'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { type Scope, scopes } from './access/levels.ts'
import type { App } from './app.ts'
import { catchStrays } from './background.ts'
import type { FirstSecrets } from './bootstrap.ts'
import { type Config, describeSettings, readConfig } from './config.ts'
import { Failure, StartRefused } from './failure.ts'
import { programVersion } from './version.ts'

// Whatever is made is for its owner alone: the database holds digests of secrets.
process.umask(0o077)

const program = new Command('gitstead')
  .description('A git forge in one process and one data folder.')
  .version(programVersion)
  .addHelpText('after', `\n${describeSettings()}`)

program.command('serve', { isDefault: true }).description('migrate, then serve until told to stop').action(runServer)
program
  .command('migrate')
  .description('bring the database up to date and stop')
  .action(() => withApp(async () => say('The database is up to date.')))

const admin = program.command('admin').description('what an administrator does on the machine itself')
admin
  .command('create-user <username>')
  .description('create a user')
  .requiredOption('--email <address>')
  .option('--password <password>', 'other users of the machine may see it; without it, one line of standard input is read')
  .option('--name <name>')
  .option('--admin', 'make an administrator of the user', false)
  .action((username: string, options: { email: string; password?: string; name?: string; admin: boolean }) =>
    withApp(async (app) => {
      const { createUser } = await import('./features/people/users/users.service.ts')
      const password = options.password ?? (await readLine())
      const user = await createUser(app, { username, confirmed: true, ...options, password, name: options.name ?? username })
      say(`Created user ${user.username} with id ${user.id}.`)
    }),
  )
admin
  .command('create-token <username>')
  .description('create an access token; it is shown this once')
  .option('--name <name>', 'what the token is for', 'made on the command line')
  .option('--scopes <list>', `some of ${scopes.join(',')}`, 'api')
  .option('--expires <YYYY-MM-DD>')
  .action((username: string, options: { name: string; scopes: string; expires?: string }) =>
    withApp(async (app) => {
      const [{ findUser }, { createToken }] = await Promise.all([import('./access/users.ts'), import('./access/tokens.ts')])
      const user = await findUser(app.db, username)
      if (!user) throw new StartRefused(`there is no user ${username}`)
      say(
        await createToken(app.db, {
          user_id: user.id,
          name: options.name,
          scopes: readScopes(options.scopes),
          expires_on: readDay(options.expires),
        }),
      )
    }),
  )

admin
  .command('backup <folder>')
  .description('save everything as a new generation in the folder, while the server runs')
  .option('--verify', 'look through what was saved', false)
  .option('--keep <n>', 'complete generations that stay; all without it')
  .option('--quiet', 'say nothing but what is wrong, and a last line', false)
  .action(async (folder: string, { keep, ...options }: { verify: boolean; keep?: string; quiet: boolean }) => {
    const { runBackup } = await import('./backup/command.ts')
    process.exitCode = await runBackup(folder, { ...options, keep: keep === undefined ? null : readCount(keep) })
  })
admin
  .command('restore <folder>')
  .description('fill an empty GITSTEAD_HOME, and an empty database, from the last complete backup in the folder')
  .option('--at <name>', 'another one, by its name')
  .option('--verify', 'look through it first', false)
  .option('--quiet', 'say nothing but what is wrong, and a last line', false)
  .action(async (folder: string, { at, ...options }: { verify: boolean; at?: string; quiet: boolean }) => {
    const { runRestore } = await import('./backup/command.ts')
    process.exitCode = await runRestore(folder, { ...options, at })
  })
admin
  .command('verify-backup <folder>')
  .description('look through the last complete backup in the folder')
  .option('--at <name>', 'another one, by its name')
  .option('--quiet', 'say nothing but what is wrong, and a last line', false)
  .action(async (folder: string, { at, ...options }: { at?: string; quiet: boolean }) => {
    const { runVerify } = await import('./backup/command.ts')
    process.exitCode = await runVerify(folder, { ...options, at })
  })

// Run once for each connection to the SSH server of the machine: what they need is loaded for them alone, and little else.
program
  .command('shell <key>')
  .description('serve git to the holder of a key (key-1): what the SSH server of the machine runs for it')
  .action(async (key: string) => {
    const { runShell } = await import('./transport/ssh/shell.ts')
    process.exitCode = await runShell(process.env, key)
  })
program
  .command('authorized-keys <account> <type> <base64>')
  .description('print the authorized_keys line of a key, if it is known: an AuthorizedKeysCommand, with %u %t %k')
  .option('--account <name>', 'the account that people sign in to', 'git')
  .action(async (account: string, type: string, base64: string, options: { account: string }) => {
    if (account !== options.account) return
    const { findAuthorizedKey } = await import('./transport/ssh/shell.ts')
    const line = await findAuthorizedKey(process.env, type, base64)
    if (line !== null) say(line)
  })

const forClient = new Set(['shell', 'authorized-keys'])

await program.parseAsync().catch(async (error: unknown) => {
  process.stderr.write(`gitstead: ${await lineFor(error)}\n`)
  process.exitCode = 1
  // The channel to its primary would keep a worker alive.
  if (cluster.isWorker) process.exit()
  // What was opened before the failure may keep the process, idle connections for one.
  setTimeout(() => process.exit(), 1_000).unref()
})

/** One line for what the user who started it can fix; a stack for bugs. What goes to clients of SSH tells nothing of the machine. */
async function lineFor(error: unknown): Promise<string> {
  const { explainStart } = await import('./start-failures.ts')
  const explained = forClient.has(process.argv[2] ?? '') ? null : explainStart(error, configOrNull())
  const expected = error instanceof StartRefused || error instanceof Failure || (error as NodeJS.ErrnoException).syscall !== undefined
  return explained ?? (expected ? (error as Error).message : ((error as Error).stack ?? String(error)))
}

function configOrNull(): Config | null {
  try {
    return readConfig(process.env)
  } catch {
    return null
  }
}

async function runServer(): Promise<void> {
  // Whoever reads our output may stop doing so.
  process.stdout.on('error', () => {})
  // By itself a process that was idle looks through its whole heap again for every few megabytes more, and bytes that only pass
  // through count: a large file on its way up cost three times the processor. The heap may grow to two and a half times first.
  setFlagsFromString('--heap-growing-percent=150')
  // The young generation doubles as long as much survives, as it does while modules are loaded, and keeps what it has got: 16 MB
  // that an idle process has no use for. It may grow once requests come.
  setFlagsFromString('--semi-space-growth-factor=1')
  const config = readConfig(process.env)
  if (config.processes > 1 && cluster.isPrimary) await runPrimaryOf(config)
  else await runProcess(config)
}

/** Of several processes the one that serves nobody. It counts nothing: metrics are the workers'. */
async function runPrimaryOf(config: Config): Promise<void> {
  const [{ openLog }, { runPrimary }] = await Promise.all([import('./log.ts'), import('./processes/primary.ts')])
  const log = openLog({ level: config.log_level })
  catchStrays({ log, metrics: { strayFailures: { inc() {} } } })
  await runPrimary({ program: fileURLToPath(import.meta.url), processes: config.processes, log })
}

/** The server itself: in the one process there is, or in each worker of several. */
async function runProcess(config: Config): Promise<void> {
  const [{ closeApp, openApp }, { ensureRoot }, { joinServer }] = await Promise.all([
    import('./app.ts'),
    import('./bootstrap.ts'),
    import('./processes/member.ts'),
  ])
  const member = await joinServer()
  const app = await openApp(config, { member })
  catchStrays(app)
  const isFirst = member?.isFirst ?? true
  const secrets = isFirst ? await ensureRoot(app) : null
  const { serve } = await import('./server.ts')
  const running = await serve(app)
  setFlagsFromString('--semi-space-growth-factor=2')
  if (isFirst) announce(app, secrets, running.ssh !== null)
  let stopping = false
  const stop = async (signal?: string) => {
    if (stopping) process.exit(1)
    stopping = true
    app.log.info({ signal }, 'stopping')
    try {
      await running.stop()
      await closeApp(app)
      member?.leave()
    } catch (error) {
      app.log.fatal({ err: error }, 'could not stop')
      process.exit(1)
    }
  }
  if (member) {
    member.onStop(() => void stop())
    member.ready()
  } else for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

function announce({ config }: App, secrets: FirstSecrets | null, ssh: boolean): void {
  const processes = config.processes > 1 ? `, with ${config.processes} processes` : ''
  say(`Gitstead ${programVersion} listens on ${config.host}:${config.port} for ${config.url}${processes}`)
  if (ssh) say(`Git over SSH: port ${config.ssh_port}`)
  else if (config.ssh_port !== null) say(`No git over SSH: port ${config.ssh_port} is taken; GITSTEAD_SSH_PORT names another`)
  say(`API: ${config.url}/api/v4  Docs: ${config.url}/api/docs`)
  if (secrets?.file) {
    say(`Sign in as root with password ${secrets.password}`)
    say(`First access token: ${secrets.token}`)
    say(`Both are shown this once, and kept in ${secrets.file}`)
  } else if (secrets) say('Sign in as root with the password and the token of your configuration.')
}

/** For commands that work on the data folder and end. */
async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const config = readConfig(process.env)
  becomeOwnerOf(config.home)
  const [{ closeApp, openApp }, { ensureRoot }] = await Promise.all([import('./app.ts'), import('./bootstrap.ts')])
  const app = await openApp({ ...config, log_level: 'warn' })
  try {
    await ensureRoot(app)
    await work(app)
  } finally {
    await closeApp(app)
  }
}

/** Hooks and git's configuration that root wrote could not be read by the user the server runs as. */
function becomeOwnerOf(home: string): void {
  const found = process.getuid?.() === 0 ? statSync(home, { throwIfNoEntry: false }) : undefined
  if (!found || found.uid === 0) return
  process.setgroups?.([found.gid])
  process.setgid?.(found.gid)
  process.setuid?.(found.uid)
}

function readScopes(list: string): Scope[] {
  const named = list.split(',')
  const unknown = named.find((name) => !(scopes as readonly string[]).includes(name))
  if (unknown !== undefined) throw new StartRefused(`there is no scope ${unknown}; there are ${scopes.join(', ')}`)
  return named as Scope[]
}

function readDay(text: string | undefined): string | null {
  if (text === undefined) return null
  const inCalendar = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
  if (!inCalendar) throw new StartRefused(`${text} is no date like 2030-12-31`)
  return text
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new StartRefused(`--keep: '${text}' is not a number from 1 on`)
  return Number(text)
}

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  throw new StartRefused('no password was given')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
