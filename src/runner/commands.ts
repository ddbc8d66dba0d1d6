/** `gitstead runner`: a separate program that only knows the server by its protocol. Each command imports its modules when it runs. */
import type { Command } from 'commander'
import { StartRefused } from '../failure.ts'

type Print = (line: string) => void

interface RegisterFlags {
  home?: string
  url: string
  token?: string
  name?: string
  tags?: string
  runUntagged?: boolean
  locked: boolean
  paused: boolean
  protected: boolean
  maximumTimeout?: string
}

interface RunFlags {
  home?: string
  concurrent: string
  allowNetwork: boolean
  allowRead: string[]
  withoutSandbox: boolean
  outputLimit: string
}

const homeOption = ['--home <folder>', 'folder of the runner; by default GITSTEAD_RUNNER_HOME or ~/.gitstead-runner'] as const

export function addRunnerCommands(program: Command, printLine: Print): void {
  const runner = program.command('runner').description('run CI jobs on this machine, for this or another server')
  addRegistration(runner, printLine)
  addOthers(runner, printLine)
  runner
    .command('run')
    .description('ask for jobs and run them until stopped; SIGTERM waits for running jobs, a second one ends them')
    .option(...homeOption)
    .option('--concurrent <n>', 'how many jobs run at once', '1')
    .option('--allow-network', 'let scripts of jobs use the network; sources, artifacts and submodules always come', false)
    .option('--allow-read <folder>', 'let jobs read a folder beside those of the system; may be repeated', collect, [])
    .option('--without-sandbox', 'run jobs as this user, without bubblewrap: only for projects that you trust', false)
    .option('--output-limit <KB>', 'how much of the log of a job is kept', '4096')
    .action((flags: RunFlags) => run(flags, printLine))
}

function addRegistration(runner: Command, printLine: Print): void {
  runner
    .command('register')
    .description('register a runner with a registration token, or add one that was created at the server')
    .requiredOption('--url <url>', 'address of the server')
    .option('--token <token>', 'registration or authentication token; by default GITSTEAD_RUNNER_TOKEN, which other users cannot see')
    .option('--name <name>', 'name in lists and logs; by default the name of this machine')
    .option('--tags <list>', 'comma-separated tags of jobs it takes')
    .option('--run-untagged', 'take jobs without tags, too; always so without --tags')
    .option('--locked', 'keep it to its project', false)
    .option('--paused', 'take no jobs yet', false)
    .option('--protected', 'take only jobs of protected branches and tags', false)
    .option('--maximum-timeout <seconds>', 'end jobs that take longer')
    .option(...homeOption)
    .action(async (flags: RegisterFlags) => {
      const [{ register }, { runnerHome }] = await Promise.all([import('./register.ts'), import('./config.ts')])
      const token = flags.token ?? process.env.GITSTEAD_RUNNER_TOKEN
      if (!token) throw new StartRefused('--token or GITSTEAD_RUNNER_TOKEN must be a token of the server')
      const home = runnerHome(flags.home, process.env)
      await register({ home, url: flags.url, token, ...registrationOf(flags) }, printLine)
    })
}

function registrationOf({ name, tags, runUntagged, locked, paused, protected: isProtected, maximumTimeout }: RegisterFlags) {
  return {
    run_untagged: runUntagged ?? tags === undefined,
    ...{ locked, paused, access_level: isProtected ? 'ref_protected' : 'not_protected' },
    ...(name === undefined ? {} : { name }),
    ...(tags === undefined ? {} : { tag_list: tags }),
    ...(maximumTimeout === undefined ? {} : { maximum_timeout: count('--maximum-timeout', maximumTimeout) }),
  }
}

function addOthers(runner: Command, printLine: Print): void {
  runner
    .command('verify')
    .description('ask each server whether it knows its runner')
    .option(...homeOption)
    .action(async ({ home }: { home?: string }) => {
      const [{ verify }, { runnerHome }] = await Promise.all([import('./register.ts'), import('./config.ts')])
      if (!(await verify(runnerHome(home, process.env), printLine))) process.exitCode = 1
    })
  runner
    .command('unregister')
    .description('delete runners that register created; forget those that were created at the server')
    .option('--name <name>', 'the runner of this name')
    .option('--all', 'all runners of this folder', false)
    .option(...homeOption)
    .action(async ({ home, ...wanted }: { home?: string; name?: string; all: boolean }) => {
      const [{ unregister }, { runnerHome }] = await Promise.all([import('./register.ts'), import('./config.ts')])
      await unregister(runnerHome(home, process.env), wanted, printLine)
    })
}

async function run(flags: RunFlags, printLine: Print): Promise<void> {
  const [{ startRunner }, { runnerHome }] = await Promise.all([import('./serve.ts'), import('./config.ts')])
  const { stop, finished } = await startRunner({
    home: runnerHome(flags.home, process.env),
    concurrent: count('--concurrent', flags.concurrent),
    allowNetwork: flags.allowNetwork,
    withoutSandbox: flags.withoutSandbox,
    read_paths: flags.allowRead,
    max_trace_bytes: count('--output-limit', flags.outputLimit) * 1024,
    check_interval_ms: 3_000,
    report_interval_ms: 3_000,
    print: (line) => printLine(`${new Date().toISOString()} ${line}`),
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  await finished
  process.exit()
}

function collect(value: string, all: string[]): string[] {
  return [...all, value]
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new StartRefused(`${option} must be a whole number from 1 (got "${text}")`)
  return Number(text)
}
