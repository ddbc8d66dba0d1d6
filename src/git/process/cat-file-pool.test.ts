import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seed } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { answerParser, type GitObject, type ObjectInfo, objectPool } from './cat-file-pool.ts'
import type { GitChild, Spawn } from './run.ts'

let home: string
let git: Git
const repos: Repo[] = []
const large = Buffer.alloc(5_000_000, 'a line of text\n')

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-objects-'))
  git = await openGit(home)
  for (const id of [1, 2, 3]) {
    const repo = git.open(id)
    await createRepository(repo, 'main')
    await seed(repo.dir, [{ files: { 'name.txt': `of ${id}`, 'large.bin': large, 'empty.txt': '' } }])
    repos.push(repo)
  }
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

/** A pool whose children can be counted and looked at. */
function watchedPool(options: Parameters<typeof objectPool>[1] = {}) {
  const children: Array<GitChild & { ended: boolean }> = []
  const start: Spawn = (args, given) => {
    const child = Object.assign(git.start(args, given), { ended: false })
    children.push(child)
    const onEnd = () => {
      child.ended = true
    }
    child.finished.then(onEnd, onEnd)
    return child
  }
  return { pool: objectPool(start, options), children, alive: () => children.filter(({ ended }) => !ended).length }
}

const dirOf = (index: number) => (repos[index] as Repo).dir

test(
  'many concurrent requests each get their own answer, from one process',
  inFullRun('Half a second of processor. Processes never exceed the maximum, and every request is answered, below.'),
  async () => {
    const { pool, children } = watchedPool()
    const names = ['main:name.txt', 'main:nothing', 'main', 'main:large.bin', 'nothing', 'main:empty.txt', 'main^{tree}']
    const answers = await Promise.all(Array.from({ length: 20 }, () => names.map((name) => pool.contents(dirOf(0), name))).flat())
    const infos = await Promise.all(names.map((name) => pool.info(dirOf(0), name)))

    for (let round = 0; round < 20; round += 1) {
      const [text, none, commit, big, unknown, empty, tree] = answers.slice(round * names.length, (round + 1) * names.length)
      expect([text?.data.toString(), none, commit?.type, big?.data.equals(large), unknown]).toEqual(['of 1', null, 'commit', true, null])
      expect([empty?.size, empty?.data.length, tree?.type]).toEqual([0, 0, 'tree'])
    }
    expect(infos.map((info) => info?.size ?? null)).toEqual([4, null, answers[2]?.size, large.length, null, 0, answers[6]?.size])
    expect(children).toHaveLength(1)
    pool.close()
  },
)

test('an invalid object name never reaches git', async () => {
  const { pool, children } = watchedPool()
  for (const name of ['', '-', '--batch-all-objects', 'main\ninfo main', 'main\0', '\nmain', ' main', 'main\r', '\tmain', 'a\x7f']) {
    expect([name, await pool.info(dirOf(0), name), await pool.contents(dirOf(0), name)]).toEqual([name, null, null])
  }
  expect(children).toHaveLength(0)
  pool.close()
})

test('an object that was missing is found once it is there', async () => {
  const { pool } = watchedPool()
  expect(await pool.info(dirOf(2), 'refs/heads/later')).toBeNull()
  await seed(dirOf(2), [{ branch: 'later', files: { 'later.txt': 'later' } }])
  expect((await pool.contents(dirOf(2), 'later:later.txt'))?.data.toString()).toBe('later')
  pool.close()
})

test('a crashed process fails its requests, and the next one starts another process', async () => {
  const { pool, children } = watchedPool()
  await pool.info(dirOf(0), 'main')
  const asked = Array.from({ length: 10 }, () => pool.contents(dirOf(0), 'main:large.bin'))
  await Promise.resolve()
  children[0]?.kill()
  const results = await Promise.allSettled(asked)
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'git_failed' } })
  expect((await pool.info(dirOf(0), 'main'))?.type).toBe('commit')
  expect(children).toHaveLength(2)
  pool.close()
})

test('a missing repository fails its request and no other', async () => {
  const { pool } = watchedPool()
  await expect(pool.info(join(home, 'nowhere'), 'main')).rejects.toMatchObject({ code: 'git_failed' })
  expect((await pool.info(dirOf(0), 'main'))?.type).toBe('commit')
  pool.close()
})

test('an idle process ends by itself, and one that is stuck is ended', async () => {
  const { pool, alive } = watchedPool({ idle_ms: 20, sweep_ms: 10 })
  await pool.info(dirOf(0), 'main')
  await expect.poll(alive).toBe(0)
  expect((await pool.info(dirOf(0), 'main'))?.type).toBe('commit')
  pool.close()

  const deaf: Spawn = (_, options) => git.start(['-c', 'alias.deaf=!sleep 47', 'deaf'], options)
  const stuck = objectPool(deaf, { deadline_ms: 50, sweep_ms: 10 })
  await expect(stuck.info(dirOf(0), 'main')).rejects.toMatchObject({ code: 'git_failed' })
  stuck.close()
})

test('processes never exceed the maximum, and every request is answered', async () => {
  const { pool, children, alive } = watchedPool({ max_processes: 2 })
  let max = 0
  const ask = async (index: number) => {
    const answer = await pool.contents(dirOf(index % 3), 'main:name.txt')
    max = Math.max(max, alive())
    return answer?.data.toString()
  }
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)))
  expect(answers).toEqual(Array.from({ length: 60 }, (_, index) => `of ${(index % 3) + 1}`))
  // One that was let go may still be on its way out while its successor starts.
  expect(max).toBeLessThanOrEqual(3)
  expect(children.length).toBeGreaterThan(2)
  pool.close()
})

test('a released process ends after its requests; a closed pool leaves none', async () => {
  const { pool, alive } = watchedPool()
  await Promise.all([0, 1, 2].map((index) => pool.info(dirOf(index), 'main')))
  expect(alive()).toBe(3)
  pool.release(dirOf(0))
  await expect.poll(alive).toBe(2)
  pool.close()
  await expect.poll(alive).toBe(0)
})

interface Scripted {
  withData: boolean
  answer: ObjectInfo | GitObject | 'too_large' | null
  bytes: Buffer
}

const scripted: fc.Arbitrary<Scripted> = fc
  .record({ withData: fc.boolean(), missing: fc.boolean(), data: fc.uint8Array({ maxLength: 40 }), digit: fc.constantFrom('0', 'a', 'f') })
  .map(({ withData, missing, data, digit }) => {
    const oid = digit.repeat(40)
    if (missing) return { withData, answer: null, bytes: Buffer.from('some name missing\n') }
    const info: ObjectInfo = { oid, type: 'blob', size: data.length }
    const head = Buffer.from(`${oid} blob ${data.length}\n`)
    if (!withData) return { withData, answer: info, bytes: head }
    return { withData, answer: { ...info, data: Buffer.from(data) }, bytes: Buffer.concat([head, data, Buffer.from('\n')]) }
  })

test('the same bytes give the same answers, in whatever chunks they come', () => {
  fc.assert(
    fc.property(fc.array(scripted, { maxLength: 8 }), fc.infiniteStream(fc.integer({ min: 1, max: 30 })), (script, sizes) => {
      const answers: Array<Parameters<Parameters<typeof answerParser>[0]>[0]> = []
      const take = answerParser((answer) => answers.push(answer))
      const bytes = Buffer.concat(script.map((step) => step.bytes))
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value as number
        take(bytes.subarray(at, at + size), () => script[answers.length]?.withData ?? false)
        at += size
      }
      expect(answers).toEqual(script.map((step) => step.answer))
    }),
  )
})

test('long commits are truncated, huge trees skipped, and the next request is answered', () => {
  const oid = 'a'.repeat(40)
  const answers: Array<Parameters<Parameters<typeof answerParser>[0]>[0]> = []
  const take = answerParser((answer) => answers.push(answer))
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const give = (type: string, chunks: number) => {
    take(Buffer.from(`${oid} ${type} ${chunks * chunk.length}\n`), () => true)
    for (let count = 0; count < chunks; count += 1) take(chunk, () => true)
    take(Buffer.from('\n'), () => true)
  }
  give('commit', 3)
  give('tree', 65)
  give('blob', 2)
  const kept = answers.map((answer) => (answer && typeof answer === 'object' && 'data' in answer ? answer.data.length : answer))
  expect(kept).toEqual([chunk.length, 'too_large', 2 * chunk.length])
})
