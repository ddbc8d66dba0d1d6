/** All kinds of writes at once to a server that is killed among them: what was acknowledged is there, and nothing is half done. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { killGitBelow } from '../support/git-processes.ts'
import { numbers } from '../support/numbers.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { calm, everyPart, type Part } from './storm-lanes.ts'

/** Others give other moments of death. */
const seed = Number(process.env.GITSTEAD_TEST_SEED ?? 29)
const rounds = 4
/** Things that a lane does in a round at most: the quick ones leave the rest of the machine to the others. */
const perRound = 3

/**
 * Runs all lanes until each was acknowledged once; then, after so many more answers, at that very moment, kills the server.
 * Counted, not timed: a busy machine changes nothing of it.
 */
async function strike(server: ServerProcess, parts: Part[], more: number): Promise<void> {
  const lanes = parts.flatMap((part) => part.lanes)
  const counts = lanes.map(() => 0)
  let [isAlive, left] = [true, more]
  const alive = () => isAlive
  let end = () => {}
  const struck = new Promise<void>((resolve) => {
    end = resolve
  })
  const running = lanes.map(async (lane, index) => {
    while (isAlive && (counts[index] ?? 0) < perRound) {
      if (!(await lane(server, alive).catch(() => false))) continue
      counts[index] = (counts[index] ?? 0) + 1
      if (isAlive && Math.min(...counts) > 0 && left-- <= 0) end()
    }
  })
  const beside = parts.map((part) => part.run?.(server, alive))
  await struck
  isAlive = false
  await server.kill()
  await Promise.all([...running, ...beside])
}

test.skipIf(engine === 'postgres')(
  'in a storm of pushes, commits, files, wikis, merges, code search, issues and CI, kill -9 loses nothing acknowledged',
  { timeout: 300_000 },
  async () => {
    const random = numbers(seed)
    let server = await startServer()
    const { home } = server
    const port = Number(new URL(server.url).port)
    const parts = await everyPart(server, { rounds, perRound })
    const strikes: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      strikes.push(2 + random(13))
      await strike(server, parts, strikes.at(-1) as number)
      // Every second time the machine dies with it: git has no time to clean up.
      if (round % 2 === 1) await killGitBelow(home)
      for (const { whileDown } of parts) await whileDown?.(home)
      server = await startServer({ home, port })
      await calm(home)
      for (const { check } of parts) await check(server)
    }
    for (const { finish } of parts) await finish?.(server)
    for (const lane of parts.flatMap((part) => part.lanes).slice(0, -1)) expect(await lane(server, () => true)).toBe(true)
    console.info(`seed ${seed}: killed after ${strikes.join(', ')} answers more than one of each lane`)
    expect(await server.stop()).toBe(0)
    expect(await readdir(join(home, 'objects', '.unfinished'))).toEqual([])
  },
)
