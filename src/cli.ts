/** The command line. Each command imports what it needs, so that the primary of several processes stays small. */
import cluster from 'node:cluster'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { type Scope, scopes } from './access/levels.ts'
import { addOperatingCommands } from './admin/commands.ts'
import type { App } from './app.ts'
import { catchStrays } from './background.ts'
import type { FirstSecrets } from './bootstrap.ts'
import { type Config, describeSettings, readConfig } from './config.ts'
import { Failure, StartRefused } from './failure.ts'
import { mainFile } from './program/main-file.ts'
import { holdYoungGeneration, letYoungGenerationGrow } from './program/young-generation.ts'
import { addRunnerCommands } from './runner/commands.ts'
import { addLocalCommands } from './runner/local/commands.ts'
import { programVersion } from './version.ts'

// New files are readable by their owner only: the database holds digests of secrets.
process.umask(0o077)

const program = new Command('gitstead')
  .description('A git forge in one process and one data folder.')
  .version(programVersion)
  .addHelpText('after', `\n${describeSettings()}`)

program.command('serve', { isDefault: true }).description('migrate the database, then serve until stopped').action(runServer)
program
  .command('migrate')
  .description('migrate the database and exit')
  .action(() => withApp(async () => printLine('The database is up to date.')))

const admin = program.command('admin').description('manage users, tokens, backups and jobs, and check the installation')
admin
  .command('create-user <username>')
  .description('create a user')
  .requiredOption('--email <address>', 'primary email address')
  .option(
    '--password <password>',
    'password, visible to other users of this machine; by default read from the first line of standard input',
  )
  .option('--name <name>', 'full name; by default the username')
  .option('--admin', 'make the user an administrator', false)
  .action((username: string, options: { email: string; password?: string; name?: string; admin: boolean }) =>
    withApp(async (app) => {
      const { createUser } = await import('./features/people/users/users.ts')
      const password = options.password ?? (await readLine())
      const user = await createUser(app, { username, confirmed: true, ...options, password, name: options.name ?? username })
      printLine(`Created user ${user.username} with id ${user.id}.`)
    }),
  )
admin
  .command('create-token <username>')
  .description('create an access token and print it; it is shown only once')
  .option('--name <name>', 'name of the token', 'created on the command line')
  .option('--scopes <list>', `comma-separated list of ${scopes.join(', ')}`, 'api')
  .option('--expires <YYYY-MM-DD>', 'day on which the token expires; by default it does not')
  .action((username: string, options: { name: string; scopes: string; expires?: string }) =>
    withApp(async (app) => {
      const [{ findUser }, { createToken }] = await Promise.all([import('./access/users.ts'), import('./access/tokens.ts')])
      const user = await findUser(app.db, username)
      // No personal tokens for the Ghost User and bot users.
      if (user?.kind !== 'human') throw new StartRefused(`there is no user ${username}`)
      printLine(
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
  .command('disable-two-factor <username>')
  .description('remove the second factor of a user: the password alone signs them in again')
  .action((username: string) =>
    withApp(async (app) =>
      printLine(await (await import('./features/people/second-factor/second-factor.ts')).turnOffByName(app, username)),
    ),
  )
admin
  .command('backup <folder>')
  .description('write a new backup of everything into the folder; the server may run')
  .option('--verify', 'read the new backup back and check it', false)
  .option('--keep <n>', 'keep the last <n> complete backups and remove older ones; by default all are kept')
  .option('--quiet', 'print only errors and the last line', false)
  .action(async (folder: string, { keep, ...options }: { verify: boolean; keep?: string; quiet: boolean }) => {
    const { runBackup } = await import('./backup/command.ts')
    process.exitCode = await runBackup(folder, { ...options, keep: keep === undefined ? null : readCount(keep) })
  })
admin
  .command('restore <folder>')
  .description('restore the last complete backup in the folder to an empty GITSTEAD_HOME and an empty database')
  .option('--at <name>', 'name of another backup')
  .option('--verify', 'check the backup first', false)
  .option('--quiet', 'print only errors and the last line', false)
  .action(async (folder: string, { at, ...options }: { verify: boolean; at?: string; quiet: boolean }) => {
    const { runRestore } = await import('./backup/command.ts')
    process.exitCode = await runRestore(folder, { ...options, at })
  })
admin
  .command('verify-backup <folder>')
  .description('check the last complete backup in the folder')
  .option('--at <name>', 'name of another backup')
  .option('--quiet', 'print only errors and the last line', false)
  .action(async (folder: string, { at, ...options }: { at?: string; quiet: boolean }) => {
    const { runVerify } = await import('./backup/command.ts')
    process.exitCode = await runVerify(folder, { ...options, at })
  })

addOperatingCommands(admin, { withApp, becomeOwnerOf, printLine })
addRunnerCommands(program, printLine)
addLocalCommands(program, [process.execPath, ...process.execArgv, mainFile], printLine)

// OpenSSH runs these once per connection, so they import as little as possible.
program
  .command('shell <key>')
  .description('serve git to the owner of an SSH key (key-1); OpenSSH runs this')
  .action(async (key: string) => {
    const [{ runShell }] = await Promise.all([import('./transport/ssh/shell.ts'), connectFeatures(readConfig(process.env))])
    process.exitCode = await runShell(process.env, key)
  })
program
  .command('authorized-keys <account> <type> <base64>')
  .description('print the authorized_keys line of a known key; for AuthorizedKeysCommand, with %u %t %k')
  .option('--account <name>', 'the account that git clients connect to', 'git')
  .action(async (account: string, type: string, base64: string, options: { account: string }) => {
    if (account !== options.account) return
    const { findAuthorizedKey } = await import('./transport/ssh/shell.ts')
    const line = await findAuthorizedKey(process.env, type, base64)
    if (line !== null) printLine(line)
  })

const forClient = new Set(['shell', 'authorized-keys'])

await program.parseAsync().catch(async (error: unknown) => {
  process.stderr.write(`gitstead: ${await lineFor(error)}\n`)
  process.exitCode = 1
  // The channel to the primary would keep a worker alive.
  if (cluster.isWorker) process.exit()
  // Handles opened before the failure, such as idle connections, may keep the process alive.
  setTimeout(() => process.exit(), 1_000).unref()
})

/** One line for errors that the administrator can fix, a stack trace for bugs. SSH clients learn nothing about the machine. */
async function lineFor(error: unknown): Promise<string> {
  const { explainStart } = await import('./program/start-failures.ts')
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
  // The reader of our output may close it.
  process.stdout.on('error', () => {})
  // By default, V8 collects the whole heap of a process that was idle for every few additional megabytes, and bytes that only pass through
  // count: a large upload took three times the processor time. With this, the heap may double first.
  setFlagsFromString('--heap-growing-percent=100')
  // The young generation doubles when much survives, as while modules are loaded, and never shrinks. It may grow once requests come.
  holdYoungGeneration()
  const config = readConfig(process.env)
  if (config.processes > 1 && cluster.isPrimary) await runPrimaryOf(config)
  else await runProcess(config)
}

/** The primary of several processes. It serves no requests and has no metrics; these belong to the workers. */
async function runPrimaryOf(config: Config): Promise<void> {
  const [{ openLog }, { runPrimary }] = await Promise.all([import('./logging/log.ts'), import('./processes/primary.ts')])
  const log = openLog({ level: config.log_level })
  catchStrays({ log, metrics: { strayFailures: { inc() {} } } })
  await runPrimary({ program: mainFile, processes: config.processes, log })
}

/** The server: the only process, or one worker of several. */
async function runProcess(config: Config): Promise<void> {
  const [{ closeApp, openApp }, { ensureRoot }, { joinServer }, { hostKeys }] = await Promise.all([
    import('./app.ts'),
    import('./bootstrap.ts'),
    import('./processes/member.ts'),
    import('./transport/ssh/host-keys.ts'),
    connectFeatures(config),
  ])
  const member = await joinServer()
  const app = await openApp(config, { member, git: { by_fork_server: true } })
  catchStrays(app)
  const isFirst = member?.isFirst ?? true
  // Generating keys at a first start takes as long as everything else, but on other processors.
  const ssh_keys = config.ssh_port === null ? null : hostKeys(join(config.home, 'ssh'))
  ssh_keys?.catch(() => {})
  const [secrets, { serve }] = await Promise.all([isFirst ? ensureRoot(app) : null, import('./server.ts')])
  const running = await serve(app, ssh_keys)
  letYoungGenerationGrow()
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

/** Called in every process that changes data: from then on domain events have their subscribers. */
async function connectFeatures(config: Config): Promise<void> {
  const [{ connectSubscribers }, { subscribers }] = await Promise.all([
    import('./domain-events/domain-events.ts'),
    import('./features/subscribers.ts'),
  ])
  connectSubscribers(subscribers, config)
}

function announce({ config }: App, secrets: FirstSecrets | null, ssh: boolean): void {
  const processes = config.processes > 1 ? `, with ${config.processes} processes` : ''
  printLine(`Gitstead ${programVersion} listens on ${config.host}:${config.port} for ${config.url}${processes}`)
  if (ssh) printLine(`Git over SSH: port ${config.ssh_port}`)
  else if (config.ssh_port !== null)
    printLine(`Git over SSH is off: port ${config.ssh_port} is in use; set GITSTEAD_SSH_PORT to another port`)
  printLine(`API: ${config.url}/api/v4  Docs: ${config.url}/api/docs`)
  if (secrets?.file) {
    printLine(`Sign in as root with password ${secrets.password}`)
    printLine(`First access token: ${secrets.token}`)
    printLine(`Both are shown only once, and saved in ${secrets.file}`)
  } else if (secrets) printLine('Sign in as root with the password and token from your configuration.')
}

/** For commands that work on the data folder and exit. */
async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const config = readConfig(process.env)
  becomeOwnerOf(config.home)
  const [{ closeApp, openApp }, { ensureRoot }] = await Promise.all([import('./app.ts'), import('./bootstrap.ts'), connectFeatures(config)])
  const app = await openApp({ ...config, log_level: 'warn' })
  try {
    await ensureRoot(app)
    await work(app)
  } finally {
    await closeApp(app)
  }
}

/** Files written as root (hooks, git's configuration) would not be readable by the user that the server runs as. */
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
  if (unknown !== undefined) throw new StartRefused(`unknown scope ${unknown}; the scopes are ${scopes.join(', ')}`)
  return named as Scope[]
}

function readDay(text: string | undefined): string | null {
  if (text === undefined) return null
  const inCalendar = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
  if (!inCalendar) throw new StartRefused(`--expires must be a date such as 2030-12-31 (got "${text}")`)
  return text
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new StartRefused(`--keep must be a number from 1 to 999999 (got "${text}")`)
  return Number(text)
}

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  throw new StartRefused('no password given; write it to standard input')
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
