/** Everybody who writes to a server at once, and what has to be there of it whenever the server died. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { hashedWikiPath } from '../../src/git/repository/repository.ts'
import { testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { hasSsh, type KeyPair, keyPair, withKey } from '../support/ssh.ts'
import { type Acknowledged, atRef, commitTo, createdProject, everyLane, type Lane, missingOf, type Project } from './acknowledged.ts'
import { ageLostJobs, createPipelines, finishJobs, lostBy, prepareCi, wrongJobs } from './ci-lanes.ts'
import * as index from './index-lanes.ts'
import { expectMergesWhole, merge, prepareMerges } from './merge-lanes.ts'
import { type AcknowledgedRef, expectEverythingTold } from './ref-events.ts'
import type { ServerProcess } from './server-process.ts'
import { query, settled } from './settled.ts'
import { expectWikiHolds, wikiLanes } from './wiki-lanes.ts'
import { commit, workTree } from './wire.ts'

/** One kind of writing: does it once and tells whether it was acknowledged. */
export type StormLane = (server: ServerProcess, isAlive: () => boolean) => Promise<boolean>

export interface Part {
  lanes: StormLane[]
  /** Goes on beside the lanes for as long as they are alive. */
  run?: (server: ServerProcess, isAlive: () => boolean) => Promise<unknown>
  /** While the server is down. */
  whileDown?: (home: string) => Promise<unknown>
  /** After each start: all that was acknowledged is there, and nothing is half done. */
  check: (server: ServerProcess) => Promise<unknown>
  /** At the end, with a server that goes on living. */
  finish?: (server: ServerProcess) => Promise<unknown>
}

async function newProject(server: ServerProcess, name: string): Promise<Project> {
  const project = await createdProject(server, { name })
  if (!project) throw new Error(`the server did not create the project ${name}`)
  return project
}

/** What leaves files, by everyone's lanes: each kind with its own proof. Of earlier rounds nothing is asked until the end. */
export async function fileParts(server: ServerProcess): Promise<Part> {
  const all: Acknowledged[] = []
  let checked = 0
  const keep =
    (lane: Lane): StormLane =>
    async (server) => {
      const done = await lane(server)
      if (done) all.push(done)
      return done !== null
    }
  const lanes = [...(await everyLane(server, await (await testForge()).folder())), discussion(await newProject(server, 'discussed'))]
  return {
    lanes: lanes.map(keep),
    async check(server) {
      expect(await missingOf(server, all.slice(checked))).toEqual([])
      checked = all.length
    },
    finish: async (server) => expect(await missingOf(server, all)).toEqual([]),
  }
}

/** An issue and a note on it, each acknowledged. */
function discussion({ id }: Project): Lane {
  let count = 0
  return async (server) => {
    const title = `Issue ${++count}`
    const issue = await server.send('POST', `/projects/${id}/issues`, { title })
    if (issue.status !== 201) return null
    const { iid } = (await issue.json()) as { iid: number }
    const at = `/projects/${id}/issues/${iid}`
    const note = await server.send('POST', `${at}/notes`, { body: `Note on ${title}` }).catch(() => null)
    return {
      what: `issue ${iid} and its note`,
      async missing(server) {
        const found = (await (await server.send('GET', at)).json()) as { title?: string }
        const notes = (await (await server.send('GET', `${at}/notes`)).json()) as Array<{ body: string }>
        const isThere = note?.status !== 201 || notes.some(({ body }) => body === `Note on ${title}`)
        return found.title === title && isThere ? null : `it is ${JSON.stringify(found.title)} with ${notes.length} notes`
      },
    }
  }
}

/** Pushes over SSH and commits by the API to branches of one project, whose events have to tell of every one. */
export async function refPart(server: ServerProcess): Promise<Part> {
  const project = await newProject(server, 'told')
  const work = await workTree()
  await git(work, 'push', '--quiet', server.remote(project.path), 'main')
  const acknowledged: AcknowledgedRef[] = []
  const key = hasSsh ? await keyPair() : null
  if (key) expect((await server.send('POST', '/user/keys', { title: 'Storm', key: key.line })).status).toBe(201)
  const note = (ref: string, oid: string | null) => {
    if (oid !== null) acknowledged.push({ ref, oid })
    return oid !== null
  }
  let hasBranch = false
  const committing: StormLane = async (server) => {
    const isDone = note('refs/heads/by-api', await commitTo(server, project, 'by-api', hasBranch ? undefined : 'main'))
    hasBranch ||= isDone
    return isDone
  }
  const pushing = (of: KeyPair): StormLane => {
    return async (server) => note('refs/heads/by-ssh', await pushBySsh(server, { project, work, key: of }))
  }
  return {
    lanes: [committing, ...(key ? [pushing(key)] : [])],
    async check(server) {
      hasBranch = (await server.status(`/projects/${project.id}/repository/branches/by-api`)) === 200
      for (const { ref, oid } of acknowledged) expect(await atRef('change', project, ref, oid).missing(server)).toBeNull()
      await expectEverythingTold(server.home, project.id, acknowledged)
    },
  }
}

async function pushBySsh(
  server: ServerProcess,
  { project, work, key }: { project: Project; work: string; key: KeyPair },
): Promise<string | null> {
  const oid = await commit(work, { 'file.txt': String(Math.random()) })
  const remote = `ssh://git@127.0.0.1:${server.ssh_port}/root/${project.path}.git`
  const { code } = await tryGit(work, ...withKey(key), 'push', '--quiet', remote, 'HEAD:refs/heads/by-ssh')
  return code === 0 ? oid : null
}

export async function wikiPart(server: ServerProcess): Promise<Part> {
  const project = await newProject(server, 'written')
  const dir = await workTree({ 'home.md': 'Home' })
  await git(dir, 'push', '--quiet', server.remote(`${project.path}.wiki`), 'main')
  const acknowledged: Record<string, string> = { 'HEAD:home.md': 'Home' }
  return {
    lanes: wikiLanes(project, dir).map((lane) => async (server) => {
      const done = await lane(server)
      Object.assign(acknowledged, done)
      return done !== null
    }),
    async check({ home }) {
      const wiki = await query(home, (db) =>
        db.selectFrom('wikis').select('id').where('project_id', '=', project.id).executeTakeFirstOrThrow(),
      )
      await expectWikiHolds(join(home, 'repositories', hashedWikiPath(wiki.id)), acknowledged)
    },
  }
}

/** @param count merge requests, as many as are wanted in all rounds */
export async function mergePart(server: ServerProcess, count: number): Promise<Part> {
  const project_id = await prepareMerges(server, count)
  const open = Array.from({ length: count }, (_, index) => index + 1)
  return {
    lanes: [
      async (server) => {
        const status = await merge(server, project_id, open[0] as number)
        // Merged already, by a merge whose answer the kill cut off.
        if (status !== 200 && status !== 405) return false
        open.shift()
        return true
      },
    ],
    check: ({ home }) => expectMergesWhole(home, project_id),
  }
}

export async function indexPart(server: ServerProcess): Promise<Part> {
  const project = index.indexedProject((await newProject(server, 'indexed')).id, 14)
  expect(await index.commitTo(server, project)).toBe(true)
  return {
    lanes: [(server) => index.commitTo(server, project)],
    check: async () => {},
    async finish(server) {
      expect(await index.commitTo(server, project)).toBe(true)
      await index.indexed(server.home)
      await index.expectSegmentsWhole(server.home)
      await index.expectFound(server, [project], 2)
    },
  }
}

/** @param steps of runners that are as much as one thing of another lane */
export async function ciPart(server: ServerProcess, steps: number): Promise<Part> {
  const { project_id, runners } = await prepareCi(server, 2)
  const [created, pushed, checked] = [new Set<number>(), new Set<string>(), new Set<number>()]
  const check = async (server: ServerProcess) =>
    expect([...runners.wrong, ...(await lostBy(server, project_id, { runners, checked }))]).toEqual([])
  return {
    lanes: [
      async (_, isAlive) => {
        const until = runners.count() + steps
        while (isAlive() && runners.count() < until) await setTimeout(2)
        return runners.count() >= until
      },
    ],
    run: (server, isAlive) =>
      Promise.all([runners.run(server, isAlive), createPipelines(server, project_id, { created, pushed, isAlive })]),
    whileDown: (home) => ageLostJobs(home, runners),
    check,
    async finish(server) {
      await finishJobs(server, runners)
      await check(server)
      expect(await wrongJobs(server.home, runners)).toEqual([])
    },
  }
}

/** Every part at once. */
export async function everyPart(server: ServerProcess, { rounds, perRound }: { rounds: number; perRound: number }): Promise<Part[]> {
  return [
    await fileParts(server),
    await refPart(server),
    await wikiPart(server),
    await mergePart(server, rounds * perRound + 1),
    await indexPart(server),
    await ciPart(server, 8),
  ]
}

/** Until the restarted server has no write left that is half done. */
export const calm = (home: string): Promise<void> => settled(home, ['merge_requests.remove_source'])
