/** Acts as users of a server that may die at any moment, and checks afterwards that everything acknowledged is there. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { git, tryGit } from '../../support/git.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { commit } from '../git/wire.ts'
import type { ServerProcess } from '../server-process.ts'

const chance = chanceOf('kills of all lanes')

/** Something the server said it has. */
export interface Acknowledged {
  /** For the message of a failing test. */
  what: string
  /** Null if it is there; otherwise what is wrong. */
  missing: (server: ServerProcess) => Promise<string | null>
}

/** Does one thing; null if the server did not acknowledge it. */
export type Lane = (server: ServerProcess) => Promise<Acknowledged | null>

interface Project {
  id: number
  path: string
}

const repositoryOf = (server: ServerProcess, { id }: Project) => join(server.home, 'repositories', hashedPath(id))

/** The project answers, its ref holds the commit, and git finds nothing wrong. */
function atRef(what: string, project: Project, ref: string, oid: string): Acknowledged {
  return {
    what: `${what} of ${project.path} at ${ref}`,
    async missing(server) {
      const dir = repositoryOf(server, project)
      const listed = await server.status(`/projects/${project.id}/repository/commits/${oid}`)
      if (listed !== 200) return `the commit answers ${listed}`
      const { code } = await tryGit(dir, 'merge-base', '--is-ancestor', oid, ref)
      if (code !== 0) return 'the ref does not lead to it'
      const { code: sound, stderr } = await tryGit(dir, 'fsck', '--connectivity-only')
      return sound === 0 ? null : `fsck: ${stderr}`
    },
  }
}

let names = 0
const newName = (kind: string) => `${kind}-${process.pid}-${++names}`

async function createdProject(server: ServerProcess, body: Record<string, unknown>): Promise<Project | null> {
  const answer = await server.send('POST', '/projects', body)
  if (answer.status !== 201) return null
  const { id, path } = (await answer.json()) as { id: number; path: string }
  return { id, path }
}

async function commitTo(server: ServerProcess, { id }: Project, branch: string, start_branch?: string): Promise<string | null> {
  const actions = [{ action: 'create', file_path: `${randomBytes(8).toString('hex')}.txt`, content: 'text' }]
  const body = { branch, ...(start_branch && { start_branch }), commit_message: 'Add a file', actions }
  const answer = await server.send('POST', `/projects/${id}/repository/commits`, body)
  return answer.status === 201 ? ((await answer.json()) as { id: string }).id : null
}

/** A project and its first commit, each acknowledged. */
const newProject: Lane = async (server) => {
  const project = await createdProject(server, { name: newName('new') })
  if (!project) return null
  const empty: Acknowledged = {
    what: `new project ${project.path}`,
    async missing(server) {
      const status = await server.status(`/projects/${project.id}/repository/branches`)
      const { code } = await tryGit(repositoryOf(server, project), 'symbolic-ref', 'HEAD')
      return status === 200 && code === 0 ? null : `it answers ${status}, and HEAD ${code}`
    },
  }
  const oid = await commitTo(server, project, 'main').catch(() => null)
  return oid === null ? empty : atRef('first commit', project, 'HEAD', oid)
}

/** A project that a push makes. */
function projectByPush(folder: string): Lane {
  return async (server) => {
    const name = newName('pushed')
    const dir = await mkdtemp(join(folder, 'work-'))
    await git(dir, 'init', '--quiet', '--initial-branch=main')
    const oid = await commit(dir, { 'file.txt': name })
    const { code } = await tryGit(dir, 'push', '--quiet', server.remote(name), 'main')
    if (code !== 0) return null
    const answer = await server.send('GET', `/projects/root%2F${name}`)
    return answer.status === 200 ? atRef('push', (await answer.json()) as Project, 'HEAD', oid) : null
  }
}

/** Commits to a branch of an old project, and makes branches, tags and a default branch of it. */
function changesOf(project: Project, branch: string): Lane {
  let round = 0
  return async (server) => {
    round += 1
    const base = `/projects/${project.id}/repository`
    const exists = (await server.status(`${base}/branches/${branch}`)) === 200
    const oid = await commitTo(server, project, branch, exists ? undefined : 'main')
    if (oid === null) return null
    const name = newName('ref')
    if (round % 3 === 1) {
      const answer = await server.send('POST', `${base}/tags`, { tag_name: name, ref: oid, message: 'A tag' })
      if (answer.status === 201) return atRef('tag', project, `refs/tags/${name}`, oid)
    } else if (round % 3 === 2) {
      const answer = await server.send('POST', `${base}/branches`, { branch: `deep/${name}/er`, ref: oid })
      const changed = await server.send('PUT', `/projects/${project.id}`, { default_branch: branch }).catch(() => null)
      if (changed?.status === 200) return atRef('default branch', project, 'HEAD', oid)
      if (answer.status === 201) return atRef('branch', project, `refs/heads/deep/${name}/er`, oid)
    }
    return atRef('commit', project, `refs/heads/${branch}`, oid)
  }
}

/** Pushes what is committed in a work tree. */
function pushesOf(project: Project, dir: string): Lane {
  return async (server) => {
    const oid = await commit(dir, { 'file.txt': String(Math.random()) })
    const branch = await git(dir, 'rev-parse', '--abbrev-ref', 'HEAD')
    const { code } = await tryGit(dir, 'push', '--quiet', server.remote(project.path), branch)
    return code === 0 ? atRef('push', project, `refs/heads/${branch}`, oid) : null
  }
}

/** Both come by a job: acknowledged is what the project says of itself. */
async function filled(server: ServerProcess, project: Project, what: string, tip: string): Promise<Acknowledged | null> {
  for (;;) {
    const { import_status } = (await (await server.send('GET', `/projects/${project.id}`)).json()) as { import_status: string }
    if (import_status === 'finished') return atRef(what, project, 'refs/heads/main', tip)
    if (import_status === 'failed') throw new Error(`${what} of ${project.path} failed`)
    await setTimeout(20)
  }
}

function forksOf(project: Project, tip: string): Lane {
  return async (server) => {
    const name = newName('fork')
    const answer = await server.send('POST', `/projects/${project.id}/fork`, { name, path: name })
    return answer.status === 201 ? filled(server, (await answer.json()) as Project, 'fork', tip) : null
  }
}

function importsOf(project: Project, tip: string): Lane {
  return async (server) => {
    const made = await createdProject(server, { name: newName('import'), import_url: server.remote(project.path) })
    return made && filled(server, made, 'import', tip)
  }
}

const max_bytes = 3_000_000
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function holds(answer: Response, digest: string): Promise<string | null> {
  if (answer.status !== 200) return `it answers ${answer.status}`
  return digestOf(Buffer.from(await answer.arrayBuffer())) === digest ? null : 'its bytes are others'
}

function largeFilesOf({ path }: Project): Lane {
  const at = (server: ServerProcess, oid: string) => {
    const { username, password, origin, pathname } = new URL(`${server.remote(path)}/info/lfs/objects/${oid}`)
    return { url: origin + pathname, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  }
  return async (server) => {
    const bytes = randomBytes(Math.floor(Math.random() * max_bytes))
    const oid = digestOf(bytes)
    const { url, authorization } = at(server, oid)
    const answer = await fetch(url, { method: 'PUT', headers: { authorization }, body: new Uint8Array(bytes) })
    if (answer.status !== 200) return null
    return {
      what: `large file ${oid}`,
      async missing(server) {
        const { url, authorization } = at(server, oid)
        return holds(await fetch(url, { headers: { authorization } }), oid)
      },
    }
  }
}

function uploadsOf({ id, path }: Project): Lane {
  return async (server) => {
    const bytes = randomBytes(20_000)
    const form = new FormData()
    form.set('file', new File([new Uint8Array(bytes)], 'file.bin'))
    const headers = { 'private-token': server.token }
    const answer = await fetch(`${server.url}/api/v4/projects/${id}/uploads`, { method: 'POST', headers, body: form })
    if (answer.status !== 201) return null
    const { url } = (await answer.json()) as { url: string }
    return {
      what: `upload ${url}`,
      missing: async (server) => holds(await fetch(`${server.url}/root/${path}${url}`, { headers }), digestOf(bytes)),
    }
  }
}

/** Each kind of thing a user may do that leaves files: with an old project, which is made for it, and new ones. */
export async function everyLane(server: ServerProcess, folder: string): Promise<Lane[]> {
  const settings = { allow_local_requests_from_hooks_and_services: true, import_sources: ['git'] }
  await server.send('PUT', '/application/settings', settings)
  const old = await createdProject(server, { name: newName('old') })
  if (!old) throw new Error('the server made no project')
  const work = await mkdtemp(join(folder, 'work-'))
  await git(work, 'init', '--quiet', '--initial-branch=main')
  const tip = await commit(work, { 'README.md': '# Old\n' })
  await git(work, 'push', '--quiet', server.remote(old.path), 'main')
  await git(work, 'checkout', '--quiet', '-b', 'pushed')
  return [
    newProject,
    projectByPush(folder),
    changesOf(old, 'changed'),
    pushesOf(old, work),
    forksOf(old, tip),
    importsOf(old, tip),
    largeFilesOf(old),
    uploadsOf(old),
  ]
}

/** Runs the lanes until so many things were acknowledged by each, then a little longer; `end` ends the server. */
export async function runLanes(
  server: ServerProcess,
  lanes: Lane[],
  atLeast: number,
  end: () => Promise<unknown>,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const counts = lanes.map(() => 0)
  let alive = true
  const running = lanes.map(async (lane, index) => {
    while (alive) {
      const done = await lane(server).catch(() => null)
      if (!done) continue
      acknowledged.push(done)
      counts[index] = (counts[index] ?? 0) + 1
    }
  })
  while (Math.min(...counts) < atLeast) await setTimeout(5)
  await setTimeout(chance() * 300)
  alive = false
  await end()
  await Promise.all(running)
  return acknowledged
}

/** Describes each acknowledged act that is missing; empty if none is. */
export async function missingOf(server: ServerProcess, acknowledged: Acknowledged[]): Promise<string[]> {
  const missing: string[] = []
  for (const { what, missing: look } of acknowledged) {
    const wrong = await look(server)
    if (wrong !== null) missing.push(`${what}: ${wrong}`)
  }
  return missing
}
