/** The history of a repository as merge requests: what its authors merged is merged again by the API, and the trees are compared. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { type Forge, type TestProject, testForge } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from './wire.ts'

/** A bare repository; without one a small history is made. */
const given = process.env.GITSTEAD_TEST_REPLAY
const topics = Number(process.env.GITSTEAD_TEST_REPLAY_TOPICS ?? 200)
const hours = 60 * 60_000

/** A merge of two parents. */
interface Merge {
  /** Its place, from 1, oldest first. */
  number: number
  oid: string
  target: string
  source: string
}

async function mergesOf(dir: string): Promise<Merge[]> {
  const args = ['rev-list', '--first-parent', '--merges', '--max-parents=2', '--parents', `--max-count=${topics}`, 'HEAD']
  const lines = (await git(dir, ...args)).split('\n').filter(Boolean).reverse()
  return lines.map((line, index) => {
    const [oid, target, source] = line.split(' ') as [string, string, string]
    return { number: index + 1, oid, target, source }
  })
}

/** Five topics, of which the last is merged by hand: both sides changed the same line. */
async function smallHistory(): Promise<string> {
  const dir = await workTree({ 'a.txt': 'one\ntwo\nthree\n' })
  for (let number = 1; number <= 5; number += 1) {
    await git(dir, 'switch', '--quiet', '--create', `topic-${number}`)
    await commit(dir, { [`topic-${number}.txt`]: 'it\n', ...(number === 5 && { 'a.txt': 'one\n2\nthree\n' }) }, `Topic ${number}`)
    await git(dir, 'switch', '--quiet', 'main')
    await commit(dir, { [`main-${number}.txt`]: 'it\n', ...(number === 5 && { 'a.txt': 'one\ntwo!\nthree\n' }) }, `Main ${number}`)
    if (number < 5) await git(dir, 'merge', '--quiet', '--no-ff', '--message', `Merge topic ${number}`, `topic-${number}`)
  }
  await git(dir, 'merge', '--quiet', 'topic-5').catch(() => {})
  await commit(dir, { 'a.txt': 'one\n2!\nthree\n' }, 'Merge topic 5')
  return dir
}

interface Outcome {
  /** The trees are equal. */
  same: number
  /** The API refuses, and so does git without help: its authors resolved a conflict. */
  conflicts: number
  /** Git without help comes to the tree of the API, and its authors changed something more. */
  edited: number
}

async function replay(forge: Forge, project: TestProject, dir: string, merges: Merge[]): Promise<Outcome> {
  const root = forge.as(forge.root)
  const outcome: Outcome = { same: 0, conflicts: 0, edited: 0 }
  for (const { number, oid, target, source } of merges) {
    const branches = { source_branch: `topic/${number}`, target_branch: `target/${number}` }
    const made = await root.post(`/projects/${project.id}/merge_requests`, { ...branches, title: `Replay of ${oid}` })
    expect([oid, made.status]).toEqual([oid, 201])
    const merged = await root.put(`/projects/${project.id}/merge_requests/${made.body.iid}/merge`)
    const plain = await git(dir, 'merge-tree', '--write-tree', '--name-only', target, source).catch(() => null)
    if (merged.status !== 200) {
      expect([oid, merged.status >= 405 && merged.status <= 422, plain]).toEqual([oid, true, null])
      outcome.conflicts += 1
      continue
    }
    const [ours, theirs] = [await git(project.dir, 'rev-parse', `target/${number}^{tree}`), await git(dir, 'rev-parse', `${oid}^{tree}`)]
    expect(await git(project.dir, 'rev-parse', `target/${number}^1`, `target/${number}^2`)).toBe(`${target}\n${source}`)
    if (ours === theirs) outcome.same += 1
    else {
      expect([oid, plain]).toEqual([oid, ours])
      outcome.edited += 1
    }
  }
  return outcome
}

/** The given repository is replayed on one engine: what git merges is the same on both. */
test.skipIf(given !== undefined && engine === 'postgres')(
  'what authors merged is merged to the same trees',
  { ...inFullRun('2 s of processor. src/git/write compares merges with those of git.'), timeout: 2 * hours },
  async () => {
    if (given !== undefined && !existsSync(given)) throw new Error(`GITSTEAD_TEST_REPLAY names no repository (got ${given})`)
    const forge = await testForge()
    const dir = given ?? (await smallHistory())
    const merges = await mergesOf(dir)
    const project = await forge.project({ files: null })
    const refs = merges.flatMap(({ number, target, source }) => [
      `${target}:refs/heads/target/${number}`,
      `${source}:refs/heads/topic/${number}`,
    ])
    const remote = await forge.remote(project, forge.root)
    await git(dir, 'push', '--quiet', remote, 'HEAD:refs/heads/main')
    await git(dir, 'push', '--quiet', remote, ...refs)
    await forge.drain()

    const began = performance.now()
    const outcome = await replay(forge, project, dir, merges)
    if (given)
      process.stdout.write(
        `replay: ${JSON.stringify({ merges: merges.length, ...outcome, ms_each: Math.round((performance.now() - began) / merges.length) })}\n`,
      )

    expect(outcome.same + outcome.conflicts + outcome.edited).toBe(merges.length)
    expect(outcome.same).toBeGreaterThan(merges.length / 2)
    if (!given) expect(outcome).toEqual({ same: 4, conflicts: 1, edited: 0 })
  },
)
