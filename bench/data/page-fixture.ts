/** The content of the measured pages: a project with commits of 3,000 and of 10,000 lines of diff, and other projects beside it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Forge, startForge } from '../forge.ts'
import { git, root } from '../processes.ts'
import { pushToRead } from '../reading.ts'
import { fill } from './people.ts'
import { commit, type File, generate } from './repository.ts'

/** The lines of our own source, to be cut into files: highlighting has as much to do as with any code. */
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .flatMap((path) =>
    readFileSync(join(root, 'src', path), 'latin1')
      .replaceAll(/[^\x20-\x7e\n]/g, '.')
      .split('\n'),
  )

const fileLines = 200
/** Lines of one hunk: two removed, two added, six of context. */
const hunkLines = 10

export interface Addresses {
  /** Lists: of projects, of files, of commits. */
  lists: string[]
  diff3000: string
  diff10000: string
  /** The changes of a merge request: the same 10,000 lines. */
  review10000: string
  /** A diff of 100 lines: axe takes half a minute on the large ones. */
  small: string
  /** An issue with a hundred comments. */
  talk: string
  /** Files to be highlighted, each another one. */
  blobs: string[]
  /** The address of the form that edits a file. */
  edit: string
}

/** A repository with a branch for each size of diff. The last commit of each changes so many lines. */
function generateDiffs(dir: string): Promise<string> {
  return generate(dir, function* () {
    for (const [branch, files, hunks] of [
      ['main', 10, 1],
      ['diff-3000', 60, 5],
      ['diff-10000', 100, 10],
    ] as const) {
      const all = Array.from({ length: files }, (_, index) => index)
      yield commit(
        branch,
        0,
        all.map((index): File => [pathOf(index), textOf(index, 0)]),
      )
      yield commit(
        branch,
        1,
        all.map((index): File => [pathOf(index), textOf(index, hunks)]),
      )
    }
  })
}

const pathOf = (index: number) => `src/part-${index % 8}/file-${index}.ts`

function textOf(index: number, hunks: number): string {
  const lines = source.slice((index * fileLines) % (source.length - fileLines)).slice(0, fileLines)
  for (let hunk = 0; hunk < hunks; hunk += 1) {
    const at = hunkLines * 2 * hunk + 5
    lines.splice(at, 2, `// changed ${hunk}: ${lines[at]}`, `// and ${lines[at + 1]}`)
  }
  return lines.join('\n')
}

export interface MeasuredForge {
  forge: Forge
  addresses: Addresses
}

/** A server of its own with all of it, and nothing left to do. */
export async function startPageForge(folder: string): Promise<MeasuredForge> {
  const home = join(folder, 'pages')
  const forge = await startForge(home)
  await fill(join(home, 'gitstead.sqlite'), { users: 100, groups: 40, projects: 200 })
  const repository = await generateDiffs(join(folder, 'diffs.git'))
  await pushToRead(forge, [repository])
  const shaOf = (branch: string) => git(repository, 'rev-parse', branch)
  const commits = await Promise.all(['main', 'diff-3000', 'diff-10000'].map(shaOf))
  const [small, diff3000, diff10000] = commits.map((sha) => `/root/read/commit/${sha}`) as [string, string, string]
  const blobs = Array.from({ length: 60 }, (_, index) => `/root/read/blob/diff-3000/${pathOf(index)}`)
  const review10000 = await propose(forge, await shaOf('diff-10000~1'))
  const talk = await discuss(forge)
  const edit = `/root/read/edit/diff-3000/${pathOf(0)}`
  return {
    forge,
    addresses: {
      lists: ['/explore/projects', '/root/read/tree/main/src', '/root/read/commits/main'],
      diff3000,
      diff10000,
      review10000,
      small,
      talk,
      blobs,
      edit,
    },
  }
}

/** Proposes the commit of 10,000 lines to a branch that begins before it. */
async function propose(forge: Forge, start: string): Promise<string> {
  const project = '/projects/root%2Fread'
  await forge.call('POST', `${project}/repository/branches`, { branch: 'before-10000', ref: start })
  const branches = { source_branch: 'diff-10000', target_branch: 'before-10000' }
  const { iid } = (await forge.call('POST', `${project}/merge_requests`, { ...branches, title: '10,000 lines' })) as { iid: number }
  await forge.settled()
  return `/root/read/merge_requests/${iid}/diffs`
}

const comments = 100

async function discuss(forge: Forge): Promise<string> {
  const project = '/projects/root%2Fread'
  const { iid } = (await forge.call('POST', `${project}/issues`, { title: 'Talked about', description: commentOf(0) })) as { iid: number }
  for (let number = 1; number <= comments; number += 1)
    await forge.call('POST', `${project}/issues/${iid}/notes`, { body: commentOf(number) })
  await forge.settled()
  return `/root/read/issues/${iid}`
}

/** A few sentences with a list and some code, as people write them. */
function commentOf(number: number): string {
  const lines = source.slice((number * 7) % (source.length - 8)).slice(0, 8)
  const said = `It happens since **version ${number}**, see #1: the \`reader\` stops after the first part, and nothing is logged.`
  return `${said}\n\n- on Linux\n- on macOS, sometimes\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\nThat was ${number} of them.`
}

/** The cookie of an administrator who has signed in by the form, for `Cookie`. */
export async function signIn({ url }: Forge): Promise<string> {
  const form = await fetch(`${url}/users/sign_in`)
  const token = /name="form_token" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
  const body = new URLSearchParams({ login: 'root', password: 'bench-password', form_token: token })
  const answer = await fetch(`${url}/users/sign_in`, { method: 'POST', body, headers: { cookie: cookieOf(form) }, redirect: 'manual' })
  await answer.body?.cancel()
  if (answer.status !== 303) throw new Error(`signing in was answered with ${answer.status}`)
  return cookieOf(answer)
}

function cookieOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .filter((line) => !/Max-Age=0/.test(line))
    .map((line) => line.split(';')[0])
    .join('; ')
}
