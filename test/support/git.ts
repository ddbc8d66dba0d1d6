/** Real git for tests, without any user configuration. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { forkServer } from '../../src/git/process/fork-server-client.ts'
import { settleRefs, writeLoose } from './fixtures/loose-objects.ts'

const environment = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  LC_ALL: 'C.UTF-8',
}

export interface GitResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs git in a folder. Throws with its output if it fails. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  return (await succeeding(cwd, args)).stdout.trim()
}

/** Runs git with text or bytes on its standard input. */
export async function gitReading(cwd: string, input: string | Buffer, ...args: string[]): Promise<void> {
  await succeeding(cwd, args, input)
}

/** Runs git with text on its standard input and returns its output. */
export async function gitWriting(cwd: string, input: string, ...args: string[]): Promise<string> {
  return (await succeeding(cwd, args, input)).stdout.trim()
}

/** As `git`, for commands that are expected to fail. */
export function tryGit(cwd: string, ...args: string[]): Promise<GitResult> {
  return run(cwd, args)
}

async function succeeding(cwd: string, args: string[], input?: string | Buffer): Promise<GitResult> {
  const result = await run(cwd, args, input)
  if (result.code !== 0) throw new Error(`git ${args.join(' ')} ended with ${result.code}: ${result.stderr}`)
  return result
}

function run(cwd: string, args: string[], input?: string | Buffer): Promise<GitResult> {
  return runProgram('git', cwd, args, input)
}

/** Any program, started by the worker's fork server, as a `fork` of the worker itself takes five times as long. */
export async function runProgram(file: string, cwd: string, args: string[], input?: string | Buffer): Promise<GitResult> {
  const program = forkServer().start(file, args, { cwd, env: environment })
  // It may end before it has read everything.
  program.stdin.on('error', () => {})
  program.stdin.end(input)
  try {
    const [stdout, stderr, { code }] = await Promise.all([text(program.stdout), text(program.stderr), program.ended])
    return { code: code ?? 1, stdout, stderr }
  } catch (error) {
    return { code: 1, stdout: '', stderr: String(error) }
  }
}

/** Files of a commit by path; null removes one. Text, or bytes. */
export type Files = Record<string, string | Buffer | null>

export interface SeedCommit {
  message?: string
  files: Files
  /** Seconds since the epoch; a minute after the previous one by default. */
  time?: number
  branch?: string
}

const firstCommit_s = 1_700_000_000

const timeOf = (commits: SeedCommit[]) => (index: number) => commits[index]?.time ?? firstCommit_s + index * 60

/** Writes commits directly into a bare repository without refs, in order, each on its branch. Returns the refs. */
export async function seed(bare: string, commits: SeedCommit[]): Promise<Map<string, string>> {
  const named = commits.map((commit, index) => ({ ...commit, message: commit.message ?? `Commit ${index + 1}` }))
  const isEmpty = (await readdir(join(bare, 'refs', 'heads'))).length === 0
  const refs = isEmpty ? await writeLoose(bare, named, timeOf(named)) : null
  if (refs) return refs
  await seedByGit(bare, named)
  const listed = await git(bare, 'for-each-ref', '--format=%(refname) %(objectname)')
  return new Map(listed.split('\n').map((line) => [line.slice(0, -41), line.slice(-40)]))
}

/** As `seed`: a stream for `git fast-import`. */
export async function seedByGit(bare: string, commits: SeedCommit[]): Promise<void> {
  const parts: Array<string | Buffer> = []
  const data = (content: string | Buffer) => {
    const bytes = Buffer.from(content)
    parts.push(`data ${bytes.length}\n`, bytes, '\n')
  }
  commits.forEach(({ message, files, branch = 'main' }, index) => {
    const at = `Ada <ada@example.com> ${timeOf(commits)(index)} +0000`
    parts.push(`commit refs/heads/${branch}\nauthor ${at}\ncommitter ${at}\n`)
    data(message ?? `Commit ${index + 1}`)
    for (const [path, content] of Object.entries(files)) {
      if (content === null) parts.push(`D ${path}\n`)
      else {
        parts.push(`M 100644 inline ${path}\n`)
        data(content)
      }
    }
    parts.push('\n')
  })
  await gitReading(bare, Buffer.concat(parts.map((part) => Buffer.from(part))), 'fast-import', '--quiet', '--force')
  await settleRefs(bare)
}
