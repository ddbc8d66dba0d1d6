/** Histories of any shape for tests: branches, merges, roots without a common past, authors of every kind. */
import { execFile } from 'node:child_process'
import type { Files } from './git.ts'

export interface ShapedCommit {
  branch: string
  /** `Name <email>`; Ada when absent. */
  author?: string
  files?: Files
  /** Branches or commits; what was written to the branch before when absent, none at all for an empty list. */
  parents?: string[]
  /** Seconds since the epoch; a minute after the one before when absent. */
  time?: number
}

const firstCommit_s = 1_700_000_000

/** Writes the commits one after the other, and moves their branches. Gives their ids. */
export async function shape(bare: string, commits: ShapedCommit[]): Promise<string[]> {
  const marks = new Map<string, string>()
  const stream = commits.map((commit, index) => orderOf(commit, index + 1, marks)).join('')
  const child = execFile('git', ['fast-import', '--quiet', '--force', '--cat-blob-fd=1'], { cwd: bare, maxBuffer: 2 ** 26 })
  let output = ''
  let fieldError = ''
  child.stdout?.on('data', (text) => {
    output += text
  })
  child.stderr?.on('data', (text) => {
    fieldError += text
  })
  child.stdin?.end(stream)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`fast-import ended with ${code}: ${fieldError}`)
  return output.trim().split('\n')
}

/** `marks` has the last commit of each branch so far. */
function orderOf(
  { branch, author = 'Ada <ada@example.com>', files = {}, ...rest }: ShapedCommit,
  mark: number,
  marks: Map<string, string>,
) {
  const at = `${rest.time ?? firstCommit_s + mark * 60} +0000`
  const message = `Commit ${mark}`
  const own = marks.has(branch) ? [branch] : []
  const [first, ...others] = (rest.parents ?? own).map((parent) => marks.get(parent) ?? `${parent}^0`)
  marks.set(branch, `:${mark}`)
  const changes = Object.entries(files).map(([path, content]) => (content === null ? `D ${path}\n` : writeOf(path, Buffer.from(content))))
  return [
    first ? '' : `reset refs/heads/${branch}\n\n`,
    `commit refs/heads/${branch}\nmark :${mark}\nauthor ${author} ${at}\ncommitter Committer <committer@example.com> ${at}\n`,
    `data ${message.length}\n${message}\n`,
    first ? `from ${first}\n` : '',
    ...others.map((other) => `merge ${other}\n`),
    ...changes,
    `\nget-mark :${mark}\n`,
  ].join('')
}

/** As text: the stream of a test has no other bytes than its own. */
function writeOf(path: string, content: Buffer): string {
  return `M 100644 inline ${path}\ndata ${content.length}\n${content.toString('utf8')}\n`
}
