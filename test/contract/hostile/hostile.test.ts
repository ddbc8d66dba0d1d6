/**
 * Whatever stands where a ref, a path, a name or a message belongs: the server answers soon and sanely, what it refuses
 * changes nothing, and what it takes leaves a repository that git accepts.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../../support/client.ts'
import { engine } from '../../support/database.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget, cpuTime_ms } from '../../support/run/cpu.ts'
import { isSampled, ofEveryEndpoint } from '../world/budgets.ts'
import { type ContractFixtures, contractFixtures, expectMany } from '../world/fixtures.ts'
import { placesWithBytes, readersWith, sendsAll, type Targets, writersWith } from './hostile-budget.ts'
import { labelOf, type Place, requestOf } from './hostile-places.ts'
import { filesOutside, watchState } from './hostile-state.ts'

cpuBudget(11, 'A part of the hostile values at every write and reader.')

/** No answer may take more of the processor, that of git included. Elapsed time says more about what else the machine does. */
const patience_ms = 5_000
const atOnce = 16

let fixtures: ContractFixtures
let targets: Targets

beforeAll(async () => {
  fixtures = await contractFixtures()
  const { dir } = fixtures.project
  const twins = likeObjects()
  targets = { target: join(await fixtures.forge.folder(), 'target'), shortened: twins.prefix }
  for (const content of twins.contents) await git(dir, 'update-ref', `refs/keep/${content}`, await writeBlob(dir, content))
  await git(dir, 'branch', 'twice', 'main~1')
  await git(dir, 'tag', 'twice', 'main')
  await git(dir, 'update-ref', 'refs/heads/refs/heads/x', 'main')
  // They rest: the queue, when it is drained, would try to reach their addresses.
  await fixtures.forge.app.db.updateTable('hooks').set({ rests_until: '2999-01-01T00:00:00.000Z' }).execute()
})

/** Two contents whose ids as blobs begin with the same four digits. */
function likeObjects(): { prefix: string; contents: string[] } {
  const seen = new Map<string, string>()
  for (let number = 0; ; number += 1) {
    const content = String(number)
    const prefix = createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex').slice(0, 4)
    const twin = seen.get(prefix)
    if (twin !== undefined) return { prefix, contents: [twin, content] }
    seen.set(prefix, content)
  }
}

async function writeBlob(dir: string, content: string): Promise<string> {
  const file = join(await fixtures.forge.folder(), 'blob')
  await writeFile(file, content)
  return git(dir, 'hash-object', '-w', file)
}

interface Sent {
  place: string
  answer: Answer
  /** Processor time in milliseconds. Each of several simultaneous requests has the time of all. */
  cpu_ms: number
  elapsed_ms: number
}

async function send(place: Place, label: string, value: unknown): Promise<Sent> {
  const { url, body } = requestOf(fixtures, place, value)
  return measured(`${labelOf(place)}: ${label}`, () => fixtures.forge.as(fixtures.insider).request(place.one.endpoint.method, url, body))
}

async function measured(place: string, request: () => Promise<Answer>): Promise<Sent> {
  const [cpu_ms, started_ms] = [cpuTime_ms(), performance.now()]
  const answer = await request()
  return { place, answer, cpu_ms: cpuTime_ms() - cpu_ms, elapsed_ms: performance.now() - started_ms }
}

/** By a sentence; a state that is locked is refused with its lock, as OpenTofu expects. */
function isExplained({ body }: Answer): boolean {
  return Boolean(body?.message || body?.error || body?.ID)
}

/** Checks the reply by itself: status, headers, and that it leaks nothing. */
function fieldErrorsOf({ place, answer, cpu_ms, elapsed_ms }: Sent): unknown[] {
  const { status, text, headers } = answer
  // The caller's own input may be repeated in the answer.
  const told = status < 400 ? '' : (text + JSON.stringify(headers)).replaceAll(targets.target, '')
  return [
    status >= 500 && 'a failure of the server',
    cpu_ms > patience_ms && `took ${Math.round(cpu_ms)} ms of the processor (${Math.round(elapsed_ms)} ms elapsed)`,
    status >= 400 && status !== 414 && !isExplained(answer) && 'refused without a word',
    (told.includes(fixtures.forge.app.config.home) || /fatal:|\/repositories\/|GIT_DIR/.test(told)) && 'tells of the server',
    headers['x-injected'] && 'a header was smuggled in',
  ]
    .filter(Boolean)
    .map((fieldError) => [place, fieldError, status, text.slice(0, 200)])
}

// Readers of repositories are only tested on SQLite, since they ask git, not the database.
test.skipIf(engine === 'postgres')(
  'every reader of the repository interface answers what is no ref, path or name of its own',
  { timeout: 120_000 },
  async () => {
    const asked = readersWith(targets)
    const requests = asked.flatMap(([place, values]) =>
      values.map(
        ([label, value]) =>
          () =>
            send(place, label, value),
      ),
    )
    console.info(`${requests.length} hostile values to ${asked.length} places of readers`)
    const wrong: unknown[] = []
    for (let at = 0; at < requests.length; at += atOnce) {
      const answers = await Promise.all(requests.slice(at, at + atOnce).map((request) => request()))
      wrong.push(...answers.flatMap(fieldErrorsOf))
    }
    expectMany(requests.length, isSampled ? 500 : 5_000)
    expect(wrong).toEqual([])
    expect(existsSync(targets.target)).toBe(false)
  },
)

// SQLite looks it up as any other text.
test.runIf(engine === 'postgres')('a name with NUL is none, wherever a reader has a name in its path', async () => {
  const asked = readersWith(targets).flatMap(([place]) => (place.where === 'path' ? [place] : []))
  const wrong: unknown[] = []
  for (const place of asked) wrong.push(...fieldErrorsOf(await send(place, 'NUL', 'a\0b')))
  expectMany(asked.length, 50)
  expect(wrong).toEqual([])
})

test('a rejected write changes nothing, and an accepted one leaves a valid repository', {
  timeout: sendsAll ? 1_800_000 : 400_000,
}, async () => {
  const { forge, project } = fixtures
  // Background work writes files and drafts, which must not count as effects of a request.
  await forge.drain()
  const before = filesOutside(forge)
  const readState = watchState(forge, project)
  const wrong: unknown[] = []
  let taken = 0
  let sentSoFar = 0
  let state = await readState()
  for (const [place, values] of writersWith(targets)) {
    for (const [label, value] of values) {
      const sent = await send(place, label, value)
      sentSoFar += 1
      wrong.push(...fieldErrorsOf(sent))
      // The queue runs in `drain` alone (`test-queue.ts`), so that nothing of the background (branches of a fork, notes on what a commit
      // mentions, pipelines) is counted as a change by what is refused next.
      if (sent.answer.status < 400) await forge.drain()
      const after = await readState()
      if (sent.answer.status >= 400 && after !== state)
        wrong.push([sent.place, 'refused, and yet something changed', sent.answer.text.slice(0, 200)])
      if (sent.answer.status < 400) taken += 1
      state = after
    }
  }
  console.info(`${sentSoFar} hostile writes, ${taken} of them taken`)
  expect(wrong).toEqual([])
  expectMany(taken, isSampled ? 0 : engine === 'postgres' ? 5 : 25)
  await forge.drain()
  expect(filesOutside(forge).filter((file) => !before.includes(file))).toEqual([])
  expect(existsSync(targets.target)).toBe(false)
  await expectValid(project.dir)
})

/** `git fsck` accepts it, and it can be cloned; every branch of it can be checked out. */
async function expectValid(dir: string): Promise<void> {
  const { code, stdout, stderr } = await tryGit(dir, 'fsck', '--strict', '--no-dangling')
  expect([code, stdout.trim(), stderr.replaceAll(/^(notice|Checking).*\n?/gm, '')]).toEqual([0, '', ''])
  const copy = await fixtures.forge.folder()
  await git(copy, 'clone', '--quiet', dir, 'copy')
  expect(await git(join(copy, 'copy'), 'status', '--porcelain')).toBe('')
  const tips = await git(dir, 'for-each-ref', '--format=%(objectname)', 'refs/heads')
  for (const tip of new Set(tips.split('\n'))) await git(join(copy, 'copy'), 'checkout', '--quiet', '--detach', tip)
}

test('bytes that are no UTF-8 are refused or answered, wherever they stand', ofEveryEndpoint, async () => {
  const wrong: unknown[] = []
  for (const [place, sequences] of placesWithBytes()) {
    for (const bytes of sequences) {
      const label = bytes.toString('hex')
      if (place.where === 'path' || place.where === 'query') wrong.push(...fieldErrorsOf(await send(place, label, bytes)))
      else wrong.push(...fieldErrorsOf(await sendRaw(place, bytes)))
    }
  }
  expect(wrong).toEqual([])
})

/** The bytes as they are within a body of JSON, and in a form. */
async function sendRaw(place: Place, bytes: Buffer): Promise<Sent> {
  const { url, body } = requestOf(fixtures, place, '<here>')
  const [before = '', after = ''] = JSON.stringify(body).split('<here>')
  const payload = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
  const headers = { 'content-type': 'application/json' }
  return measured(`${place.one.name}, ${place.name}: ${bytes.toString('hex')} in JSON`, () =>
    fixtures.forge.as(fixtures.insider).request(place.one.endpoint.method, url, payload, { headers }),
  )
}
