/** The `gitstead admin` commands for operation. Each imports its modules when it runs. */
import type { Command } from 'commander'
import type { App } from '../app.ts'

export interface CommandTools {
  /** Opens the app for the work, and closes it. */
  withApp: (work: (app: App) => Promise<void>) => Promise<void>
  /** If run by root, switches to the user who owns the data folder. */
  becomeOwnerOf: (home: string) => void
  printLine: (line: string) => void
}

export function addOperatingCommands(admin: Command, tools: CommandTools): void {
  addJobCommands(admin, tools)
  admin
    .command('doctor')
    .description('check settings, data folder, database, repositories, queue and public address; changes nothing')
    .option('--json', 'print one JSON array', false)
    .option('--strict', 'fail on warnings, too', false)
    .action(async (options: { json: boolean; strict: boolean }) => {
      const { runDoctor } = await import('./doctor.ts')
      process.exitCode = await runDoctor(process.env, { ...options, ...tools })
    })
}

function addJobCommands(admin: Command, { withApp, printLine }: CommandTools): void {
  const jobs = admin.command('jobs').description('list, retry and delete background jobs')
  const print = (options: { state?: string; json: boolean }) =>
    withApp(async (app) => (await import('./jobs.ts')).printJobs(app, options, printLine))
  jobs
    .command('list', { isDefault: true })
    .description('list all jobs')
    .option('--state <state>', 'only these: waiting, running or dead')
    .option('--json', 'print one JSON array', false)
    .action(print)
  jobs
    .command('dead')
    .description('list the jobs that failed for good')
    .option('--json', 'print one JSON array', false)
    .action(({ json }: { json: boolean }) => print({ state: 'dead', json }))
  for (const change of ['retry', 'delete'] as const) {
    jobs
      .command(`${change} [ids...]`)
      .description(change === 'retry' ? 'run jobs again, now' : 'delete jobs that are not running')
      .option('--dead', 'all dead jobs', false)
      .option('--json', 'print one JSON object', false)
      .action((ids: string[], options: { dead: boolean; json: boolean }) =>
        withApp(async (app) => (await import('./jobs.ts')).changeJobs(app, { ids, change, ...options }, printLine)),
      )
  }
}
