/** Helpers for tests of the wire, beside the git program: requests made by hand, and the content of a repository. */
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Forge, type TestUser, testForge } from '../../support/forge.ts'
import { type Files, git } from '../../support/git.ts'
import { gitProcesses } from '../../support/git-processes.ts'

export const zero = '0'.repeat(40)
export const flush = Buffer.from('0000')

/** A work tree with one commit on main. */
export async function workTree(files: Files = { 'README.md': '# Hello\n' }): Promise<string> {
  const dir = await (await testForge()).folder()
  await git(dir, 'init', '--quiet', '--initial-branch=main')
  await commit(dir, files, 'First commit')
  return dir
}

/** Commits the files to the branch that is checked out, and gives the id of the commit. */
export async function commit(dir: string, files: Files, message = 'Change'): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content ?? '')
  }
  await git(dir, 'add', '--all')
  await git(dir, 'commit', '--quiet', '--allow-empty', '--message', message)
  return git(dir, 'rev-parse', 'HEAD')
}

/** Clones into a fresh folder, which it gives back. */
export async function clone(remote: string, ...options: string[]): Promise<string> {
  const dir = await (await testForge()).folder()
  await git(dir, 'clone', '--quiet', ...options, remote, dir)
  return dir
}

/** Runs git with bytes as input, and gives the bytes it wrote. */
export async function gitBytes(cwd: string, args: string[], input: string | Buffer = ''): Promise<Buffer> {
  const child = spawn('git', args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  // A command that reads no input may have ended by now.
  child.stdin.on('error', () => {}).end(input)
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** One packet line: four hexadecimal digits of length, then the text. */
export function packet(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** The body of a push that moves one ref. */
export function pushBody(change: { before?: string; after: string; ref: string }, pack: Buffer): Buffer {
  const line = `${change.before ?? zero} ${change.after} ${change.ref}\0 report-status atomic object-format=sha1 agent=test`
  return Buffer.concat([packet(line), flush, pack])
}

/** A pack of everything `revision` reaches. */
export function packOf(dir: string, revision: string): Promise<Buffer> {
  return gitBytes(dir, ['pack-objects', '--revs', '--stdout', '--quiet'], `${revision}\n`)
}

export interface WireAnswer {
  status: number
  type: string
  text: string
  headers: Headers
}

/** One request of the protocol, as a client of one's own would send it. */
export async function post(
  forge: Forge,
  address: string,
  body: Buffer,
  options: { user?: TestUser; headers?: Record<string, string> } = {},
): Promise<WireAnswer> {
  const service = /[^/]+$/.exec(address.split('?', 1)[0] ?? '')?.[0]
  const response = await fetch(`${await forge.url()}${address}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': `application/x-${service}-request`, ...(options.user && basic(options.user)), ...options.headers },
  })
  return answerOf(response)
}

export async function get(forge: Forge, address: string, headers: Record<string, string> = {}): Promise<WireAnswer> {
  return answerOf(await fetch(`${await forge.url()}${address}`, { headers }))
}

export function basic({ username, token }: { username: string; token: string }): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` }
}

async function answerOf(response: Response): Promise<WireAnswer> {
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return { status: response.status, type: response.headers.get('content-type') ?? '', text, headers: response.headers }
}

/** Everything a repository holds: its refs, and the files of its object store, what broken pushes left included. */
export async function contentsOf(dir: string): Promise<{ head: string; refs: string; files: string[] }> {
  return {
    head: await readFile(join(dir, 'HEAD'), 'utf8'),
    refs: await git(dir, 'for-each-ref'),
    files: (await readdir(join(dir, 'objects'), { recursive: true })).sort(),
  }
}

/** The git processes at work on a repository, without the readers that wait for questions. */
export function processesOn(dir: string): string[] {
  return runningOn(dir).map(({ command }) => command)
}

export function runningOn(dir: string): Array<{ pid: number; command: string }> {
  const found = gitProcesses(dir).map(({ pid, args }) => ({ pid, command: args.join(' ') }))
  return found.filter(({ command }) => !command.includes('cat-file'))
}
