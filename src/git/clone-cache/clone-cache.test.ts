import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as plainGit, seed } from '../../../test/support/git.ts'
import { Failure } from '../../failure.ts'
import type { GitChild } from '../process/run.ts'
import { createRepository, type Git, openGit, type Repo, removeRepository } from '../repository/repository.ts'
import { type Clone, cloneKey } from '../wire/fetch-request.ts'
import { type CachedRequest, type CloneCache, openCloneCache } from './clone-cache.ts'

let home: string
let git: Git
let ledger: string
let next = 0

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-clones-'))
  git = await openGit(home, { by_fork_server: true })
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

async function newRepo(): Promise<Repo> {
  const repo = git.open(++next)
  await createRepository(repo, 'main')
  return repo
}

function newCache(options: Parameters<typeof openCloneCache>[1] = {}): CloneCache {
  ledger = join(home, `ledger-${++next}`)
  return openCloneCache(ledger, { min_bytes: 10, spared_bytes: 0, ...options })
}

const request = (repo: Repo, name: string): CachedRequest => ({ dir: repo.dir, key: async () => name })

/** A git whose answer the test writes, and whose end it tells. */
function fakeGit() {
  const stdout = new PassThrough()
  let settle: (outcome: { code: number; stderr: string }) => void = () => {}
  let fail: (reason: unknown) => void = () => {}
  const finished = new Promise<{ code: number; stderr: string }>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  finished.catch(() => {})
  const killed: unknown[] = []
  const child: GitChild = {
    stdin: new PassThrough(),
    stdout,
    pipes: [],
    finished,
    kill(reason) {
      killed.push(reason)
      fail(reason)
      stdout.destroy()
    },
  }
  return {
    child,
    killed,
    say: (bytes: Buffer | string) => stdout.write(bytes),
    end(code = 0) {
      stdout.end()
      settle({ code, stderr: '' })
    },
    crash() {
      stdout.destroy(new Error('killed'))
      fail(new Failure('git_failed', 'killed'))
    },
  }
}

/** A git that says one thing and ends. */
function saying(bytes: Buffer | string, code = 0) {
  return () => {
    const fake = fakeGit()
    fake.say(bytes)
    fake.end(code)
    return fake.child
  }
}

const never = () => {
  throw new Error('git was started, and should not have been')
}

async function bytesOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

const stored = async (repo: Repo) => (await readdir(join(repo.dir, '.remembered')).catch(() => [])).sort()

/** Reads an answer and waits until it was kept or given up. */
async function ask(cache: CloneCache, repo: Repo, name: string, start: () => GitChild): Promise<string> {
  const { stdout } = await cache.answer(request(repo, name), start)
  const text = await bytesOf(stdout)
  await expect.poll(async () => (await stored(repo)).filter((file) => file.endsWith('.new'))).toEqual([])
  return text
}

test('a cached response is served from the file without git', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  const long = randomBytes(3 * 1024 * 1024).toString('latin1')
  expect(await ask(cache, repo, 'one', saying(Buffer.from(long, 'latin1')))).toBe(long)
  await expect.poll(() => stored(repo)).toEqual(['one'])
  const again = await cache.answer(request(repo, 'one'), never)
  expect(await bytesOf(again.stdout)).toBe(long)
  expect(await again.finished).toEqual({ code: 0, stderr: '' })
  expect(await ask(cache, repo, 'two', saying('another answer'))).toBe('another answer')
  expect(await ask(cache, await newRepo(), 'one', saying('another repository'))).toBe('another repository')
})

test('short and failed responses are not cached', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  expect(await ask(cache, repo, 'short', saying('short'))).toBe('short')
  expect(await ask(cache, repo, 'failed', saying('a long error of git', 128))).toBe('a long error of git')
  expect(await stored(repo)).toEqual([])
})

test('equal concurrent requests share one git process, and each gets the whole response', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  const fake = fakeGit()
  const first = await cache.answer(request(repo, 'one'), () => fake.child)
  fake.say('the first part, ')
  const second = bytesOf((await cache.answer(request(repo, 'one'), never)).stdout)
  fake.say('the second part, ')
  const third = bytesOf((await cache.answer(request(repo, 'one'), never)).stdout)
  fake.say('the end')
  fake.end()
  const whole = 'the first part, the second part, the end'
  expect(await Promise.all([bytesOf(first.stdout), second, third])).toEqual([whole, whole, whole])
})

test('the first client may leave without harm to others; the last to leave ends git', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  const fake = fakeGit()
  const gone = [new AbortController(), new AbortController()] as const
  await cache.answer(request(repo, 'one'), () => fake.child, gone[0].signal)
  const second = await cache.answer(request(repo, 'one'), never, gone[1].signal)
  const reading = second.stdout.on('error', () => {}).resume()
  fake.say('the first part of it')
  gone[0].abort()
  expect(fake.killed).toEqual([])
  await expect.poll(() => reading.readableFlowing && reading.readableDidRead).toBe(true)
  gone[1].abort()
  expect(fake.killed.length).toBe(1)
  await expect.poll(() => stored(repo)).toEqual([])
})

test('when git is killed, clients waiting for the first byte get a process of their own', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  const fake = fakeGit()
  const first = await cache.answer(request(repo, 'one'), () => fake.child)
  const second = bytesOf((await cache.answer(request(repo, 'one'), saying('an answer of its own'))).stdout)
  const broken = bytesOf(first.stdout).catch(() => 'broken')
  await new Promise((resolve) => setImmediate(resolve))
  fake.crash()
  expect([await broken, await second, await stored(repo)]).toEqual(['broken', 'an answer of its own', []])
})

test('a half-written file is never served, and the next request is answered whole', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  const fake = fakeGit()
  const first = await cache.answer(request(repo, 'one'), () => fake.child)
  const reading = bytesOf(first.stdout).catch(() => 'broken')
  fake.say('half of what should have')
  await expect.poll(async () => (await stored(repo)).length).toBe(1)
  expect((await stored(repo))[0]).toMatch(/^one\..*\.new$/)
  expect(await bytesOf((await newCache().answer(request(repo, 'one'), saying('the whole of it'))).stdout)).toBe('the whole of it')
  fake.crash()
  expect(await reading).toBe('broken')
})

test('a full disk caches nothing and breaks no clone', async () => {
  const [cache, repo] = [newCache({ spared_bytes: Number.MAX_SAFE_INTEGER }), await newRepo()]
  const fake = fakeGit()
  const long = randomBytes(5 * 1024 * 1024)
  const first = await cache.answer(request(repo, 'one'), () => fake.child)
  const second = await cache.answer(request(repo, 'one'), never)
  fake.say(long)
  fake.end()
  const [one, two] = await Promise.all([bytesOf(first.stdout), bytesOf(second.stdout)])
  expect([one === long.toString('latin1'), two === one]).toEqual([true, true])
  expect(await stored(repo)).toEqual([])
})

test('an evicted response is computed again, and those begun before are not cached', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  await ask(cache, repo, 'one', saying('before it was evicted'))
  await expect.poll(() => stored(repo)).toEqual(['one'])
  const fake = fakeGit()
  const begun = bytesOf((await cache.answer(request(repo, 'two'), () => fake.child)).stdout)
  await cache.evict(repo.dir)
  fake.say('begun before it was evicted')
  fake.end()
  expect(await begun).toBe('begun before it was evicted')
  expect(await ask(cache, repo, 'one', saying('after it was evicted'))).toBe('after it was evicted')
  await expect.poll(() => stored(repo)).toEqual(['one'])
})

test('a response that follows tags changes with the tags', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  await seed(repo.dir, [{ files: { a: 'a' } }])
  const clone: Clone = { digest: 'tags', includesTags: true }
  const followsTags = { dir: repo.dir, key: () => cloneKey(repo, clone) }
  expect(await bytesOf((await cache.answer(followsTags, saying('without the tag'))).stdout)).toBe('without the tag')
  await expect.poll(async () => (await stored(repo)).filter((name) => !name.endsWith('.new')).length).toBe(1)
  await plainGit(repo.dir, 'tag', '-m', 'annotated', 'v1', 'main')
  expect(await bytesOf((await cache.answer(followsTags, saying('with the tag'))).stdout)).toBe('with the tag')
  await plainGit(repo.dir, 'tag', '-d', 'v1')
  expect(await bytesOf((await cache.answer(followsTags, never)).stdout)).toBe('without the tag')
})

test('beyond the limit the least recently used responses are removed, over all repositories', async () => {
  const cache = newCache({ max_bytes: 250 })
  const [one, two] = [await newRepo(), await newRepo()]
  const hundred = 'x'.repeat(100)
  await ask(cache, one, 'a', saying(hundred))
  await ask(cache, two, 'b', saying(hundred))
  await expect.poll(async () => (await readdir(ledger)).length).toBe(2)
  await utimes(join(one.dir, '.remembered', 'a'), new Date(1_000), new Date(1_000))
  await utimes(join(two.dir, '.remembered', 'b'), new Date(2_000), new Date(2_000))
  expect(await ask(cache, one, 'a', never)).toBe(hundred)
  await ask(cache, one, 'c', saying(hundred))
  await expect.poll(() => stored(two)).toEqual([])
  expect([await stored(one), (await readdir(ledger)).length]).toEqual([['a', 'c'], 2])
})

test('a removed repository’s responses are removed, and no longer counted', async () => {
  const cache = newCache()
  const [gone, other] = [await newRepo(), await newRepo()]
  await ask(cache, gone, 'a', saying('an answer worth keeping'))
  await expect.poll(async () => (await readdir(ledger)).length).toBe(1)
  await removeRepository(gone)
  await expect(stat(gone.dir)).rejects.toThrow('ENOENT')
  await ask(cache, other, 'b', saying('another worth keeping'))
  await expect.poll(async () => (await readdir(ledger)).map((name) => name.split('.')[1])).toEqual(['b'])
})

test('a folder that can not be made breaks no clone', async () => {
  const [cache, repo] = [newCache(), await newRepo()]
  await writeFile(join(repo.dir, '.remembered'), 'in the way')
  expect(await bytesOf((await cache.answer(request(repo, 'one'), saying('answered all the same'))).stdout)).toBe('answered all the same')
  expect(await readFile(join(repo.dir, '.remembered'), 'utf8')).toBe('in the way')
})
