/** `gitstead ci`: commands for developers to use a CI file on their own machine. */
import type { Command } from 'commander'
import { StartRefused } from '../../failure.ts'

interface LocalFlags {
  list: boolean
  stage?: string
  variable: string[]
  allowNetwork: boolean
  allowRead: string[]
  withoutSandbox: boolean
}

/** @param program command line that starts this program, without a command */
export function addLocalCommands(main: Command, program: readonly string[], print: (line: string) => void): void {
  main
    .command('ci')
    .description('check and run the CI file of a work tree on this machine')
    .command('local [jobs...]')
    .description('run the jobs that a push of this work tree would make: all, those of a stage, or these alone')
    .option('--list', 'say which jobs a push would make and which not, and run none', false)
    .option('--stage <name>', 'only the jobs of a stage')
    .option('--variable <KEY=VALUE>', 'a CI variable of the project; may be repeated', collect, [])
    .option('--allow-network', 'let scripts use the network', false)
    .option('--allow-read <folder>', 'let jobs read a folder beside those of the system; may be repeated', collect, [])
    .option('--without-sandbox', 'run jobs as this user, without bubblewrap', false)
    .action(async (jobs: string[], flags: LocalFlags) => {
      const { runLocally } = await import('./local.ts')
      const stopping = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
      const succeeded = await runLocally({
        ...{ jobs, program, print, signal: stopping.signal, folder: process.cwd() },
        ...{ stage: flags.stage ?? null, listsOnly: flags.list, variables: flags.variable.map(variableOf) },
        ...{ allowNetwork: flags.allowNetwork, withoutSandbox: flags.withoutSandbox, read_paths: flags.allowRead },
        write: (bytes) => void process.stdout.write(bytes),
      })
      process.exitCode = succeeded ? 0 : 1
    })
}

function variableOf(text: string): { key: string; value: string } {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) throw new StartRefused(`--variable must be KEY=VALUE (got "${text}")`)
  return { key, value }
}

function collect(value: string, all: string[]): string[] {
  return [...all, value]
}
