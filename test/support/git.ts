/** Real git for tests: the program itself, with nobody's configuration. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const exec = promisify(execFile)

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

/** Runs git in a folder. Throws with what it said when it fails. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryGit(cwd, ...args)
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout.trim()
}

/** Runs git with text on its standard input. */
export async function gitReading(cwd: string, input: string, ...args: string[]): Promise<void> {
  const running = exec('git', args, { cwd, env: environment })
  running.child.stdin?.end(input)
  await running
}

/** Runs git with text on its standard input and gives what it says. */
export async function gitWriting(cwd: string, input: string, ...args: string[]): Promise<string> {
  const running = exec('git', args, { cwd, env: environment })
  running.child.stdin?.end(input)
  return (await running).stdout.trim()
}

/** As `git`, for when failing is the point. */
export async function tryGit(cwd: string, ...args: string[]): Promise<GitResult> {
  try {
    const { stdout, stderr } = await exec('git', args, { cwd, env: environment, maxBuffer: 512 * 1024 * 1024 })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string }
    return { code: typeof code === 'number' ? code : 1, stdout, stderr }
  }
}

/** Files of a commit by path; null removes one. Text, or bytes. */
export type Files = Record<string, string | Buffer | null>

export interface SeedCommit {
  message?: string
  files: Files
  /** Seconds since the epoch; a minute after the one before when absent. */
  time?: number
  branch?: string
}

const firstCommit_s = 1_700_000_000

/** Writes commits straight into a bare repository, one after the other on their branches: a stream for `git fast-import`. */
export async function seed(bare: string, commits: SeedCommit[]): Promise<void> {
  const parts: Array<string | Buffer> = []
  const data = (content: string | Buffer) => {
    const bytes = Buffer.from(content)
    parts.push(`data ${bytes.length}\n`, bytes, '\n')
  }
  commits.forEach(({ message = `Commit ${1 + parts.length}`, files, time, branch = 'main' }, index) => {
    const at = `Ada <ada@example.com> ${time ?? firstCommit_s + index * 60} +0000`
    parts.push(`commit refs/heads/${branch}\nauthor ${at}\ncommitter ${at}\n`)
    data(message)
    for (const [path, content] of Object.entries(files)) {
      if (content === null) parts.push(`D ${path}\n`)
      else {
        parts.push(`M 100644 inline ${path}\n`)
        data(content)
      }
    }
    parts.push('\n')
  })
  const child = execFile('git', ['fast-import', '--quiet', '--force'], { cwd: bare, env: environment })
  child.stdin?.end(Buffer.concat(parts.map((part) => Buffer.from(part))))
  let fieldError = ''
  child.stderr?.on('data', (text) => {
    fieldError += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`fast-import ended with ${code}: ${fieldError}`)
}
