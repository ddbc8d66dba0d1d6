/** Everybody who writes to a forge at once, until told to stop: what a backup is made under. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { git, tryGit } from '../../support/git.ts'
import { commit } from '../git/wire.ts'
import type { ServerProcess } from '../server-process.ts'

export interface Writers {
  /** Pushes and commits that were acknowledged, in their order. */
  acknowledged: Array<{ ref: string; oid: string }>
  /** How many times each kind of writing was done. */
  counts: Record<string, number>
  /** Failures that shouldn't have happened. */
  failures: string[]
  /** Resolves once everybody has done that much. */
  busy: (times: number) => Promise<void>
  stop: () => Promise<void>
}

const authorization = `Basic ${Buffer.from('root:root-token-0123456789').toString('base64')}`
const token = { 'private-token': 'root-token-0123456789' }

const maxAhead = 3

/** A project with one commit on main. */
export async function makeProject(server: ServerProcess, name: string): Promise<number> {
  const { id } = (await (await server.send('POST', '/projects', { name })).json()) as { id: number }
  const actions = [{ action: 'create', file_path: 'README.md', content: `# ${name}` }]
  const { status } = await server.send('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'First', actions })
  if (status !== 201) throw new Error(`a first commit: ${status}`)
  return id
}

/** The forge has projects `one` and `two`, with ids 1 and 2, and a branch main. */
export function startWriters(server: ServerProcess, folder: string): Writers {
  const acknowledged: Writers['acknowledged'] = []
  const counts: Record<string, number> = {}
  const failures: string[] = []
  let isOver = false
  let waiting: Array<() => void> = []
  const lane = async (name: string, work: (turn: number) => Promise<boolean>) => {
    counts[name] = 0
    for (let turn = 0; !isOver; turn += 1) {
      // The quick ones wait for the others, so that no run makes more than another.
      while (!isOver && (counts[name] ?? 0) > Math.min(...Object.values(counts)) + maxAhead) await setTimeout(10)
      const isDone = await work(turn).catch((error: unknown) => failures.push(`${name}: ${error}`) === 0)
      if (isDone) counts[name] = (counts[name] ?? 0) + 1
      for (const look of waiting) look()
    }
  }
  const ok = async (answer: Promise<Response>, what: string) => {
    const { status } = await answer
    if (status >= 300) failures.push(`${what}: ${status}`)
    return status < 300
  }
  const lanes = [
    lane('pushes', pushing(server, folder, 'one', 'topic', acknowledged)),
    lane('forced pushes', pushing(server, folder, 'two', 'forced', acknowledged)),
    lane('commits', async (turn) => {
      const actions = [{ action: 'create', file_path: `file-${turn}`, content: randomBytes(20_000).toString('base64'), encoding: 'base64' }]
      const answer = await server.send('POST', '/projects/1/repository/commits', {
        branch: 'main',
        commit_message: `Commit ${turn}`,
        actions,
      })
      if (answer.status !== 201) return ok(Promise.resolve(answer), 'a commit')
      acknowledged.push({ ref: 'refs/heads/main', oid: ((await answer.json()) as { id: string }).id })
      return true
    }),
    lane('projects', async (turn) => {
      const id = await makeProject(server, `made-${turn}`)
      await ok(server.send('POST', `/projects/${id}/repository/branches`, { branch: 'b', ref: 'main' }), 'a branch')
      // Some are there for a moment only.
      return turn % 2 === 0 ? ok(server.send('DELETE', `/projects/${id}`), 'a deletion') : true
    }),
    lane('forks', async (turn) => {
      const made = await server.send('POST', '/projects/2/fork', { name: `fork-${turn}`, path: `fork-${turn}` })
      return ok(Promise.resolve(made), 'a fork')
    }),
    lane('large files', async () => {
      const body = randomBytes(100_000)
      const oid = createHash('sha256').update(body).digest('hex')
      const headers = { authorization, 'content-type': 'application/octet-stream' }
      return ok(fetch(`${server.url}/root/one.git/info/lfs/objects/${oid}`, { method: 'PUT', headers, body }), 'a large file')
    }),
    lane('uploads', async (turn) => {
      const form = new FormData()
      form.set('file', new Blob([randomBytes(5_000)]), `upload-${turn}.bin`)
      return ok(fetch(`${server.url}/api/v4/projects/1/uploads`, { method: 'POST', headers: token, body: form }), 'an upload')
    }),
  ]
  return {
    acknowledged,
    counts,
    failures,
    busy(times) {
      const goals = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count + times]))
      return new Promise((resolve) => {
        const look = () => Object.entries(goals).every(([name, goal]) => (counts[name] ?? 0) >= goal) && resolve()
        waiting = [...waiting, look]
        look()
      })
    },
    async stop() {
      isOver = true
      await Promise.all(lanes)
    },
  }
}

/** Pushes a branch: on, then again by force, then away, then back. And a tag now and then. */
function pushing(server: ServerProcess, folder: string, project: string, branch: string, acknowledged: Writers['acknowledged']) {
  let work: Promise<string> | null = null
  const prepare = async () => {
    const dir = await mkdtemp(join(folder, 'work-'))
    await git(dir, 'clone', '--quiet', server.remote(project), dir)
    await git(dir, 'checkout', '--quiet', '-b', branch)
    return dir
  }
  return async (turn: number) => {
    work ??= prepare()
    const dir = await work
    const forced = branch === 'forced'
    if (turn % 5 === 4) return (await tryGit(dir, 'push', '--quiet', server.remote(project), `:refs/heads/${branch}`)).code === 0
    // Back to where it began, and on from there; every third time to the very place it came from.
    if (forced && turn % 3 !== 0) await git(dir, 'reset', '--quiet', '--hard', turn % 3 === 1 ? 'origin/main' : 'HEAD')
    const oid =
      forced && turn % 3 === 1 ? await git(dir, 'rev-parse', 'HEAD') : await commit(dir, { file: randomBytes(5_000) }, `Change ${turn}`)
    const refs = turn % 4 === 0 ? [`HEAD:refs/heads/${branch}`, `HEAD:refs/tags/${branch}-${turn}`] : [`HEAD:refs/heads/${branch}`]
    const { code } = await tryGit(dir, 'push', '--quiet', '--force', server.remote(project), ...refs)
    if (code === 0) acknowledged.push({ ref: `refs/heads/${branch}`, oid })
    return code === 0
  }
}
